"""Says what holds in a match: states, legal moves, the end, and goals.

`NetworkReferee` asks the native simulator. `InterpretingReferee` asks the interpreter, for games that cannot
be grounded: slower, and the same answers. Both block, so that a reactor calls them through `in_thread`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from native.core import Game, Simulator, States, unpack_bits
from propnet.errors import GroundingError
from propnet.interpreter import Interpreter, State
from propnet.loader import Limits, load
from propnet.network import Propnet
from propnet.parser import parse_term
from propnet.syntax import RuleSheet

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Position:
    """What holds in one state; texts in the spelling of the sheet, roles in its order."""

    facts: tuple[str, ...]  # sorted
    legal: tuple[tuple[str, ...], ...]  # [roles]
    terminal: bool
    goals: tuple[int | None, ...]  # [roles]; None where the rules give none, or more than one


class Referee(Protocol):
    """The rules of one match in progress."""

    def first(self) -> Position:
        """Back to the beginning."""

    def after(self, moves: Sequence[str]) -> Position:
        """On from the last position by a joint move of legal moves, in role order."""


class InterpretingReferee:
    """Plays by the rules themselves."""

    def __init__(self, sheet: RuleSheet) -> None:
        """Takes checked rules."""
        self._rules = Interpreter(sheet)
        self._state: State = frozenset()

    def first(self) -> Position:
        """Back to the beginning."""
        return self._enter(self._rules.initial())

    def after(self, moves: Sequence[str]) -> Position:
        """On from the last position by a joint move of legal moves, in role order."""
        return self._enter(self._rules.next(self._state, [parse_term(move) for move in moves]))

    def _enter(self, state: State) -> Position:
        self._state = state
        return Position(
            facts=tuple(sorted(map(str, state))),
            legal=tuple(tuple(map(str, self._rules.legal(state, role))) for role in self._rules.roles),
            terminal=self._rules.terminal(state),
            goals=self._rules.goals(state),
        )


class NetworkReferee:
    """Plays by the network of a game."""

    def __init__(self, net: Propnet) -> None:
        """Raises `NativeError` for a network that is not well formed."""
        self._net = net
        self._game = Game.from_propnet(net)
        self._simulator = Simulator(self._game, lanes=64)
        self._state = self._game.initial

    def first(self) -> Position:
        """Back to the beginning."""
        return self._enter(self._game.initial)

    def after(self, moves: Sequence[str]) -> Position:
        """On from the last position by a joint move of legal moves, in role order."""
        joint = [texts.index(move) for texts, move in zip(self._net.moves, moves, strict=True)]
        return self._enter(self._simulator.next(self._state, np.array([joint], np.int32))[0])

    def _enter(self, state: States) -> Position:
        self._state = state
        facts = np.flatnonzero(unpack_bits(state, self._net.state_bits))
        legal = self._simulator.legal(state)
        return Position(
            facts=tuple(sorted(self._net.propositions[i] for i in facts)),
            legal=tuple(
                tuple(texts[i] for i in np.flatnonzero(bits[0]))
                for texts, bits in zip(self._net.moves, legal, strict=True)
            ),
            terminal=bool(self._simulator.terminal(state)[0]),
            goals=tuple(None if goal < 0 else int(goal) for goal in self._simulator.goals(state)[0]),
        )


@dataclass(frozen=True, slots=True)
class Appointment:
    """A referee, the facts that it knows of, and why it is the slow one, if it is."""

    referee: Referee
    vocabulary: tuple[str, ...]
    excuse: str = ""


def appoint(sheet: RuleSheet, seconds: float) -> Appointment:
    """The network's referee if the rules become a network within `seconds`, else the interpreter's."""
    try:
        net = load(sheet, Limits(seconds=seconds))
    except GroundingError as error:
        return Appointment(
            InterpretingReferee(sheet), (), f"the interpreter works out the states, slowly: {error}"
        )
    return Appointment(NetworkReferee(net), net.propositions)


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
