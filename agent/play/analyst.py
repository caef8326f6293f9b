"""Analyses positions of a match for whoever looks at it, with an engine that plays no role.

It thinks about one position at a time: the one that somebody looks at, or each of a line in turn (a review). What it
finds is kept with the position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.defer import Deferred

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
        self._thinker = Thinker(reactor, _OPTIONS, rules, role, self._reported, warn, warn)
        self._errand = 0
        self._began: float | None = None  # when the first report of the position came
        self._waiting: Deferred[None] | None = None  # for enough to be known of the position
        self._seconds = 0.0  # from the first report on, that is enough
        self._timer: Any = None
        self.node: Node | None = None  # what it thinks about

    def look_at(self, node: Node) -> None:
        """Thinks about a position from now on."""
        self._errand += 1
        self._go(node)

    async def consider(self, node: Node, seconds: float) -> dict[str, Any] | None:
        """Returns what is thought of a position after some seconds; None if something else has come between."""
        self._errand += 1
        errand = self._errand
        await self._consider(node, seconds)
        return node.analysis if errand == self._errand else None

    async def review(self, nodes: Sequence[Node], tell: Callable[[int], None]) -> None:
        """Thinks about positions in turn; `tell` gets how many are done."""
        self._errand += 1
        errand = self._errand
        for done, node in enumerate(nodes):
            if not node.position.terminal:
                await self._consider(node, REVIEW_SECONDS)
            if errand != self._errand:
                return
            tell(done + 1)
        self.rest()

    def rest(self) -> None:
        """Thinks about nothing until it is told to."""
        self._errand += 1
        self.node = None
        self._release()
        self._thinker.rest()

    def close(self) -> Deferred[Any]:
        """Ends it for good."""
        self.rest()
        return self._thinker.close()

    def _go(self, node: Node) -> None:
        self._release()
        self._began = None
        self.node = node
        if not node.position.terminal:
            self._thinker.go_to(self._tree.history(node))

    async def _consider(self, node: Node, seconds: float) -> None:
        self._go(node)
        waiting = self._waiting = Deferred()
        self._seconds = seconds
        self._timer = self._reactor.callLater(_PATIENCE, self._release)
        await waiting

    def _reported(self, report: SearchReport) -> None:
        node = self.node
        if node is None or not report.candidates:
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
