"""Analyses positions of a match for whoever looks at it, with an engine that plays no role.

It thinks about one position at a time: the one that somebody looks at or, before that, those for which somebody waits,
be it one of which a hint is wanted or each of a line in turn (a review). What it finds is kept with the position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from twisted.internet.defer import Deferred, DeferredLock

from ludens.agent.play.thinker import Thinker
from ludens.agent.play.tree import MatchTree, Node
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.settings.options import PlayerOptions

HINT_SECONDS = 1.5
REVIEW_SECONDS = 1.0
_PATIENCE = 20.0  # seconds; longer than an engine needs to start and to read large rules

_OPTIONS = PlayerOptions(interface="127.0.0.1", port=0)


class Analyst:
    """All on the reactor's thread; `on_change` gets each position about which something was found out."""

    def __init__(
        self,
        reactor: Any,
        tree: MatchTree,
        rules: str,
        role: str,
        on_change: Callable[[Node], None],
        warn: Callable[[str], None],
    ) -> None:
        """Starts nothing yet; any `role` will do, since searches know what all of them may expect."""
        self._reactor = reactor
        self._tree = tree
        self._on_change = on_change
        self._warn = warn
        self._thinker = Thinker(reactor, _OPTIONS, rules, role, self._reported, warn, self._failed)
        self._errand = 0  # numbers the times when all that was asked for was given up
        self._jobs = 0  # for whose results somebody waits
        self._turns = DeferredLock()  # of positions for which somebody waits
        self._began: float | None = None  # when the first report of the position came
        self._waiting: Deferred[None] | None = None  # for enough to be known of the position
        self._seconds = 0.0  # from the first report on, that is enough
        self._timer: Any = None
        self._node: Node | None = None  # what it thinks about
        self.wanted: Node | None = None  # what somebody looks at
        self.failures = 0  # times that it could not go on

    def look_at(self, node: Node | None) -> None:
        """Thinks about a position whenever nobody waits for another; None: about nothing then."""
        self.wanted = node
        if not self._jobs:
            self._go(node)

    async def consider(self, node: Node, seconds: float) -> dict[str, Any] | None:
        """Returns what is thought of a position after some seconds, once it is its turn; None if that is given up."""
        errand = self._errand
        with self._job():
            await self._turns.acquire()
            try:
                if errand == self._errand:
                    await self._consider(node, seconds)
            finally:
                self._turns.release()
        return node.analysis if errand == self._errand else None

    async def review(self, nodes: Sequence[Node], tell: Callable[[int], None]) -> None:
        """Thinks about positions in turn, and then no more about what was looked at; `tell` gets how many are done."""
        errand = self._errand
        self.wanted = None
        with self._job():
            for done, node in enumerate(nodes):
                if not node.position.terminal:
                    await self.consider(node, REVIEW_SECONDS)
                if errand != self._errand:
                    return
                tell(done + 1)

    def rest(self) -> None:
        """Gives up all that was asked for, and thinks about nothing until it is told to."""
        self.wanted = None
        self._give_up()
        self._go(None)

    def close(self) -> Deferred[Any]:
        """Ends it for good."""
        self.rest()
        return self._thinker.close()

    @contextmanager
    def _job(self) -> Iterator[None]:
        self._jobs += 1
        try:
            yield
        finally:
            self._jobs -= 1
            if not self._jobs:
                self._go(self.wanted)

    def _give_up(self) -> None:
        self._errand += 1
        self._release()

    def _failed(self, reason: str) -> None:
        self.failures += 1
        self.wanted = None
        self._give_up()
        self._warn(f"nothing can be analysed: {reason}")

    def _go(self, node: Node | None) -> None:
        self._release()
        self._began = None
        self._node = None if node is None or node.position.terminal else node
        if self._node is not None:
            self._thinker.go_to(self._tree.history(self._node))
        elif node is None:
            self._thinker.rest()
        else:
            self._thinker.let_go()

    async def _consider(self, node: Node, seconds: float) -> None:
        self._go(node)
        waiting = self._waiting = Deferred()
        self._seconds = seconds
        self._timer = self._reactor.callLater(_PATIENCE, self._release)
        await waiting

    def _reported(self, report: SearchReport) -> None:
        node = self._node
        if node is None or not report.values:  # nothing is known yet, or a move was made without a search
            return
        now = self._reactor.seconds()
        if self._began is None:
            self._began = now
            if self._timer is not None and self._timer.active():
                self._timer.reset(self._seconds)
        analysis: dict[str, Any] = {**thought(report, 0)}
        if now > self._began:
            analysis["rate"] = round(report.playouts / (now - self._began))
        if node.analysis is None or report.proven or report.playouts >= node.analysis["playouts"]:
            node.analysis = analysis
            self._on_change(node)
        settled = report.final and (report.proven or 0 in node.choosers)  # what is forced for our role may be open
        if settled:
            self._release()

    def _release(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)
