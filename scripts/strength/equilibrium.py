"""Solves small games of two who choose at once: their value, and what a strategy loses to a best answer.

Independent of everything that plays: states come from the interpreter of the rules. A state is worth the value of
the matrix game of its successors' values, from the end backwards (Shapley, "Stochastic games", 1953), and a matrix
game is a linear program (Dantzig, "A proof of the equivalence of the programming problem and the game problem",
1951), solved by the simplex method with the smallest-index rule, which cannot cycle (Bland, "New finite pivoting
rules for the simplex method", 1977).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.syntax import RuleSheet, Term

Floats = npt.NDArray[np.float64]
Mixture: TypeAlias = Floats
"""The chance of each of a role's legal moves, in their order."""

_TOLERANCE = 1e-9


def solve_matrix(payoffs: Floats) -> tuple[float, Mixture, Mixture]:
    """Returns the value and both optimal mixtures of a matrix game; `payoffs` [rows, columns] are the row player's.

    With all payoffs above 0, column's mixture is y / sum(y) for the y >= 0 of greatest sum with payoffs @ y <= 1.
    """
    shift = float(payoffs.min()) - 1.0
    rows, columns = payoffs.shape
    tableau = np.zeros((rows + 1, columns + rows + 1))
    tableau[:rows, :columns] = payoffs - shift
    tableau[:rows, columns:-1] = np.eye(rows)
    tableau[:rows, -1] = 1.0
    tableau[-1, :columns] = -1.0
    basis = list(range(columns, columns + rows))
    while (entering := np.flatnonzero(tableau[-1, :-1] < -_TOLERANCE)).size:
        _pivot(tableau, basis, int(entering[0]))
    column = np.zeros(columns + rows)
    column[basis] = tableau[:rows, -1]
    total = tableau[-1, -1]
    return 1.0 / total + shift, tableau[-1, columns:-1] / total, column[:columns] / total


def _pivot(tableau: Floats, basis: list[int], entering: int) -> None:
    """Makes one exchange; column `entering` of a matrix game always has a row that bounds it."""
    rates = tableau[:-1, entering]
    bounds = np.where(rates > _TOLERANCE, tableau[:-1, -1] / np.where(rates > _TOLERANCE, rates, 1.0), np.inf)
    ties = np.flatnonzero(bounds <= bounds.min() + _TOLERANCE)
    leaving = int(min(ties, key=lambda row: basis[row]))
    tableau[leaving] /= tableau[leaving, entering]
    for row in range(len(tableau)):
        if row != leaving:
            tableau[row] -= tableau[row, entering] * tableau[leaving]
    basis[leaving] = entering


@dataclass(frozen=True, slots=True)
class GameState:
    """A state of the game, what each role may do there, and where that leads."""

    state: State
    moves: tuple[list[Term], ...]  # of each role; none at the end
    goal: float  # of the first role, at the end
    after: list[list[State]]  # [its move][the second role's]


class SmallGame:
    """All states of a game of two whose goals sum to 100, each after those that it leads to, and their values."""

    def __init__(self, sheet: RuleSheet, limit: int = 20_000) -> None:
        """Raises `LudensError` for other games, cycles, or more than `limit` states."""
        if len(sheet.roles) != 2:
            raise LudensError("equilibria are worked out for two roles only")
        self._oracle = Interpreter(sheet)
        self._limit = limit
        self.states: dict[State, GameState] = {}
        self._open = set[State]()
        self._initial = self._oracle.initial()
        self._explore(self._initial)
        self._optimum = self._back_up(lambda _state, payoffs: solve_matrix(payoffs)[0])

    @property
    def value(self) -> float:
        """Returns what the first role gets if both play perfectly, 0 to 100."""
        return self._optimum

    def loss(self, mixtures: Mapping[State, Sequence[Mixture]], role: int) -> float:
        """Returns how much less than the value `role` gets if it plays `mixtures` and is answered as badly as can be.

        `mixtures` holds those of both roles for every node that is not an end.
        """

        def answered(state: State, payoffs: Floats) -> float:
            mixture = mixtures[state][role]
            return float((mixture @ payoffs).min() if role == 0 else (payoffs @ mixture).max())

        got = self._back_up(answered)
        return self._optimum - got if role == 0 else got - self._optimum

    def _explore(self, state: State) -> None:
        """Adds a state after all that it leads to."""
        if len(self.states) + len(self._open) >= self._limit:
            raise LudensError(f"the game has more than {self._limit} states")
        if self._oracle.terminal(state):
            self.states[state] = GameState(state, ([], []), self._goal(state), [])
            return
        self._open.add(state)
        first, second = (self._oracle.legal(state, role) for role in self._oracle.roles)
        if not first or not second:
            raise LudensError("a role has no legal move")
        after = [[self._oracle.next(state, (mine, yours)) for yours in second] for mine in first]
        for successor in {s for row in after for s in row}:
            if successor in self._open:
                raise LudensError("a position can come up again; equilibria are worked out where none does")
            if successor not in self.states:
                self._explore(successor)
        self._open.remove(state)
        self.states[state] = GameState(state, (first, second), 0.0, after)

    def _goal(self, state: State) -> float:
        first, second = self._oracle.goals(state)
        if first is None or second is None or first + second != 100:
            raise LudensError("the goals of both roles must sum to 100 wherever the game ends")
        return float(first)

    def _back_up(self, combine: Callable[[State, Floats], float]) -> float:
        """Returns the value of the first state, if a state is worth what `combine` makes of the payoffs after it."""
        values: dict[State, float] = {}
        for state, node in self.states.items():
            payoffs = np.array([[values[s] for s in row] for row in node.after])
            values[state] = combine(state, payoffs) if payoffs.size else node.goal
        return values[self._initial]
