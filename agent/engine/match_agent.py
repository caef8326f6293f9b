"""The base class of agents, which follow a match in an engine process, and the agent on the reference interpreter.

An agent stands at one position of a match: `go_to` moves it along the history and says what holds there. Those
that search report what is best so far as well. The interpreter is no player. It is there for what native code
cannot do: to know a legal move where that has crashed, hangs or gives up.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import takewhile
from typing import Generic, TypeVar

from ludens.agent.protocol.wire import Joint, Position, SearchReport
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import RuleSheet

S = TypeVar("S")


class StateHistory(Generic[S]):
    """The states along a match; keeps those that two histories share, so that one more move is one step."""

    def __init__(self, first: S, step: Callable[[S, Joint], S]) -> None:
        """Begins at `first`; `step` makes one joint move."""
        self._states = [first]
        self._history: tuple[Joint, ...] = ()
        self._step = step

    def follow(self, history: tuple[Joint, ...]) -> S:
        """Returns the state that `history` leads to."""
        pairs = zip(self._history, history, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        del self._states[common + 1 :]
        for moves in history[common:]:
            self._states.append(self._step(self._states[-1], moves))
        self._history = history
        return self._states[-1]


class MatchAgent(ABC):
    """One way to play the rules; used by one thread, but for its attributes and `interrupt`."""

    rank = 0
    """Of two agents that are there, the one of higher rank plays more games a second, and leads."""

    history: tuple[Joint, ...] | None = None
    """Where it stands; None before the first `go_to`."""

    weight = 0
    """The number of visits that its knowledge of the position is founded on."""

    @abstractmethod
    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """Stands at the end of `history` from now on, and says what holds there."""

    def known(self) -> SearchReport | None:
        """Returns what it knows of the position from earlier searches, if anything."""
        return None

    def interrupt(self) -> None:  # noqa: B027 - most have nothing to interrupt
        """Ends what takes long, early, from another thread."""


class SearchAgent(MatchAgent):
    """An agent that finds out more about its position."""

    can_search = False
    """Whether there is something to find out."""

    uses_start_clock = False
    """Whether to think before the first turn is worth keeping all waiting."""

    @abstractmethod
    def think(self, seconds: float) -> SearchReport:
        """Searches for about `seconds`, if `can_search`; reports the best move so far."""


class ReferenceAgent(MatchAgent):
    """Follows the match on the reference interpreter: slow, without search and without native code."""

    def __init__(self, sheet: RuleSheet, role: str) -> None:
        """Works out the first state."""
        self._rules = Interpreter(sheet)
        self._role = role
        self._path = StateHistory(self._rules.initial(), self._after)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `MatchAgent`."""
        state = self._path.follow(history)
        terminal = self._rules.terminal(state)
        legal = tuple(map(str, self._rules.legal(state, self._role)))
        self.history = history
        return Position(len(history), legal, terminal, self._rules.goals(state) if terminal else ())

    def _after(self, state: State, moves: Joint) -> State:
        return self._rules.next(state, list(map(parse_term, moves)))


def new_random(seed: int) -> random.Random:
    """Returns the random choices of a player with this seed; 0: new ones each time."""
    return random.Random(seed or None)
