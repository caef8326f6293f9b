"""The family of checkers games as one struct of parameters, and the numbering that its game cores share.

The board is the source design's: only every other square is played on. Seen from the side that moves up, square 0
is the lower left one, a row has `width / 2` squares, and rows are counted upwards to `HEIGHT - 1`; square s of
row r stands on file `2 * (s % (width / 2)) + r % 2`, so that rank plus file is even, counted from 0.

    row 1:    4   5   6   7          side UP moves first, from the low rows upwards
    row 0:  0   1   2   3            side DOWN answers, from the high rows downwards

Real sheets place pieces on the other colour, or let the upper side begin. Mirroring and turning the board makes
them this one; whoever recognises a sheet says how (`ludens.games.checkers.recognition.recognise`).

Directions are 0 … 3: up and left, up and right, down and left, down and right. A *move* is the path of a piece, as
squares: where it starts, then where it stands after each step or jump. The empty path is the move of the player
who has to wait. Moves are numbered by `MoveTable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import product

HEIGHT = 8
MOST_PIECES = 12  # of a side; goal tables have MOST_PIECES + 1 rows and columns
UP, DOWN = 0, 1

DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1))  # rows and files
FORWARD = ((0, 1), (2, 3))  # directions of the men of UP and of DOWN

Path = tuple[int, ...]
GoalTable = tuple[tuple[tuple[int, int], ...], ...]


class Forcing(Enum):
    """Says which moves captures exclude."""

    NONE = "optional"
    ANY = "forced"  # who can capture must
    LONGEST = "longest"  # with as many jumps as any piece can make, up to what an action may hold


class Jumps(Enum):
    """Says what one capturing action is."""

    ONE = "one jump"  # then it is the other's turn
    UP_TO_THREE = "up to three jumps"  # all squares empty when it begins; stopping early is a move of its own
    BY_PLIES = "one jump a ply"  # the turn, and the piece, stay while it can go on; not after being crowned
    WHOLE = "the whole chain"  # to its end; the square it began on is empty; paths are moves of their own


@dataclass(frozen=True, slots=True)
class CheckersRules:
    """The rules of one game of the family; the defaults are English draughts without a rule for draws.

    Goals, 0 … 100, are those of (UP, DOWN) by how many pieces each has, `goals[pieces of UP][pieces of DOWN]`;
    where `stuck_goals` are given, they hold instead if the side to move cannot: (its goal, the other's).
    A game is over when a side is stuck (which side counts: `stuck_either`), after `step_limit` plies, and after
    `idle_limit` plies in a row in which no man moved and nothing was captured; 0 is no limit.
    """

    width: int = 8  # files: 4, 6 or 8
    wrap_files: bool = False  # the first file is beside the last
    wrap_ranks: bool = False  # the first rank is beside the last
    forcing: Forcing = Forcing.ANY
    jumps: Jumps = Jumps.WHOLE
    kings: bool = True  # a man that ends its move on the far rank becomes one; passing over it does not count
    stuck_either: bool = False  # the game is over too if the side not to move could not
    goals: GoalTable = field(default_factory=lambda: even_goals(50))
    stuck_goals: tuple[int, int] | None = (0, 100)
    step_limit: int = 0
    idle_limit: int = 0
    first_role: int = 0  # the role that plays UP; the other plays DOWN
    start: tuple[int, int, int] | None = None  # bit sets: pieces of UP, of DOWN, kings; None: three rows of men

    def __str__(self) -> str:
        """One line for people."""
        wraps = [name for name, wraps in (("files", self.wrap_files), ("ranks", self.wrap_ranks)) if wraps]
        limits = [f"over after {self.step_limit} plies"] if self.step_limit else []
        limits += [f"over after {self.idle_limit} plies without progress"] if self.idle_limit else []
        parts = [
            f"checkers on {self.width} × {HEIGHT} squares",
            *([f"{' and '.join(wraps)} wrapping"] if wraps else []),
            f"captures {self.forcing.value}, {self.jumps.value}",
            "kings" if self.kings else "no kings",
            *limits,
        ]
        return ", ".join(parts)

    @property
    def row(self) -> int:
        """Squares a row."""
        return self.width // 2

    @property
    def squares(self) -> int:
        """Squares in all: 16, 24 or 32."""
        return self.row * HEIGHT

    @property
    def initial(self) -> tuple[int, int, int]:
        """The first position as bit sets: pieces of UP, of DOWN, kings."""
        men = (1 << 3 * self.row) - 1
        return self.start or (men, men << self.squares - 3 * self.row, 0)

    def role(self, side: int) -> int:
        """Returns the index of the role that plays a side."""
        return side ^ self.first_role

    def crown_row(self, side: int) -> int:
        """Returns the row on which the men of a side become kings."""
        return HEIGHT - 1 if side == UP else 0

    def crown_squares(self, side: int) -> int:
        """Returns the squares on which the men of a side become kings, as a bit set."""
        return (1 << self.row) - 1 << self.row * self.crown_row(side)

    def neighbour(self, square: int, direction: int) -> int | None:
        """Returns the next square in a direction; None beyond the edge."""
        rank, place = divmod(square, self.row)
        rows, files = DIRECTIONS[direction]
        rank, file = rank + rows, 2 * place + rank % 2 + files
        if self.wrap_ranks:
            rank %= HEIGHT
        if self.wrap_files:
            file %= self.width
        inside = 0 <= rank < HEIGHT and 0 <= file < self.width
        return rank * self.row + file // 2 if inside else None


class MoveTable:
    """Numbers the moves from 0 to `count - 1`, equally for both roles.

    With S squares: steps first, `4 * square + direction`; then single jumps in the same order; then, if an action
    holds up to three, double jumps `16 * square + 4 * first + second` and triple jumps `64 * square + …`; last the
    empty move. Numbers whose path leaves the board are never legal. `Jumps.WHOLE` knows no numbers.
    """

    def __init__(self, rules: CheckersRules) -> None:
        """Numbers the moves of one game; raises ValueError for `Jumps.WHOLE`."""
        if rules.jumps is Jumps.WHOLE:
            raise ValueError("whole chains are not numbered")
        self._rules = rules
        longest = 3 if rules.jumps is Jumps.UP_TO_THREE else 1
        kinds = [(1, 1), *((2, jumps) for jumps in range(1, longest + 1))]  # squares a hop, and hops
        self._moves = [
            (square, way, length)
            for length, hops in kinds
            for square in range(rules.squares)
            for way in product(range(4), repeat=hops)
        ]
        self.ways = (*(way for _, way, _ in self._moves), ())  # directions, one for a step and one for every jump
        self.first_jump = 4 * rules.squares
        self.empty = len(self._moves)
        self.count = self.empty + 1

    @cached_property
    def paths(self) -> tuple[Path | None, ...]:
        """The path of each number; None where it leaves the board."""
        return (*(self._walk(*move) for move in self._moves), ())

    @cached_property
    def numbers(self) -> dict[Path, int]:
        """The number of each path."""
        return {path: number for number, path in enumerate(self.paths) if path is not None}

    def _walk(self, square: int, way: tuple[int, ...], steps: int) -> Path | None:
        """Returns the squares where each direction of `way`, taken `steps` at a time, leads; None beyond the edge."""
        path = [square]
        for direction in way:
            here: int | None = path[-1]
            for _ in range(steps):
                here = None if here is None else self._rules.neighbour(here, direction)
            if here is None:
                return None
            path.append(here)
        return tuple(path)


def even_goals(value: int) -> GoalTable:
    """Returns the table that gives both sides the same, whatever they have."""
    return goal_table(lambda _up, _down: (value, value))


def goal_table(rule: Callable[[int, int], tuple[int, int]]) -> GoalTable:
    """Returns the table of a function from the numbers of pieces of UP and DOWN to their goals."""
    counts = range(MOST_PIECES + 1)
    return tuple(tuple(rule(up, down) for down in counts) for up in counts)


ENGLISH = CheckersRules()
