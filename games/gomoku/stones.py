"""Stones on a board of m x n cells that change in place, and the rows that they form, for rules that count rows.

Cells are numbered row by row. A direction is one of `DIRECTIONS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ludens.games.gomoku.state import DIRECTIONS

FREE, BLACK, WHITE, NEUTRAL = 0, 1, 2, 3
"""What a cell holds: nothing, a stone of either side, black moving first, or a stone that belongs to nobody."""

EDGE = 4
"""What lies beyond the board."""

OPPONENT = {BLACK: WHITE, WHITE: BLACK}


@dataclass(slots=True)
class Stones:
    """The stones on a board; `cells` may be changed."""

    rows: int
    columns: int
    cells: list[int] = field(default_factory=list)  # what each holds; by default nothing

    def __post_init__(self) -> None:
        self.cells = self.cells or [FREE] * (self.rows * self.columns)

    @property
    def free(self) -> list[int]:
        """The cells that hold nothing."""
        return [cell for cell, content in enumerate(self.cells) if content == FREE]

    def count(self, content: int) -> int:
        """Returns how many cells hold something."""
        return self.cells.count(content)

    def beyond(self, cell: int, direction: int, sign: int) -> Iterator[tuple[int, int]]:
        """Yields the cells behind a cell, each with what it holds; -1 and EDGE at the end."""
        down, right = DIRECTIONS[direction]
        row, column = divmod(cell, self.columns)
        while True:
            row, column = row + sign * down, column + sign * right
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                yield -1, EDGE
                return
            found = row * self.columns + column
            yield found, self.cells[found]

    def run(self, cell: int, direction: int) -> Run:
        """Returns the unbroken row of one side through a cell that holds a stone."""
        side, length, ends = self.cells[cell], 1, []
        for sign in (-1, 1):
            for found, content in self.beyond(cell, direction, sign):
                if content != side:
                    ends.append((found, content))
                    break
                length += 1
        return Run(length, (ends[0], ends[1]))


@dataclass(frozen=True, slots=True)
class Run:
    """Stones of one side in an unbroken row."""

    length: int
    ends: tuple[tuple[int, int], tuple[int, int]]  # the cells at both ends, and what they hold
