"""A search with peers in a cluster: what they find counts, and whatever becomes of them, it goes on."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ludens import games
from ludens.agent.cluster.peer_search import PeerPlan, PeerSearch, Round
from ludens.agent.cluster.search_driver import SearchDriver
from ludens.agent.cluster.search_link import Heard, SearchLink
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.assembly import new_search
from ludens.agent.search.cluster_search import ClusterSearch
from ludens.agent.search.contract import GameSearch
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import MOST_PEERS, Game, Search, Simulator, Words
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.command import running, wait_for
from tests.support.evaluations import opinionated
from tests.support.ray_cluster import RayCluster
from tests.support.searching import network
from tests.support.served import UNHURRIED, Rules, Served, ggp_base, in_one_line
from tests.support.waiting import until

ARGUMENTS = {"strategy": "uct", "memory_bytes": 1 << 25, "lanes": 64}


def cluster_search(address: str, tell: Callable[[str], None], **arguments: object) -> ClusterSearch:
    game = Game.from_propnet(network("connect_four"))
    chosen = ARGUMENTS | arguments
    link = SearchLink(address, tell)
    search = Search(game, seed=1, peers=MOST_PEERS, **chosen)  # type: ignore[arg-type]
    return ClusterSearch(search, link, PeerPlan(game, chosen, 1, 1))


def run_until(search: GameSearch, condition: Callable[[], bool]) -> None:
    def once() -> bool:
        search.run(seconds=0.05)
        return condition()

    until(once)


def visits_of_peers(search: GameSearch) -> int:
    return search.stats().root_visits - search.stats().iterations


# ---- Peers ----


def test_a_peer_searches_as_long_as_it_is_asked() -> None:
    game = Game.from_propnet(network("connect_four"))
    peer = PeerSearch(PeerPlan(game, ARGUMENTS, 1, 1), 1, 1)
    until(lambda: peer.do(Round(1, game.initial)).iterations > 0)

    def is_idle() -> bool:
        before = peer._search.stats().iterations
        time.sleep(0.3)
        return peer._search.stats().iterations == before

    until(is_idle)
    before = peer._search.stats().iterations
    until(lambda: peer.do(Round(1, game.initial)).iterations > before)


def test_a_peer_goes_where_the_search_goes() -> None:
    game = Game.from_propnet(network("connect_four"))
    peer = PeerSearch(PeerPlan(game, ARGUMENTS, 1, 1), 1, 1)
    until(lambda: peer.do(Round(1, game.initial)).number == 1)
    state = Simulator(game, 64).next(game.initial, np.array([3, network("connect_four").moves[1].index("noop")]))[0]
    until(lambda: peer.do(Round(2, state)).number == 2)
    before = peer.do(Round(2, state)).iterations
    until(lambda: peer.do(Round(2, state)).iterations > before)
    known = peer._search.root_moves(1)
    assert len(known.moves) > 1  # it is the other's turn there


def test_a_peer_whose_search_fails_says_so() -> None:
    game = Game.from_propnet(network("connect_four"))
    peer = PeerSearch(PeerPlan(game, ARGUMENTS, 1, 1), 1, 1)

    def fails() -> bool:
        try:
            peer.do(Round(1, game.initial[:0]))
        except NativeError:
            return True
        return False

    until(fails)


def test_a_mistake_in_the_search_of_a_peer_is_told_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_search: Search, **_: object) -> None:
        raise KeyError(3)

    monkeypatch.setattr(Search, "run", run)
    game = Game.from_propnet(network("connect_four"))
    peer = PeerSearch(PeerPlan(game, ARGUMENTS, 1, 1), 1, 1)

    def failure() -> str:
        try:
            peer.do(Round(1, game.initial))
        except NativeError as error:
            return str(error)
        return ""

    until(lambda: failure() == "KeyError: 3")


def test_a_node_without_ludens_is_left_out_for_good() -> None:
    error = RuntimeError("ModuleNotFoundError: No module named 'ludens'")
    for raised, said, again in (
        (error, "has no Ludens: install", False),
        (RuntimeError("gone"), "is lost: gone", True),
    ):
        ray, pipe = FakeRay(raised), FakePipe()
        driver = SearchDriver(ray, pipe)  # type: ignore[arg-type]
        driver._look_for_nodes()
        driver._collect()
        assert [each for each in pipe.lines if said in each] == pipe.lines and len(pipe.lines) == 1
        assert not driver._peers and (driver._retry["node"] < math.inf) == again


class FakeRay:
    """A cluster with one node, whose actors fail at once."""

    def __init__(self, error: RuntimeError) -> None:
        self._error = error
        self.exceptions = SimpleNamespace(RayError=RuntimeError)
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda *_, **__: None)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def get_runtime_context(self) -> SimpleNamespace:
        return SimpleNamespace(get_node_id=lambda: "own")

    def nodes(self) -> list[dict[str, object]]:
        return [{"NodeID": "node", "Resources": {"CPU": 1}, "NodeManagerAddress": "10.0.0.7", "Alive": True}]

    def remote(self, _actor: object) -> SimpleNamespace:
        versions = SimpleNamespace(remote=lambda: "answer")
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=lambda: SimpleNamespace(versions=versions)))

    def wait(self, answers: list[str], **_: object) -> tuple[list[str], list[str]]:
        return answers, []

    def get(self, _answer: str) -> None:
        raise self._error

    def kill(self, _actor: object) -> None:
        """Ends nothing."""


class FakePipe:
    """Takes note of what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def send(self, heard: Heard) -> None:
        self.lines.append(heard.line)


