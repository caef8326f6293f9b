"""What is analysed of a match for those who look at it: a position, a hint, or a line of positions in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred

from ludens.agent.play.analyst import HINT_SECONDS, Analyst
from ludens.agent.play.shown_match import ShownMatch
from ludens.agent.play.tree import MoveError, Node


class Analyses:
    """Tells all who look at a match what its analyst finds; on the reactor's thread."""

    def __init__(self, match: ShownMatch, keep: Callable[[], None]) -> None:
        """Analyses nothing yet; `keep` is called when a whole line has been."""
        self._match = match
        self._keep = keep
        game = match.game
        self._analyst = Analyst(match.reactor, match.tree, game.text, game.roles[0], self._analysed, self._warn)
        self._reviewed: tuple[int, int] | None = None  # how many positions of how many, while a review is on
        self._hinted: set[tuple[int, int]] = set()  # roles and positions for which a hint is on its way

    def look_at(self, number: int | None) -> None:
        """Thinks about a position for those who look on; None: about nothing any more."""
        self._analyst.look_at(None if number is None else self._match.tree[number])
        self._match.changed()

    def hint(self, role: int, number: int) -> None:
        """Tells which move a role might make at a position, once it has been thought about."""
        node = self._match.tree[number]
        if not 0 <= role < len(self._match.game.roles) or role not in node.choosers or node.position.terminal:
            raise MoveError("there is nothing to choose here")
        if (role, node.number) not in self._hinted:
            self._match.run(self._tell_hint(role, node))

    def review(self, number: int) -> None:
        """Thinks about every position that leads to this one, in turn."""
        if self._reviewed is not None:
            raise MoveError("the match is being gone through already")
        self._match.run(self._review(self._match.tree.line(self._match.tree[number])))

    def rest(self) -> None:
        """Gives up all that was asked for."""
        self._analyst.rest()

    def close(self) -> Deferred[Any]:
        """Ends the engine; fires when it is gone."""
        return self._analyst.close()

    def state(self) -> dict[str, Any]:
        """Returns what is being analysed, as pages are told it."""
        wanted = self._analyst.wanted
        return {
            "analysing": wanted.number if wanted else None,
            "reviewed": self._reviewed,
            "failures": self._analyst.failures,
        }

    async def _tell_hint(self, role: int, node: Node) -> None:
        self._hinted.add((role, node.number))
        analysis = await self._analyst.consider(node, HINT_SECONDS)
        self._hinted.discard((role, node.number))
        move = hinted_move(analysis, role, node) if analysis else ""
        if not move and self._match.present:
            self._match.note(f"{self._match.game.roles[role]}: no hint was found in time")
        self._match.feed.publish({"type": "hint", "node": node.number, "role": role, "move": move})

    async def _review(self, line: Sequence[Node]) -> None:
        def tell(done: int) -> None:
            self._reviewed = done, len(line)
            self._match.changed()

        tell(0)
        try:
            await self._analyst.review(line, tell)
        finally:
            self._reviewed = None
            self._match.changed()
        self._keep()

    def _warn(self, text: str) -> None:
        """Tells what went wrong and, though that may be known, what is analysed since."""
        self._match.note(text)
        self._match.changed()

    def _analysed(self, node: Node) -> None:
        self._match.feed.publish({"type": "analysis", "node": node.number, "analysis": node.analysis})


def hinted_move(analysis: Mapping[str, Any], role: int, node: Node) -> str:
    """Returns the move of a role that an analysis expects, or else the one it has looked at most; empty for none."""
    expected = str(analysis["line"][0][role]) if analysis["line"] else ""
    visited = [str(candidate["move"]) for candidate in analysis["candidates"] if candidate["role"] == role]
    return expected if expected in node.position.legal[role] else next(iter(visited), "")
