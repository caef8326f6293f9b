"""The readable reference of gomoku on numpy arrays: immutable states of a square board.

The players are called max, who plays X and moves first, and min, who plays O. `win_size` stones in a row or more win.

>>> state = GomokuState.blank(board_size=15, win_size=5).perform((7, 7))
>>> print(state)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.errors import LudensError

EMPTY, MIN, MAX = 0, 1, 2
"""What a cell holds, and the players: the first index of a board."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (rows, columns) along rows, columns and both diagonals."""

LETTERS = ".ox"

Action = tuple[int, int]  # row and column, from 0


@dataclass(frozen=True, slots=True, eq=False)
class GomokuState:
    """A position; `perform` makes the next one. Arrays are read-only.

    A window is `win_size` cells in a row: that of a cell and a direction begins there. What of a window is off the
    board is counted as nothing, so that a window is full of a player's stones only if all of it is on the board.
    """

    board: npt.NDArray[np.uint8]  # [3, n, n] one-hot: EMPTY, MIN, MAX
    win_size: int
    correlations: npt.NDArray[np.uint8]  # [4, 3, n, n] cells of each content in the window of a direction and a cell
    winner: int = EMPTY  # MIN or MAX, or EMPTY for nobody

    def __post_init__(self) -> None:
        self.board.setflags(write=False)
        self.correlations.setflags(write=False)

    @classmethod
    def blank(cls, board_size: int = 15, win_size: int = 5) -> Self:
        """Returns the first position; raises LudensError unless both sizes are at least 1."""
        if board_size < 1 or win_size < 1:
            raise LudensError(f"a board of size {board_size} with {win_size} in a row: both must be at least 1")
        board = np.zeros((3, board_size, board_size), np.uint8)
        board[EMPTY] = 1
        correlations = np.zeros((len(DIRECTIONS), *board.shape), np.uint8)
        cells = np.arange(board_size)
        for direction, (down, right) in enumerate(DIRECTIONS):
            room_down = board_size - cells if down else np.full(board_size, win_size)
            room_right = {1: board_size - cells, -1: cells + 1}.get(right, np.full(board_size, win_size))
            room = np.minimum(room_down[:, None], room_right[None, :])
            correlations[direction, EMPTY] = np.minimum(room, win_size)
        return cls(board, win_size, correlations)

    @property
    def board_size(self) -> int:
        """The number of rows, which is that of columns."""
        return int(self.board.shape[1])

    @property
    def empty_cells(self) -> int:
        """The number of cells without a stone."""
        return int(self.board[EMPTY].sum())

    @property
    def current_player(self) -> int:
        """MAX or MIN, who is to move: max if both have as many stones."""
        return MAX if self.board[MIN].sum() == self.board[MAX].sum() else MIN

    @property
    def valid_actions(self) -> tuple[Action, ...]:
        """The empty cells, row by row; none once the game is over."""
        if self.winner != EMPTY:
            return ()
        return tuple((int(row), int(column)) for row, column in np.argwhere(self.board[EMPTY]))

    @property
    def current_score(self) -> int:
        """0 while nobody has won; else the number of empty cells plus one, negative if min has won."""
        return {EMPTY: 0, MAX: 1, MIN: -1}[self.winner] * (self.empty_cells + 1)

    @property
    def is_game_over(self) -> bool:
        """Whether somebody has won or the board is full."""
        return self.winner != EMPTY or not self.board[EMPTY].any()

    def perform(self, action: Action) -> Self:
        """Returns the position after the current player's stone; raises LudensError for an action that is not valid."""
        row, column = action
        size, player = self.board_size, self.current_player
        if self.is_game_over:
            raise LudensError(f"no move at row {row}, column {column}: the game is over")
        if not (0 <= row < size and 0 <= column < size):
            raise LudensError(f"row {row}, column {column} is not on a board of size {size}")
        if not self.board[EMPTY, row, column]:
            raise LudensError(f"there is a stone at row {row}, column {column} already")
        board, correlations, won = self.board.copy(), self.correlations.copy(), False
        board[EMPTY, row, column], board[player, row, column] = 0, 1
        for direction in range(len(DIRECTIONS)):
            first = tuple(np.array(list(self._windows_of(direction, row, column))).T)
            correlations[(direction, EMPTY, *first)] -= 1
            correlations[(direction, player, *first)] += 1
            won |= bool((correlations[(direction, player, *first)] == self.win_size).any())
        return type(self)(board, self.win_size, correlations, player if won else EMPTY)

    def copy(self) -> Self:
        """Returns the same position with arrays of its own."""
        return type(self)(self.board.copy(), self.win_size, self.correlations.copy(), self.winner)

    def play_seq(self, actions: Iterable[Action], midgame: bool = False) -> Self:
        """Returns the position after several actions, from the blank board, or with `midgame` from this position."""
        state = self if midgame else self.blank(self.board_size, self.win_size)
        for action in actions:
            state = state.perform(action)
        return state

    def __str__(self) -> str:
        contents = self.board.argmax(axis=0)
        return "\n".join(" ".join(LETTERS[content] for content in row) for row in contents)

    def _windows_of(self, direction: int, row: int, column: int) -> Iterator[Action]:
        """Yields the cells where the windows of a direction that hold a cell begin, as far as they are on the board."""
        down, right = DIRECTIONS[direction]
        for back in range(self.win_size):
            first = row - back * down, column - back * right
            if not all(0 <= place < self.board_size for place in first):
                return
            yield first
