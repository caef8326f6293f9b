"""The parameters of a game of Tak, its pieces and moves, and the numbering of moves that its game cores share.

A board of size n has n × n squares. Square `rank * n + file` lies on that file and rank, both from 0; people write it
`a1`, `b1`, … Roles are 0, whom people call the first player or white, and 1, the second player or black.

Rules: J. Ernest and P. Rothfuss, "Tak: A Beautiful Game"; the sizes of reserves are those of tournaments (ustak.org).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate

from ludens.propnet.base.errors import LudensError

RESERVES = {3: (10, 0), 4: (15, 0), 5: (21, 1), 6: (30, 1), 7: (40, 2), 8: (50, 2)}
"""Flats and capstones of each player, by the size of the board."""

HIGHEST_PLY_LIMIT = 0xFFFF
"""The native core counts no further."""

DIRECTIONS = "+-<>"
"""Up the ranks, down, to lower files, to higher files."""


class TakError(LudensError):
    """What cannot be in Tak: a size, a position, a move."""


class Kind(IntEnum):
    """What a piece on the top of a stack is; all below it are flats."""

    FLAT = 0
    WALL = 1
    CAPSTONE = 2


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece from the reserve comes on an empty square."""

    square: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Spread:
    """The upper pieces of a stack move on: `drops` are the numbers left on the squares along a direction."""

    square: int
    direction: int
    drops: tuple[int, ...]


Move = Placement | Spread


@dataclass(frozen=True)
class TakRules:
    """A game of Tak: the size of its board, what the second player has ahead when flats are counted, and how it ends.

    The rules know no longest game. Programs that need one call it drawn after so many plies.
    """

    size: int
    half_komi: int = 0  # in halves of a flat
    ply_limit: int = 0  # 0: the game may go on for ever

    def __post_init__(self) -> None:
        """Checks the parameters; raises `TakError`."""
        if self.size not in RESERVES:
            raise TakError(f"there is no Tak of size {self.size}: sizes are 3 to 8")
        most = 2 * self.squares
        if not -most <= self.half_komi <= most:
            raise TakError(f"a komi of {self.half_komi / 2:g} flats: on size {self.size} it is at most {self.squares}")
        if not 0 <= self.ply_limit <= HIGHEST_PLY_LIMIT:
            raise TakError(f"a limit of {self.ply_limit} plies: it is 0, for none, or up to {HIGHEST_PLY_LIMIT:,}")

    def __str__(self) -> str:
        komi = f", komi {self.half_komi / 2:g}" if self.half_komi else ""
        limit = f", at most {self.ply_limit} plies" if self.ply_limit else ""
        return f"Tak on {self.size} x {self.size} squares{komi}{limit}"

    @property
    def squares(self) -> int:
        """Returns the number of squares."""
        return self.size * self.size

    @property
    def reserve(self) -> tuple[int, int]:
        """Returns the flats and the capstones that each player begins with."""
        return RESERVES[self.size]

    @cached_property
    def lines(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Returns the squares that lie in each direction of each square, the nearest first: [square][direction]."""
        return tuple(tuple(tuple(self._line(square, *way)) for way in _STEPS) for square in range(self.squares))

    def name(self, square: int) -> str:
        """Returns what people call a square."""
        return f"{chr(ord('a') + square % self.size)}{square // self.size + 1}"

    def square(self, name: str) -> int:
        """Returns the square that people call so; raises `TakError`."""
        found = re.fullmatch(r"([a-h])([1-8])", name)
        file, rank = (ord(found[1]) - ord("a"), int(found[2]) - 1) if found else (8, 8)
        if max(file, rank) >= self.size:
            last = self.name(self.squares - 1)
            raise TakError(f"{name!r} is no square of a board of size {self.size}: those are a1 to {last}")
        return rank * self.size + file

    # ---- Numbers of moves ----

    @property
    def move_count(self) -> int:
        """Returns how many moves `number` tells apart: placements, spreads, and waiting, which is the last."""
        return 3 * self.squares + self.squares * 4 * (1 << self.size) + 1

    @property
    def waiting(self) -> int:
        """Returns the number of the move of who is not to move."""
        return self.move_count - 1

    def number(self, move: Move) -> int:
        """Returns the number of a move.

        Placements come first, by kind and square; then spreads by square and direction. Of the pieces that a spread
        takes up, bit i of its last part says whether the i-th one from below is the last that its square gets.
        """
        if isinstance(move, Placement):
            return move.kind * self.squares + move.square
        drops = sum(1 << (end - 1) for end in accumulate(move.drops))
        return 3 * self.squares + ((move.square * 4 + move.direction) << self.size | drops)

    def move(self, number: int) -> Move | None:
        """Returns the move with a number; None if no move of the game can have it."""
        if number < 3 * self.squares:
            return Placement(number % self.squares, Kind(number // self.squares))
        if not 3 * self.squares <= number < self.waiting:
            return None
        way, drops = divmod(number - 3 * self.squares, 1 << self.size)
        ends = [i + 1 for i in range(self.size) if drops >> i & 1]
        spread = Spread(way // 4, way % 4, tuple(end - begin for begin, end in zip([0, *ends], ends, strict=False)))
        reach = len(self.lines[spread.square][spread.direction])
        return spread if 0 < len(spread.drops) <= reach else None

    def _line(self, square: int, file_step: int, rank_step: int) -> Iterator[int]:
        file, rank = square % self.size + file_step, square // self.size + rank_step
        while 0 <= file < self.size and 0 <= rank < self.size:
            yield rank * self.size + file
            file, rank = file + file_step, rank + rank_step


_STEPS = ((0, 1), (0, -1), (-1, 0), (1, 0))  # files and ranks of a step, in the order of DIRECTIONS
