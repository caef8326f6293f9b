"""Minimax by alpha-beta with iterative deepening under a time limit, written to be read.

Values are those of the player to move. A win is worth the score of the position where the game ends, so at least 1,
and quick wins count more; all other values lie between -1 and 1 and count windows that only one side has stones in.
Before the horizon is judged so, winning patterns are looked ahead: a row that can be completed, two rows of the other
side that cannot both be prevented, and double threats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludens.games.gomoku.policies.policy import Deadline
from ludens.games.gomoku.policies.windows import (
    OTHER,
    Ints,
    actions_of,
    candidates,
    double_threats,
    fillings,
    winning_cells,
)
from ludens.games.gomoku.state import MAX, MIN, Action, GomokuState

_GROWTH = 4  # of the weight of a window with each stone more
_SCALE = 2 * _GROWTH**3  # difference of weights that is worth 1/2


class _OutOfTimeError(Exception):
    """The time for a move is over."""


@dataclass(slots=True)
class MinimaxPolicy:
    """Plays by alpha-beta to so many plies if `depth` is not 0, else as deep as time allows; `width` moves a node."""

    name: ClassVar[str] = "Minimax"

    seed: int = 0
    depth: int = 0
    width: int = 12

    def choose(self, state: GomokuState, seconds: float) -> Action:
        """See `Policy`."""
        deadline = Deadline.after(seconds)
        actions = ordered(state)[: self.width]
        if len(actions) == 1:
            return actions[0]
        for depth in range(1, min(self.depth or state.empty_cells, state.empty_cells) + 1):
            try:
                actions, value = self._search_root(state, actions, depth, None if self.depth else deadline)
            except _OutOfTimeError:
                break
            if abs(value) >= 1:
                break
        return actions[0]

    def _search_root(
        self, state: GomokuState, actions: list[Action], depth: int, deadline: Deadline | None
    ) -> tuple[list[Action], float]:
        """Returns the actions with the best in front, and its value."""
        best, alpha = actions[0], -np.inf
        for action in actions:
            value = -self._value(state.perform(action), depth - 1, -np.inf, -alpha, deadline)
            if value > alpha:
                best, alpha = action, value
        return [best, *(action for action in actions if action != best)], alpha

    def _value(self, state: GomokuState, depth: int, alpha: float, beta: float, deadline: Deadline | None) -> float:
        """Returns the value of a position, or a bound of it outside the window from alpha to beta."""
        if deadline is not None and deadline.is_over:
            raise _OutOfTimeError
        if (known := look_ahead(state)) is not None:
            return known
        if depth == 0:
            return judge(state)
        for action in ordered(state)[: self.width]:
            alpha = max(alpha, -self._value(state.perform(action), depth - 1, -beta, -alpha, deadline))
            if alpha >= beta:
                break
        return alpha


def look_ahead(state: GomokuState) -> float | None:
    """Returns the value for the player to move of a game that is over, or which winning patterns decide; else None."""
    player = state.current_player
    if state.is_game_over:
        return float(state.current_score if player == MAX else -state.current_score)
    empty = state.empty_cells
    if winning_cells(state, player):
        return float(empty)
    threatened = len(winning_cells(state, OTHER[player]))
    if threatened > 1:
        return -float(empty - 1)
    if not threatened and double_threats(state, player):
        return float(empty - 2)
    return None


def judge(state: GomokuState) -> float:
    """Returns a value between -1 and 1 for the player to move: windows of one side, by how far they are filled."""
    _cells, counts = fillings(state)
    own, other = (_weights(counts, player) for player in (state.current_player, OTHER[state.current_player]))
    difference = float(own.sum() - other.sum())
    return difference / (_SCALE + abs(difference))


def ordered(state: GomokuState) -> list[Action]:
    """Returns the candidates, best windows first: those of either side that go through a cell."""
    cells, counts = fillings(state)
    weights = _weights(counts, MAX) + _weights(counts, MIN)
    worth = np.bincount(cells.ravel(), np.repeat(weights, cells.shape[1]), minlength=state.board_size**2)
    found = candidates(state)
    return actions_of(state, sorted(found, key=lambda cell: -worth[cell]))


def _weights(counts: Ints | np.ndarray, player: int) -> np.ndarray:
    """Returns a weight for each window: 0 unless only this player has stones in it."""
    stones = counts[:, player].astype(np.float64)
    mixed = counts[:, OTHER[player]] > 0
    return np.where(mixed | (stones == 0), 0.0, _GROWTH ** (stones - 1))
