"""A perfect player of connect four: who wins a position, proven by search, and nothing of it from elsewhere.

Shares no code with the simulators and searches that it is the measure of. Negamax over bitboards with a
transposition table, as in Tromp's Fhourstones benchmark; `connect_four_kernels` says how. Needs numba.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scripts.common import json_lines
from scripts.strength.connect_four_kernels import TABLE_BITS, has_four, negamax

_WORTH_KEEPING = 0.2  # seconds
_SLOW_FREE = 33  # free squares


@dataclass(frozen=True, slots=True)
class Board:
    """A position: the stones of the player to move, and all of them."""

    own: int = 0
    both: int = 0


class Solver:
    """Values of positions on a board of `width` columns and `height` rows; columns count from 0.

    `cache` is a file of JSON lines from which values that took long are read, and to which they are added. `tell`
    hears of positions that are about to take long. The table takes 256 MB.
    """

    def __init__(
        self,
        width: int = 7,
        height: int = 6,
        cache: Path | None = None,
        tell: Callable[[str], None] = lambda _text: None,
    ) -> None:
        if width < 1 or height < 1 or width * (height + 1) > 49:
            raise ValueError(f"a board of {width} columns and {height} rows does not fit 49 bits")
        self.width, self.height = width, height
        self._column = height + 1
        self._bottom = sum(1 << c * self._column for c in range(width))
        self._board = self._bottom * ((1 << height) - 1)
        lower = self._bottom * sum(1 << r for r in range(height) if (height - r) % 2 == 0)
        self._shape = np.array([self._board, self._bottom, lower, self._column], np.uint64)
        self._table = np.zeros(1 << TABLE_BITS, np.uint64)
        self._scratch = np.zeros((width * height + 2, width), np.int64)
        self._cache, self._tell = cache, tell
        json_lines.mend(cache)
        self._bounds = _read(cache)

    @property
    def positions(self) -> int:
        """Returns how many positions were looked at so far."""
        return int(self._scratch[-1, 0])

    def drop(self, board: Board, column: int) -> Board:
        """Returns the position after a stone in a column with room for it."""
        inside = 0 <= column < self.width
        stone = (board.both + (1 << column * self._column)) & self._squares(column) if inside else 0
        if not stone:
            raise ValueError(f"no room in column {column + 1}")
        return Board(board.both ^ board.own, board.both | stone)

    def after(self, columns: Iterable[int]) -> Board:
        """Returns the position after these moves."""
        board = Board()
        for column in columns:
            board = self.drop(board, column)
        return board

    def columns(self, board: Board) -> list[int]:
        """Returns the columns with room."""
        return [c for c in range(self.width) if self._squares(c) & ~board.both]

    def lost(self, board: Board) -> bool:
        """Says whether the other player has four in a row."""
        return bool(has_four(np.uint64(board.both ^ board.own), np.uint64(self._column)))

    def over(self, board: Board) -> bool:
        """Says whether the game is over."""
        return board.both == self._board or self.lost(board)

    def reaches(self, board: Board, value: int) -> bool:
        """Says whether the player to move gets `value`, 0 or 1, or more."""
        if self.lost(board):
            return False
        if any(self.lost(self.drop(board, column)) for column in self.columns(board)):
            return True
        if board.both == self._board:
            return value == 0
        key = self._key(board)
        low, high = self._bounds.get(key, (-1, 1))
        if low < value <= high:
            low, high = (value, high) if self._solve(board, value) else (low, value - 1)
            self._bounds[key] = low, high
        return low >= value

    def value(self, board: Board) -> int:
        """Returns 1 if the player to move wins, 0 for a draw, -1 if it loses."""
        return 1 if self.reaches(board, 1) else 0 if self.reaches(board, 0) else -1

    def keeps(self, board: Board, column: int, value: int) -> bool:
        """Says whether a move keeps the `value` of a position, by one question where the child's value takes two."""
        return value == -1 or not self.reaches(self.drop(board, column), 1 - value)

    def _solve(self, board: Board, value: int) -> bool:
        """Answers `reaches` by search with an empty window; keeps the answer for later if that took long."""
        stones, began = board.both.bit_count(), time.process_time()
        if self.width * self.height - stones > _SLOW_FREE:
            self._tell(f"solving a position of {stones} stones, which can take minutes")
        own, both = np.uint64(board.own), np.uint64(board.both)
        found = negamax(own, both, value - 1, value, self._shape, self._table, self._scratch, 0) >= value
        if self._cache and time.process_time() - began > _WORTH_KEEPING:
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            record = {"position": self._key(board), "value": value, "reached": bool(found)}
            json_lines.add(self._cache, record)
        return bool(found)

    def _squares(self, column: int) -> int:
        return ((1 << self.height) - 1) << column * self._column

    def _key(self, board: Board) -> int:
        """Returns a key that a position and its mirror image share."""
        return min(b.own + b.both + self._bottom for b in (board, self._mirrored(board)))

    def _mirrored(self, board: Board) -> Board:
        def turned(stones: int) -> int:
            return sum(
                (stones & self._squares(c)) >> c * self._column << (self.width - 1 - c) * self._column
                for c in range(self.width)
            )

        return Board(turned(board.own), turned(board.both))


def _read(cache: Path | None) -> dict[int, tuple[int, int]]:
    """Reads bounds of the values of positions, by key, from answers of earlier runs."""
    bounds: dict[int, tuple[int, int]] = {}
    for record in json_lines.read(cache):
        low, high = bounds.get(record["position"], (-1, 1))
        value = record["value"]
        bounds[record["position"]] = (max(low, value), high) if record["reached"] else (low, min(high, value - 1))
    return bounds


def main() -> int:
    """Solves the positions named on the command line, or the seven after one move."""
    parser = argparse.ArgumentParser(description="Who wins a position of connect four, proven by search.")
    parser.add_argument("moves", nargs="*", default=list("1234567"), help="columns from 1, as in 44433 (1 ... 7)")
    args = parser.parse_args()
    solver = Solver(tell=lambda text: print(text, file=sys.stderr, flush=True))
    for moves in args.moves:
        began, before = time.process_time(), solver.positions
        try:
            value = solver.value(solver.after(int(c) - 1 for c in moves))
        except ValueError as error:
            parser.error(f"{moves}: {error}")
        outcome = {1: "won", 0: "drawn", -1: "lost"}[value]
        cost = f"{solver.positions - before:,} positions, {time.process_time() - began:.1f} CPU seconds"
        print(f"{moves}: {outcome} for the player to move ({cost})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
