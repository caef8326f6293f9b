"""The states along the history of a match, on whatever machine computes them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Generic, TypeVar

from ludens.agent.protocol.wire import History, Joint

S = TypeVar("S")


class StateHistory(Generic[S]):
    """The states along a match; keeps those that two histories share, so that one more move is one step."""

    def __init__(self, first: S, step: Callable[[S, Joint], S]) -> None:
        """Begins at `first`; `step` makes one joint move."""
        self._states = [first]
        self._history: History = ()
        self._step = step

    def follow(self, history: History) -> S:
        """Returns the state that `history` leads to; raises what a step raises, and keeps the states before that."""
        common = shared_steps(self._history, history)
        del self._states[common + 1 :]
        self._history = history[:common]
        for moves in history[common:]:
            self._states.append(self._step(self._states[-1], moves))
            self._history = (*self._history, moves)
        return self._states[-1]


def shared_steps(one: History, other: History) -> int:
    """Returns the number of joint moves with which both histories begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def rest_of(line: History, history: History) -> History:
    """Returns what follows `history` in a line, if all have played that so far."""
    return line[len(history) :] if line[: len(history)] == history else ()
