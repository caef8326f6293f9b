"""Matches that managers or commands play, and pages watch: what is known of them grows as they go.

Nothing is worked out while nobody looks, so that watching is no burden to who plays. Who looks gets a match with a
referee of its own, which follows behind.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, succeed

from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.shown_match import ShownMatch
from ludens.agent.play.tree import MatchTree
from ludens.agent.protocol.state_history import shared_steps
from ludens.agent.protocol.wire import History
from ludens.agent.reactor.in_thread import in_thread
from ludens.propnet.base.errors import LudensError

_MOST_KEPT = 20  # matches that are over

Key = tuple[int, int]  # step, role


@dataclass(slots=True)
class LiveMatch:
    """What is known of a match that is played elsewhere."""

    title: str  # as its manager calls it
    game: str
    rules: str
    players: tuple[str, ...]  # by role; empty where that is not known
    clocks: tuple[float, float]
    history: History = ()
    thoughts: dict[Key, dict[str, Any]] = field(default_factory=dict)
    over: bool = False
    ending: str = ""  # why it is over, in words
    shown: WatchedMatch | None = None
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    """For addresses; managers may call several matches the same."""

    def moved(self, history: History) -> None:
        """Takes the joint moves made so far."""
        if history != self.history:
            self.history = history
            if self.shown is not None:
                self.shown.follow()

    def thinks(self, step: int, thoughts: dict[str, Any]) -> None:
        """Takes what a role's player thinks of the position after so many steps."""
        self.thoughts[step, thoughts["role"]] = thoughts
        if self.shown is not None:
            self.shown.tell_thoughts(step)

    def end(self, ending: str) -> None:
        """Takes why no more moves will be made."""
        self.over, self.ending = True, ending
        if self.shown is not None:
            self.shown.changed()


class LiveMatches:
    """The matches that can be watched; those that are over for a while."""

    def __init__(self) -> None:
        """Begins without any."""
        self._matches: dict[str, LiveMatch] = {}

    def add(self, match: LiveMatch) -> None:
        """Adds a match that begins."""
        self._matches[match.name] = match
        over = [name for name, other in self._matches.items() if other.over and other.shown is None]
        for name in over[:-_MOST_KEPT]:
            del self._matches[name]

    def get(self, name: str) -> LiveMatch | None:
        """Returns a match by its name for addresses."""
        return self._matches.get(name)

    def all(self) -> list[LiveMatch]:
        """Returns all matches, those begun last first."""
        return list(self._matches.values())[::-1]


class WatchedMatch(ShownMatch):
    """A live match as pages see it."""

    def __init__(self, reactor: Any, live: LiveMatch, game: PlayedGame, tree: MatchTree) -> None:
        """Follows a match from its first position on."""
        super().__init__(reactor, live.name, game, tree)
        self._live = live
        self._following = False
        live.shown = self
        self.follow()

    @property
    def players(self) -> list[str]:
        """See `ShownMatch`."""
        known = self._live.players
        return [known[role] if role < len(known) else "" for role in range(len(self.game.roles))]

    @property
    def clocks(self) -> tuple[float, float]:
        """See `ShownMatch`."""
        return self._live.clocks

    def state(self) -> dict[str, Any]:
        """See `ShownMatch`."""
        is_there = self._live.history == self.tree.history(self.at)
        return super().state() | {"ended": self._live.ending if is_there else ""}

    def follow(self) -> None:
        """Goes to where the match is, one position after the other."""
        if not self._following:
            self._following = True
            Deferred.fromCoroutine(self._follow()).addErrback(lambda failure: self.note(str(failure.value)))

    def tell_thoughts(self, step: int) -> None:
        """Tells what the players think of a position of the match, once it is there."""
        node = self.at
        while node.step > step and node.parent is not None:
            node = self.tree[node.parent]
        for role in range(len(self.game.roles)):
            thoughts = self._live.thoughts.get((step, role))
            if thoughts and node.step == step and node.thoughts.get(role) != thoughts:
                self.publish_thoughts(node, thoughts)

    def close(self) -> Deferred[Any]:
        """See `ShownMatch`."""
        self._live.shown = None
        return succeed(None)

    async def _follow(self) -> None:
        try:
            while (history := self._live.history) != self.tree.history(self.at):
                await self._go_on(history)
        finally:
            self._following = False

    async def _go_on(self, history: History) -> None:
        """Goes one position on towards the end of a history, or back to where it has left it."""
        line = self.tree.line(self.at)
        shared = shared_steps(self.tree.history(self.at), history)
        parent = line[shared]
        moves = history[shared] if shared < len(history) else ()
        node = self.tree.child(parent, moves) if moves else parent
        if node is None:
            if len(moves) != len(self.game.roles):
                raise LudensError(f"{' '.join(moves)} is no joint move of this game")
            position, view = await in_thread(self.reactor, self.game.position, (*history[:shared], moves))
            node = self.tree.add(parent, moves, position, view)
            self.publish_node(node)
        self.at = node
        self.changed()
        self.tell_thoughts(node.step)
