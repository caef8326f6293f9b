"""Says what holds in a match: states, legal moves, the end, and goals.

The network works that out, or the rule machine for games that cannot be grounded: slower, and the same answers.
Both block, so that a reactor calls them through `in_thread`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ludens.agent.variants.text_game import NetworkGame, RulesGame, SheetGame
from ludens.native.core import States
from ludens.propnet.base.errors import GroundingError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Position:
    """What holds in one state; texts in the spelling of the sheet, roles in its order."""

    facts: tuple[str, ...]  # sorted
    legal: tuple[tuple[str, ...], ...]  # [roles]
    terminal: bool
    goals: tuple[int | None, ...]  # [roles]; None where the rules give none, or more than one


class Referee:
    """The rules of one match in progress."""

    def __init__(self, game: SheetGame) -> None:
        """Before the first state."""
        self._game = game
        self._state = game.game.initial

    def first(self) -> Position:
        """Back to the beginning."""
        return self._enter(self._game.game.initial)

    def after(self, moves: Sequence[str]) -> Position:
        """On from the last position by a joint move of legal moves, in role order. Raises `NativeError`."""
        return self._enter(self._game.after(self._state, moves))

    def _enter(self, state: States) -> Position:
        self._state = state
        game = self._game
        return Position(
            facts=game.facts(state),
            legal=tuple(game.texts(role, moves, state) for role, moves in enumerate(game.legal(state))),
            terminal=game.terminal(state),
            goals=game.goals(state),
        )


@dataclass(frozen=True, slots=True)
class RefereeChoice:
    """A referee, the network that it goes by, or why it is the slow one."""

    referee: Referee
    net: Propnet | None
    fallback_reason: str = ""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The facts that it knows of beforehand."""
        return self.net.propositions if self.net else ()


def choose_referee(sheet: RuleSheet, seconds: float) -> RefereeChoice:
    """The network's referee if the rules become a network within `seconds`, else the rule machine's."""
    try:
        net = load(sheet, Limits(seconds=seconds))
    except GroundingError as error:
        fallback_reason = f"the rule machine works out the states, slowly: {error}"
        return RefereeChoice(Referee(RulesGame(sheet)), None, fallback_reason)
    return RefereeChoice(Referee(NetworkGame(net)), net)


def in_thread(reactor: Any, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
    """The result of `function`, worked out in a thread that does not keep the program from ending."""
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
