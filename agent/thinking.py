"""What thinks inside an engine process: the mind as such, and the one on the reference interpreter.

A mind stands at one position of a match. `go_to` moves it along the history and says what holds there,
`think` searches for a moment and says what is best so far. On the interpreter, which is slow but there at once
and needs no native code, that is flat Monte Carlo: random games from each move in turn.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from agent.options import PlayerOptions
from agent.wire import Joint, Position, Thought
from propnet.interpreter import Interpreter, State
from propnet.parser import parse_term
from propnet.syntax import RuleSheet, Term

S = TypeVar("S")

SEARCHES = ("uct", "flat")
"""The strategies that search; the others choose a move at once."""


class Path(Generic[S]):
    """The states along a match; keeps those that two histories share, so that one more move is one step."""

    def __init__(self, first: S, step: Callable[[S, Joint], S]) -> None:
        """Begins at `first`; `step` makes one joint move."""
        self._states = [first]
        self._history: tuple[Joint, ...] = ()
        self._step = step

    def follow(self, history: tuple[Joint, ...]) -> S:
        """The state that `history` leads to."""
        common = 0
        for known, told in zip(self._history, history, strict=False):
            if known != told:
                break
            common += 1
        del self._states[common + 1 :]
        for moves in history[common:]:
            self._states.append(self._step(self._states[-1], moves))
        self._history = history
        return self._states[-1]


class Mind(ABC):
    """One way to play the rules; used by one thread, but for `interrupt`."""

    position = Position(0, (), False)
    """Where it stands; without moves before the first `go_to`."""

    @abstractmethod
    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """Stands at the end of `history` from now on, and says what holds there."""

    @abstractmethod
    def think(self, seconds: float) -> Thought:
        """Searches the position, which must have a legal move, for about `seconds`; the best move so far."""

    @abstractmethod
    def interrupt(self) -> None:
        """Ends `think` early, from another thread."""


class InterpreterMind(Mind):
    """Plays on the reference interpreter."""

    def __init__(self, sheet: RuleSheet, role: str, options: PlayerOptions) -> None:
        """Works out the first state."""
        self._rules = Interpreter(sheet)
        self._seat = self._rules.roles.index(role)
        self._max_steps = options.max_steps
        self._random = new_random(options)
        self._interrupted = False
        self._path = Path(self._rules.initial(), self._after)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`."""
        self._interrupted = False
        self._state = self._path.follow(history)
        terminal = self._rules.terminal(self._state)
        goals = self._rules.goals(self._state) if terminal else ()
        legal = tuple(map(str, self._rules.legal(self._state, self._rules.roles[self._seat])))
        self.position = Position(len(history), legal, terminal, goals)
        self._sums = dict.fromkeys(legal, 0.0)
        self._counts = dict.fromkeys(legal, 0)
        return self.position

    def think(self, seconds: float) -> Thought:
        """See `Mind`; a random game that has begun is played to its end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._interrupted:
            move = min(self._counts, key=self._counts.__getitem__)
            goal = self._playout(parse_term(move))
            if goal is not None:
                self._sums[move] += goal
                self._counts[move] += 1
        return self._thought()

    def interrupt(self) -> None:
        """See `Mind`."""
        self._interrupted = True

    def _thought(self) -> Thought:
        means = {move: self._sums[move] / n for move, n in self._counts.items() if n}
        best = max(means, key=means.__getitem__, default=self.position.legal[0])
        return Thought(
            step=self.position.step,
            move=best,
            playouts=sum(self._counts.values()),
            value=means.get(best),
            machine="interpreter",
            final=len(self.position.legal) == 1,
        )

    def _playout(self, move: Term) -> float | None:
        """Our goal after a random game that begins with `move`: 50 without one, None if interrupted."""
        rules, state = self._rules, self._state
        role = rules.roles[self._seat]
        for step in range(self._max_steps):
            if self._interrupted:
                return None
            moves = [rules.legal(state, role) for role in rules.roles]
            if rules.terminal(state) or not all(moves):
                break
            joint = list(map(self._random.choice, moves))
            if step == 0:
                joint[self._seat] = move
            state = rules.next(state, joint)
        goal = rules.goal(state, role)
        return 50.0 if goal is None else float(goal)

    def _after(self, state: State, moves: Joint) -> State:
        return self._rules.next(state, list(map(parse_term, moves)))


def new_random(options: PlayerOptions) -> random.Random:
    """The random choices that the player's seed asks for."""
    return random.Random(options.seed or None)
