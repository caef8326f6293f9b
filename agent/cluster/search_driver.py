"""The process between a search and its peers in a cluster: has actors made on its nodes, and passes on what all tell.

Every node of the cluster gets one peer with as many threads as it has processors, less those of the search itself
where it runs there. Nodes that join later get one, too. A peer that fails, or whose node is lost, is given up, and what
it told last stays known. A node that is still there some seconds later gets another, unless it has another version of
Ludens.
"""

from __future__ import annotations

import itertools
import math
import resource
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from ludens.agent.cluster.actor import WorkerActor
from ludens.agent.cluster.connection import Versions, check_version, connect, why_no_ludens
from ludens.agent.cluster.errors import ClusterError
from ludens.agent.cluster.peer_search import PeerPlan, PeerSearch, Round, RoundResult
from ludens.agent.cluster.search_link import Heard
from ludens.native.core import MOST_PEERS, Words
from ludens.propnet.base.child import die_with_parent
from ludens.propnet.base.words import counted

ROUND_SECONDS = 0.2
"""Between two messages to a peer."""

_NODES_SECONDS = 1.0  # between two looks at which nodes there are
_RETRY_SECONDS = 10.0  # after which a node whose peer was lost gets another
_PATIENCE_SECONDS = 20.0  # until it is said that a peer has not begun


@dataclass(slots=True)
class _Peer:
    """A peer on a node, and its answer that is awaited."""

    node: str
    address: str
    place: int
    threads: int
    actor: Any
    answer: Any
    begun: float  # time
    joined: bool = False
    sent: dict[int, int] = field(default_factory=dict)  # by place: the version of what it was told last


class SearchDriver:
    """Peers of one search after another; everything is done in one thread."""

    def __init__(self, ray: Any, pipe: Connection) -> None:
        """`ray` is connected; `pipe` leads to the link."""
        self._ray, self._pipe = ray, pipe
        self._own_node = ray.get_runtime_context().get_node_id()
        self._own_threads = 0  # of the search
        self._plan: Any = None  # in the object store
        self._round: Round | None = None
        self._peers: dict[str, _Peer] = {}  # by node
        self._retry: dict[str, float] = {}  # by node whose peer was lost: not before that time
        self._said: set[str] = set()
        self._told: dict[int, tuple[int, Words]] = {}  # by place: a version, and what was found out there
        self._versions = itertools.count(1)
        self._next_look = 0.0

    def run(self) -> None:
        """Passes messages on until nobody listens."""
        next_round = 0.0
        while True:
            while self._pipe.poll(max(0.0, next_round - time.monotonic())):
                self._listen(self._pipe.recv())
            next_round = time.monotonic() + ROUND_SECONDS
            if self._plan is not None and self._round is not None:
                self._look_for_nodes()
                self._collect()
                self._pass_on()

    def _listen(self, message: PeerPlan | Round) -> None:
        if isinstance(message, PeerPlan):
            for peer in self._peers.values():
                self._ray.kill(peer.actor)
            self._peers.clear()
            self._told.clear()
            self._retry.clear()
            self._round, self._next_look = None, 0.0
            self._own_threads = message.threads
            self._plan = self._ray.put(message)
        else:
            self._round = message
            for place, words in message.told.items():
                self._told[place] = next(self._versions), words

    def _look_for_nodes(self) -> None:
        """Makes a peer on each node that has none."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _NODES_SECONDS
        for peer in self._peers.values():
            if not peer.joined and time.monotonic() > peer.begun + _PATIENCE_SECONDS:
                self._say(f"{peer.address} of the cluster does not search yet: perhaps others have its processors")
        for node in self._ray.nodes():
            name, threads = node["NodeID"], int(node["Resources"].get("CPU", 0))
            if name == self._own_node:
                threads -= self._own_threads
            places = set(range(1, MOST_PEERS)) - {peer.place for peer in self._peers.values()}
            wanted = name not in self._peers and self._retry.get(name, 0.0) <= time.monotonic()
            if wanted and node["Alive"] and threads > 0 and places:
                self._peers[name] = self._new_peer(name, node["NodeManagerAddress"], min(places), threads)

    def _new_peer(self, node: str, address: str, place: int, threads: int) -> _Peer:
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        actor = self._ray.remote(WorkerActor).options(num_cpus=threads, scheduling_strategy=strategy).remote()
        return _Peer(node, address, place, threads, actor, actor.versions.remote(), time.monotonic())

    def _collect(self) -> None:
        """Takes the answers that have come, and passes them on to the search."""
        waiting = {peer.answer: peer for peer in self._peers.values() if peer.answer is not None}
        if not waiting:
            return
        ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)
        told = {}
        for answer in ready:
            peer = waiting[answer]
            peer.answer = None
            try:
                result: Versions | RoundResult | None = self._ray.get(answer)
            except self._ray.exceptions.RayError as error:
                if reason := why_no_ludens(error, peer.address):
                    self._refuse(peer, reason)
                else:
                    self._lose(peer, error)
                continue
            if not isinstance(result, RoundResult):
                self._take_in(peer, result)
                continue
            self._told[peer.place] = next(self._versions), result.words
            told[peer.place] = result.words
        if told:
            self._pipe.send(Heard(told))

    def _take_in(self, peer: _Peer, theirs: Versions | None) -> None:
        """Has a peer make its search once it has said its versions, and takes note when that is done."""
        if theirs is not None:
            try:
                check_version(theirs, peer.address)
                peer.answer = peer.actor.begin.remote(PeerSearch, self._plan, peer.place, peer.threads)
            except ClusterError as error:
                self._refuse(peer, str(error))
            return
        peer.joined = True
        joined = sum(each.joined for each in self._peers.values())
        self._say(f"{counted(joined, 'machine')} of the cluster search{'es' if joined == 1 else ''} too")

    def _refuse(self, peer: _Peer, reason: str) -> None:
        """Does without a node from now on."""
        self._give_up(peer, math.inf)
        self._say(f"{reason}; the search goes on without it")

    def _lose(self, peer: _Peer, error: Exception) -> None:
        self._give_up(peer, _RETRY_SECONDS)
        self._say(f"{peer.address} of the cluster is lost: {' '.join(str(error).split())[:200]}")

    def _give_up(self, peer: _Peer, seconds: float) -> None:
        """Does without a peer; its node gets another one after so many seconds."""
        del self._peers[peer.node]
        self._ray.kill(peer.actor)
        self._retry[peer.node] = time.monotonic() + seconds

    def _pass_on(self) -> None:
        """Tells each peer that has answered what is new since it was told last."""
        assert self._round is not None
        for peer in self._peers.values():
            if peer.answer is not None:
                continue
            news = {
                place: words
                for place, (version, words) in self._told.items()
                if place != peer.place and peer.sent.get(place) != version
            }
            peer.sent |= {place: self._told[place][0] for place in news}
            peer.answer = peer.actor.do.remote(Round(self._round.number, self._round.root, news))

    def _say(self, line: str) -> None:
        """Says something to the user, once."""
        if line not in self._said:
            self._said.add(line)
            self._pipe.send(Heard(line=line))


def main() -> None:
    """The process: connects with the cluster, and passes messages on until nobody listens."""
    die_with_parent()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))  # the cluster's library reserves more than a player may
    pipe = Connection(int(sys.argv[1]))
    try:
        with connect(pipe.recv(), resumable=False) as ray:
            SearchDriver(ray, pipe).run()
    except ClusterError as error:
        pipe.send(Heard(line=f"the search goes on without the cluster: {error}", last=True))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
