"""The windows of a board, k cells in a row each, and what follows from how far they are filled.

Only windows that are wholly on the board count, so that edges and corners need no care.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ludens.games.gomoku.state import DIRECTIONS, EMPTY, MAX, MIN, Action, GomokuState

Ints = npt.NDArray[np.int64]

OTHER = {MAX: MIN, MIN: MAX}
_NEAR = 2  # rows and columns from a stone, within which moves are looked at where nothing is forced


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """All windows of a board; cells are numbered row by row."""

    cells: Ints  # [windows, k]
    first: tuple[Ints, Ints, Ints]  # direction, row and column of each, as the correlations of a state are indexed


@cache
def windows_of(board_size: int, win_size: int) -> Windows:
    """Returns the windows of a board."""
    cells, first = [], []
    for direction, (down, right) in enumerate(DIRECTIONS):
        for row, column in np.ndindex(board_size, board_size):
            places = [(row + step * down, column + step * right) for step in range(win_size)]
            if all(0 <= place < board_size for place in places[-1]):
                cells.append([r * board_size + c for r, c in places])
                first.append((direction, row, column))
    directions, rows, columns = np.array(first, np.int64).reshape(-1, 3).T
    return Windows(np.array(cells, np.int64).reshape(-1, win_size), (directions, rows, columns))


def fillings(state: GomokuState) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Returns the cells of all windows, [windows, k], and how many of each content they hold, [windows, 3]."""
    windows = windows_of(state.board_size, state.win_size)
    direction, row, column = windows.first
    return windows.cells, state.correlations[direction, :, row, column]


def winning_cells(state: GomokuState, player: int) -> set[int]:
    """Returns the cells that complete a row of a player."""
    return {cells[0] for cells in _gaps(state, player, 1)}


def double_threats(state: GomokuState, player: int) -> dict[int, set[int]]:
    """Returns the cells where a stone would leave a player several cells to complete a row, with these cells.

    Such a stone is an open four, which an open three allows, or two fours at once. The other side can take only one.
    """
    completing: dict[int, set[int]] = defaultdict(set)
    for one, other in _gaps(state, player, 2):
        completing[one].add(other)
        completing[other].add(one)
    return {cell: cells for cell, cells in completing.items() if len(cells) > 1}


def candidates(state: GomokuState) -> list[int]:
    """Returns the cells worth looking at for the current player, of a game that is not over.

    A row is completed, or that of the other prevented; then the same holds of double threats, which a four of one's
    own puts off. Where nothing is forced the cells near stones remain.
    """
    player = state.current_player
    other = OTHER[player]
    if cells := winning_cells(state, player) or winning_cells(state, other):
        return sorted(cells)
    if threats := double_threats(state, player):
        return sorted(threats)
    if threats := double_threats(state, other):
        answers = [{cell, *completing} for cell, completing in threats.items()]
        fours = {cell for gap in _gaps(state, player, 2) for cell in gap}
        return sorted((set.intersection(*answers) or set.union(*answers)) | fours)
    return _near_stones(state)


def actions_of(state: GomokuState, cells: list[int]) -> list[Action]:
    """Returns the row and column of each cell."""
    return [divmod(cell, state.board_size) for cell in cells]


def _gaps(state: GomokuState, player: int, empty: int) -> list[tuple[int, ...]]:
    """Returns the empty cells of each window in which so many are empty and the rest are the player's."""
    cells, counts = fillings(state)
    found = cells[(counts[:, EMPTY] == empty) & (counts[:, player] == state.win_size - empty)]
    free = state.board[EMPTY].ravel()[found] == 1
    return [tuple(gap) for gap in found[free].reshape(-1, empty).tolist()]


def _near_stones(state: GomokuState) -> list[int]:
    """Returns the empty cells near stones; the middle of an empty board; all empty cells if none is near."""
    size = state.board_size
    taken = state.board[EMPTY] == 0
    if not taken.any():
        return [size // 2 * size + size // 2]
    near = np.zeros((size, size), np.bool_)
    for row, column in np.argwhere(taken):
        near[max(0, row - _NEAR) : row + _NEAR + 1, max(0, column - _NEAR) : column + _NEAR + 1] = True
    cells: list[int] = np.flatnonzero(near & ~taken).tolist()
    return cells or np.flatnonzero(~taken).tolist()
