"""Computes the states, legal moves, end and goals of a match.

The network works that out, or the rule machine for games that cannot be grounded: slower, and the same answers.
Both block, so that a reactor calls them through `in_thread`.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ludens.agent.preparation.playable_game import playable_game
from ludens.agent.variants.text_game import SheetGame
from ludens.native.core import States
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MatchState:
    """One state of a match; texts in the spelling of the sheet, roles in its order."""

    facts: tuple[str, ...]  # sorted
    legal: tuple[tuple[str, ...], ...]  # [roles]
    terminal: bool
    goals: tuple[int | None, ...]  # [roles]; None where the rules give none, or more than one


class Referee:
    """The rules of one match in progress."""

    def __init__(self, game: SheetGame) -> None:
        """Takes the game, and stands at its first state."""
        self._game = game
        self._state = game.game.initial

    def first(self) -> MatchState:
        """Goes back to the first state and returns it."""
        return self._enter(self._game.game.initial)

    def after(self, moves: Sequence[str]) -> MatchState:
        """Returns the position after a joint move of legal moves, in role order. Raises `NativeError`."""
        return self._enter(self._game.after(self._state, moves))

    def sample(self, games: int, steps: int, seconds: float) -> list[tuple[str, ...]]:
        """Returns the facts of states along a few random games from the first one on, as far as there is time."""
        game, rng, end = self._game, random.Random(0), time.monotonic() + seconds
        found = []
        for _ in range(games):
            state = game.game.initial
            for _ in range(steps):
                found.append(game.facts(state))
                legal = game.legal(state)
                if game.terminal(state) or not all(map(len, legal)) or time.monotonic() > end:
                    break
                moves = [game.move(role, int(rng.choice(list(numbers))), state) for role, numbers in enumerate(legal)]
                state = game.after(state, moves)
        return found

    def _enter(self, state: States) -> MatchState:
        self._state = state
        game = self._game
        return MatchState(
            facts=game.facts(state),
            legal=tuple(game.texts(role, moves, state) for role, moves in enumerate(game.legal(state))),
            terminal=game.terminal(state),
            goals=game.goals(state),
        )


@dataclass(frozen=True, slots=True)
class RefereeChoice:
    """A referee with the network that it uses, or the reason why it uses the slow rule machine."""

    referee: Referee
    net: Propnet | None
    fallback_reason: str = ""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The facts that are known before the match; empty on the rule machine."""
        return self.net.propositions if self.net else ()


def choose_referee(sheet: RuleSheet, limits: Limits) -> RefereeChoice:
    """Returns a referee on the network, if there is one within the limits, else one on the rule machine."""
    playable = playable_game(sheet, limits, lambda _line: None)
    reason = playable.fallback_reason and f"the rules are interpreted, which is slower: {playable.fallback_reason}"
    return RefereeChoice(Referee(playable.game), playable.loaded.net if playable.loaded else None, reason)


def in_thread(reactor: Any, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
    """Calls `function` in a thread that does not keep the program from ending; fires with its result."""
    result: Deferred[T] = Deferred()

    def work() -> None:
        try:
            value = function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - whatever it is, it belongs to whoever waits for the result
            reactor.callFromThread(result.errback, Failure())
        else:
            reactor.callFromThread(result.callback, value)

    threading.Thread(target=work, daemon=True).start()
    return result