# ---- In a cluster ----


def test_what_peers_find_out_counts(cluster: RayCluster) -> None:
    lines: list[str] = []
    search = cluster_search(cluster.address, lines.append)
    run_until(search, lambda: visits_of_peers(search) > 0)
    run_until(search, lambda: "2 machines of the cluster search too" in lines)
    state = Simulator(search.game, 64).next(search.game.initial, search.expected_line(1)[0])[0]
    search.set_root(state)
    before = visits_of_peers(search)
    run_until(search, lambda: visits_of_peers(search) > before + 1000)


class FalseLink:
    """A link over which something comes that is no statistics."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def begin(self, plan: PeerPlan) -> None:
        """Takes no note."""

    def update(self, told: Round) -> None:
        """Takes no note."""

    def heard(self) -> dict[int, Words]:
        return {1: np.ones(5, np.uint64)}

    def close(self, reason: str = "") -> None:
        self.reasons.append(reason)


def test_what_is_no_statistics_ends_the_connection_and_not_the_search() -> None:
    game, link = Game.from_propnet(network("connect_four")), FalseLink()
    plan = PeerPlan(game, ARGUMENTS, 1, 1)
    search = ClusterSearch(Search(game, peers=MOST_PEERS, **ARGUMENTS), cast(SearchLink, link), plan)  # type: ignore[arg-type]
    search.run(playouts=5000)
    assert link.reasons == ["these words are no statistics of a search of this game"]
    assert search.stats().playouts >= 5000


def test_guided_search_has_peers_with_its_evaluation(cluster: RayCluster) -> None:
    game = Game.from_propnet(network("connect_four"))
    search = cluster_search(cluster.address, print, strategy="guided", evaluation=opinionated(game))
    run_until(search, lambda: visits_of_peers(search) > 0)


def test_a_machine_that_is_lost_is_given_up_and_one_that_joins_helps(cluster: RayCluster) -> None:
    lines: list[str] = []
    search = cluster_search(cluster.address, lines.append)
    run_until(search, lambda: "2 machines of the cluster search too" in lines)
    lines.clear()
    cluster.kill(cluster.nodes[0])
    run_until(search, lambda: any("of the cluster is lost" in line for line in lines))
    before = search.stats()
    search.run(playouts=2000)
    assert search.stats().playouts > before.playouts
    cluster.add()
    before = search.stats()
    run_until(search, lambda: visits_of_peers(search) > before.root_visits)


def test_a_machine_that_hangs_delays_nothing_and_helps_again_when_it_goes_on(cluster: RayCluster) -> None:
    lines: list[str] = []
    search = cluster_search(cluster.address, lines.append)
    run_until(search, lambda: "2 machines of the cluster search too" in lines)
    for node in cluster.nodes:
        cluster.freeze(node)
    try:
        looks = list[tuple[int, int]]()

        def is_alone() -> bool:
            """Says whether what was under way has arrived: nothing came for ten runs, and it has searched on."""
            looks.append((visits_of_peers(search), search.stats().iterations))
            heard, made = zip(*looks[-10:], strict=True)
            return len(looks) > 10 and len(set(heard)) == 1 and made[-1] > made[0] + 5000

        run_until(search, is_alone)
        heard = visits_of_peers(search)
    finally:
        for node in cluster.nodes:
            cluster.thaw(node)
    run_until(search, lambda: visits_of_peers(search) > heard)


# ---- The player ----


def settings(**chosen: object) -> PlayerOptions:
    base = {"nodes_mb": 16, "learn": 0.0, "seed": 1, "recall": "off", "kernel": "off", "strategy": "uct"}
    return PlayerOptions(**(base | chosen))  # type: ignore[arg-type]


def test_a_machine_with_another_version_is_named_once_and_left_out(cluster: RayCluster, other_version: str) -> None:
    lines: list[str] = []
    search = cluster_search(cluster.address, lines.append)
    run_until(search, lambda: "2 machines of the cluster search too" in lines)
    run_until(search, lambda: any("Ludens 0.0.7" in line and "goes on without it" in line for line in lines))
    named = [line for line in lines if line.startswith(other_version)]
    assert len(named) == 1, named


def test_the_player_searches_together_with_the_cluster(cluster: RayCluster) -> None:
    lines: list[str] = []
    net = load(parse_rules(games.read("breakthrough_small")))
    config = prepare(net, settings(cluster=cluster.address), TimeBudget(0.0, 1.0, tell=lines.append))
    search = new_search(config, seed=1)
    assert search is not None
    run_until(search, lambda: search.stats().solved or visits_of_peers(search) > 0)
    assert not any("without the cluster" in line for line in lines)


def test_a_served_player_searches_together_with_the_cluster_in_a_match(cluster: RayCluster, tmp_path: Path) -> None:
    """In one without end, until it does; and then in one of short turns, whose moves are legal."""
    sheet, log = in_one_line(games.read("breakthrough_small")), tmp_path / "log.txt"
    player = Served("--cluster", cluster.address, "--log", str(log), code=("-c", UNHURRIED))
    try:
        assert player.ggp_base(f"( START long white ({sheet}) 0 86400 )") == "ready"
        with player.connect(ggp_base("( PLAY long NIL )")):
            until(lambda: "2 machines of the cluster search too" in log.read_text("utf-8"))
        assert player.ggp_base("( ABORT long )") == "aborted"
        match, joint = Rules(sheet, "white"), "NIL"
        assert player.ggp_base(f"( START short white ({sheet}) 0 0.1 )") == "ready"
        for _ in range(3):
            move = player.ggp_base(f"( PLAY short {joint} )")
            assert move in match.legal()
            joint = f"({' '.join(match.play(move))})"
        assert player.ggp_base("( ABORT short )") == "aborted"
    finally:
        player.stop()


@pytest.mark.parametrize(
    ("strategy", "name", "reason"),
    [
        ("alphabeta", "tic_tac_toe", "alphabeta shares nothing with other machines"),
        ("random", "tic_tac_toe", "random shares nothing with other machines"),
        ("proof", "tic_tac_toe", "proof shares nothing with other machines"),
        ("uct", "goofspiel", "where roles choose at the same time nothing is shared with other machines"),
    ],
)
def test_a_search_that_cannot_have_peers_says_why(strategy: str, name: str, reason: str, alone: None) -> None:
    lines: list[str] = []
    net = load(parse_rules(games.read(name)))
    config = prepare(net, settings(cluster="127.0.0.1:1", strategy=strategy), TimeBudget(0.0, 1.0, tell=lines.append))
    assert config.cluster is None
    said = [line for line in lines if line.startswith("the search goes on without the cluster: ")]
    assert said[-1:] == [f"the search goes on without the cluster: {reason}"]


@pytest.mark.parametrize("text", ["nonsense", "10.0.0.1", "10.0.0.1:port", "a b:1", "auto:1:2"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="cluster must be auto, local, or an address such as"):
        PlayerOptions(cluster=text)


@pytest.mark.parametrize("limit", ["level", "iterations"])
def test_a_repeatable_search_has_no_peers(limit: str) -> None:
    with pytest.raises(OptionError, match=f"{limit} does not go with cluster"):
        PlayerOptions(**{"cluster": "auto", limit: 3})  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_match_goes_on_whatever_becomes_of_the_cluster(alone: None, tmp_path: Path) -> None:
    """A machine is frozen in mid-match, another one killed, and then the head: no move is late or illegal."""
    cluster = RayCluster(2)
    record = tmp_path / "match.json"
    player = f"uct:cluster={cluster.address},lanes=64,recall=off,learn=0"
    clocks = ("--startclock", "15", "--playclock", "5")
    try:
        with running("match", "connect_four", player, "random", *clocks, "--record", str(record)) as match:
            wait_for(match, "^Turn 3:")
            cluster.freeze(cluster.nodes[0])
            wait_for(match, "^Turn 5:")
            cluster.kill(cluster.nodes[1])
            wait_for(match, "^Turn 7:")
            cluster.kill_head()
            wait_for(match, "completed without player errors")
            assert match.wait() == 0
    finally:
        cluster.stop()
    played = json.loads(record.read_text())
    assert played["isCompleted"]
    assert not any(error for turn in played["errors"] for error in turn)
