"""Some games written out in plain Python, each from its rules alone: what the rule sheets are checked against.

They share nothing with GDL but the texts of moves. A board is a dict from (column, row) to what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Protocol

Square = tuple[int, int]
Way = tuple[int, int]
EIGHT: list[Way] = [(dx, dy) for dx, dy in product((-1, 0, 1), (-1, 0, 1)) if (dx, dy) != (0, 0)]
DIAGONAL: list[Way] = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
RIDERS: dict[str, list[Way]] = {"R": [way for way in EIGHT if 0 in way], "B": DIAGONAL, "Q": EIGHT}
COMPASS = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}
KNIGHT: list[Way] = [(dx * i, dy * (3 - i)) for dx, dy in DIAGONAL for i in (1, 2)]


def numbers(move: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", move)))


def ray(square: Square, way: Way, size: int) -> Iterator[Square]:
    """Squares from beside `square` to the edge of the board."""
    x, y = square[0] + way[0], square[1] + way[1]
    while 1 <= x <= size and 1 <= y <= size:
        yield x, y
        x, y = x + way[0], y + way[1]


class ByHand(Protocol):
    """A game in progress: legal moves of each player, a joint move, the end and the goals."""

    @property
    def over(self) -> bool: ...
    def goals(self) -> tuple[int, ...]: ...
    def legal(self) -> list[set[str]]: ...
    def play(self, moves: list[str]) -> None: ...


class TwoPlayers:
    """Players 0 and 1 in turn; a subclass sets `winner` or `drawn` when the game is over."""

    size = 8

    def __init__(self) -> None:
        self.board: dict[Square, object] = {}
        self.mover = 0
        self.winner: int | None = None
        self.drawn = False

    @property
    def squares(self) -> list[Square]:
        side = range(1, self.size + 1)
        return list(product(side, side))

    @property
    def over(self) -> bool:
        return self.winner is not None or self.drawn

    def goals(self) -> tuple[int, int]:
        return (50, 50) if self.winner is None else (100 - 100 * self.winner, 100 * self.winner)

    def moves(self) -> set[str]:
        raise NotImplementedError

    def make(self, move: str) -> None:
        raise NotImplementedError

    def legal(self) -> list[set[str]]:
        return [self.moves() if player == self.mover else {"noop"} for player in (0, 1)]

    def play(self, moves: list[str]) -> None:
        self.make(moves[self.mover])


class InARow(TwoPlayers):
    """Place stones on free squares; `length` in a row win."""

    verb, size, length = "place", 15, 5

    def moves(self) -> set[str]:
        return {f"({self.verb} {x} {y})" for x, y in self.squares if (x, y) not in self.board}

    def make(self, move: str) -> None:
        x, y = numbers(move)
        self.put((x, y))

    def put(self, square: Square) -> None:
        self.board[square] = self.mover
        if self.in_a_row(square):
            self.winner = self.mover
        self.drawn = not self.moves()
        self.mover = 1 - self.mover

    def in_a_row(self, square: Square) -> bool:
        for dx, dy in EIGHT[:4]:
            count = 1
            for way in ((dx, dy), (-dx, -dy)):
                for other in ray(square, way, self.size):
                    if self.board.get(other) != self.board[square]:
                        break
                    count += 1
            if count >= self.length:
                return True
        return False


class TicTacToe(InARow):
    verb, size, length = "mark", 3, 3


class ConnectFour(InARow):
    length = 4

    def moves(self) -> set[str]:
        return {f"(drop {x})" for x in range(1, 8) if (x, 6) not in self.board}

    def make(self, move: str) -> None:
        (x,) = numbers(move)
        self.put((x, next(y for y in range(1, 7) if (x, y) not in self.board)))


class Breakthrough(TwoPlayers):
    def __init__(self) -> None:
        super().__init__()
        for x in range(1, self.size + 1):
            self.board |= {(x, 1): 0, (x, 2): 0, (x, self.size): 1, (x, self.size - 1): 1}

    def targets(self, square: Square) -> Iterator[Square]:
        x, y = square[0], square[1] + (-1 if self.mover else 1)
        if (x, y) not in self.board:
            yield x, y
        yield from (other for other in ((x - 1, y), (x + 1, y)) if self.board.get(other) != self.mover)

    def moves(self) -> set[str]:
        mine = [square for square, owner in self.board.items() if owner == self.mover]
        pairs = [(a, b) for a in mine for b in self.targets(a)]
        inside = range(1, self.size + 1)
        return {f"(move {a[0]} {a[1]} {b[0]} {b[1]})" for a, b in pairs if b[0] in inside and b[1] in inside}

    def make(self, move: str) -> None:
        x, y, u, v = numbers(move)
        self.board[u, v] = self.board.pop((x, y))
        enemy = 1 - self.mover
        if v == (1 if self.mover else self.size) or enemy not in self.board.values():
            self.winner = self.mover
        self.mover = enemy


class SmallBreakthrough(Breakthrough):
    size = 5


class Knightthrough(Breakthrough):
    def targets(self, square: Square) -> Iterator[Square]:
        for dx, dy in KNIGHT:
            other = square[0] + dx, square[1] + dy
            if (dy > 0) == (self.mover == 0) and self.board.get(other) != self.mover:
                yield other


class Reversi(TwoPlayers):
    def __init__(self) -> None:
        super().__init__()
        self.board = {(4, 4): 1, (5, 5): 1, (4, 5): 0, (5, 4): 0}
        self.passed = False

    def turned(self, square: Square) -> list[Square]:
        discs: list[Square] = []
        for way in EIGHT:
            line: list[Square] = []
            for other in ray(square, way, 8):
                if self.board.get(other) != 1 - self.mover:
                    discs += line if self.board.get(other) == self.mover else []
                    break
                line.append(other)
        return discs

    def moves(self) -> set[str]:
        free = [square for square in self.squares if square not in self.board and self.turned(square)]
        return {f"(place {x} {y})" for x, y in free} or {"pass"}

    def make(self, move: str) -> None:
        if move != "pass":
            x, y = numbers(move)
            for square in [(x, y), *self.turned((x, y))]:
                self.board[square] = self.mover
        passed = move == "pass"
        self.mover = 1 - self.mover
        if len(self.board) == 64 or (passed and self.moves() == {"pass"}):
            discs = list(self.board.values())
            lead = discs.count(0) - discs.count(1)
            self.winner = None if lead == 0 else int(lead < 0)
            self.drawn = lead == 0


class Hex(TwoPlayers):
    size = 9

    def moves(self) -> set[str]:
        return {f"(place {x} {y})" for x, y in self.squares if (x, y) not in self.board}

    def make(self, move: str) -> None:
        x, y = numbers(move)
        self.board[x, y] = self.mover
        self.winner = self.mover if self.joined() else None
        self.mover = 1 - self.mover

    def joined(self) -> bool:
        """Whether a chain of the mover goes from side to side: columns for player 0, rows for player 1."""
        mine = {square for square, owner in self.board.items() if owner == self.mover}
        reached = {square for square in mine if square[self.mover] == 1}
        edge = list(reached)
        while edge:
            x, y = edge.pop()
            around = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1)}
            new = around & mine - reached
            reached |= new
            edge += new
        return any(square[self.mover] == self.size for square in reached)


class SmallHex(Hex):
    size = 4


class Amazons(TwoPlayers):
    def __init__(self) -> None:
        super().__init__()
        self.board = dict.fromkeys([(1, 3), (3, 1), (6, 1), (8, 3)], 0)
        self.board |= dict.fromkeys([(1, 6), (3, 8), (6, 8), (8, 6)], 1)
        self.archer: Square | None = None

    def reach(self, square: Square) -> Iterator[Square]:
        for way in EIGHT:
            for other in ray(square, way, 8):
                if other in self.board:
                    break
                yield other

    def moves(self) -> set[str]:
        if self.archer:
            return {f"(shoot {x} {y})" for x, y in self.reach(self.archer)}
        mine = [square for square, owner in self.board.items() if owner == self.mover]
        return {f"(move {x} {y} {u} {v})" for x, y in mine for u, v in self.reach((x, y))}

    def make(self, move: str) -> None:
        *origin, x, y = numbers(move)
        if origin:
            self.archer = x, y
            self.board[x, y] = self.board.pop((origin[0], origin[1]))
            return
        self.archer = None
        self.board[x, y] = "arrow"
        self.mover = 1 - self.mover
        if not self.moves():
            self.winner = 1 - self.mover


class Pentago(InARow):
    size, length = 6, 5
    twisting = False

    def moves(self) -> set[str]:
        if not self.twisting:
            return super().moves()
        quarters = product(("low", "high"), ("low", "high"), ("clockwise", "anticlockwise"))
        return {f"(twist {a} {b} {sense})" for a, b, sense in quarters}

    def make(self, move: str) -> None:
        if self.twisting:
            self.twist(*move.strip("()").split()[1:])
            self.mover = 1 - self.mover
        else:
            x, y = numbers(move)
            self.board[x, y] = self.mover
        self.twisting = not self.twisting
        rows = {owner for square, owner in self.board.items() if self.in_a_row(square)}
        if len(rows) == 1:
            self.winner = 1 if rows == {1} else 0
        self.drawn = len(rows) == 2 or (len(self.board) == 36 and not self.twisting)

    def twist(self, a: str, b: str, sense: str) -> None:
        left, bottom = (4 if a == "high" else 1), (4 if b == "high" else 1)
        quarter = {(i, j): self.board.pop((left + i, bottom + j), None) for i, j in product(range(3), range(3))}
        for (i, j), stone in quarter.items():
            if stone is not None:
                u, v = (j, 2 - i) if sense == "clockwise" else (2 - j, i)
                self.board[left + u, bottom + v] = stone


class Draughts(TwoPlayers):
    """Pieces are (owner, is a king)."""

    def __init__(self) -> None:
        super().__init__()
        dark = [(x, y) for x, y in self.squares if (x + y) % 2 == 0 and y not in (4, 5)]
        self.pieces = {(x, y): (int(y > 4), False) for x, y in dark}
        self.chain: Square | None = None
        self.idle = 0

    def ways(self, square: Square) -> list[Way]:
        owner, king = self.pieces[square]
        return [way for way in DIAGONAL if king or way[1] == (-1 if owner else 1)]

    def jumps(self, square: Square) -> Iterator[Square]:
        for way in self.ways(square):
            line = list(ray(square, way, 8))[:2]
            if len(line) == 2 and self.pieces.get(line[0], (self.mover,))[0] != self.mover:
                yield from (line[1:] if line[1] not in self.pieces else ())

    def steps(self, square: Square) -> Iterator[Square]:
        for way in self.ways(square):
            yield from (other for other in list(ray(square, way, 8))[:1] if other not in self.pieces)

    def moves(self) -> set[str]:
        mine = [square for square, (owner, _) in self.pieces.items() if owner == self.mover]
        jumps = {(a, b) for a in ([self.chain] if self.chain else mine) for b in self.jumps(a)}
        pairs, verb = (jumps, "jump") if jumps else ({(a, b) for a in mine for b in self.steps(a)}, "move")
        return {f"({verb} {a[0]} {a[1]} {b[0]} {b[1]})" for a, b in pairs}

    def make(self, move: str) -> None:
        x, y, u, v = numbers(move)
        owner, king = self.pieces.pop((x, y))
        crowned = not king and v == (1 if owner else 8)
        self.pieces[u, v] = owner, king or crowned
        jump = abs(u - x) == 2
        if jump:
            del self.pieces[(x + u) // 2, (y + v) // 2]
        self.idle = self.idle + 1 if king and not jump else 0
        self.chain = (u, v) if jump and not crowned and any(self.jumps((u, v))) else None
        if not self.chain:
            self.mover = 1 - self.mover
        if not self.moves():
            self.winner = 1 - self.mover
        self.drawn = self.idle == 40


class MiniChess(TwoPlayers):
    """Pieces are (owner, letter). Legal is what leaves no own king to be taken: tried out on a copy."""

    size = 5

    def __init__(self) -> None:
        super().__init__()
        self.men = {(x, y): (owner, "RNBQK"[x - 1]) for owner, y in ((0, 1), (1, 5)) for x in range(1, 6)}
        self.men |= {(x, y): (owner, "P") for owner, y in ((0, 2), (1, 4)) for x in range(1, 6)}
        self.ply = 0

    def attacks(self, square: Square) -> Iterator[Square]:
        """Squares that a piece strikes, whoever stands there."""
        owner, kind = self.men[square]
        if kind == "P":
            forward = -1 if owner else 1
            ways = [(-1, forward), (1, forward)]
        else:
            ways = {**RIDERS, "K": EIGHT, "N": KNIGHT}[kind]
        for way in ways:
            for other in ray(square, way, 5):
                yield other
                if other in self.men or kind not in RIDERS:
                    break

    def attempts(self) -> Iterator[tuple[Square, Square]]:
        """Moves before the king's safety is asked for."""
        for square, (owner, kind) in self.men.items():
            if owner == self.mover:
                for other in self.attacks(square):
                    target = self.men.get(other)
                    if (target is None and kind != "P") or (target is not None and target[0] != owner):
                        yield square, other
                ahead = square[0], square[1] + (-1 if owner else 1)
                if kind == "P" and ahead not in self.men:
                    yield square, ahead

    def checked(self) -> bool:
        """Whether the king of the mover is struck."""
        king = next(square for square, man in self.men.items() if man == (self.mover, "K"))
        others = [square for square, (owner, _) in self.men.items() if owner != self.mover]
        return any(king in self.attacks(square) for square in others)

    def safe(self, a: Square, b: Square) -> bool:
        before = self.men
        self.men = {**before, b: before[a]}
        del self.men[a]
        safe = not self.checked()
        self.men = before
        return safe

    def moves(self) -> set[str]:
        return {f"(move {a[0]} {a[1]} {b[0]} {b[1]})" for a, b in self.attempts() if self.safe(a, b)}

    def make(self, move: str) -> None:
        x, y, u, v = numbers(move)
        owner, kind = self.men.pop((x, y))
        self.men[u, v] = owner, "Q" if kind == "P" and v in (1, 5) else kind
        self.mover = 1 - self.mover
        self.ply += 1
        stuck = not self.moves()
        if stuck and self.checked():
            self.winner = 1 - self.mover
        self.drawn = stuck or self.ply == 100


class Nim(TwoPlayers):
    def __init__(self) -> None:
        super().__init__()
        self.piles = {"a": 1, "b": 3, "c": 5, "d": 7}

    def moves(self) -> set[str]:
        return {f"(take {pile} {n})" for pile, size in self.piles.items() for n in range(1, size + 1)}

    def make(self, move: str) -> None:
        _, pile, taken = move.strip("()").split()
        self.piles[pile] -= int(taken)
        if not any(self.piles.values()):
            self.winner = self.mover
        self.mover = 1 - self.mover


class Tron:
    """All players move at once; who is walled in, or enters a square together with another, is out."""

    size = 8
    starts: tuple[Square, ...] = (2, 2), (7, 7)

    def __init__(self) -> None:
        self.riders: list[Square | None] = list(self.starts)
        self.walls = set(self.starts)
        self.last = list(range(len(self.starts)))  # who rode in the last step

    def targets(self, square: Square) -> dict[str, Square]:
        near = {name: list(ray(square, way, self.size))[:1] for name, way in COMPASS.items()}
        return {name: line[0] for name, line in near.items() if line and line[0] not in self.walls}

    def legal(self) -> list[set[str]]:
        return [set(self.targets(square) if square else ()) or {"wait"} for square in self.riders]

    def play(self, moves: list[str]) -> None:
        self.last = [player for player, square in enumerate(self.riders) if square]
        new = [
            self.targets(square)[move] if square and move != "wait" else None
            for square, move in zip(self.riders, moves, strict=True)
        ]
        self.walls |= {square for square in new if square}
        self.riders = [None if new.count(square) > 1 else square for square in new]

    @property
    def over(self) -> bool:
        return sum(square is not None for square in self.riders) < 2

    def goals(self) -> tuple[int, ...]:
        riding = [player for player, square in enumerate(self.riders) if square]
        if len(riding) == 1 and self.over:
            return tuple(100 * (player in riding) for player in range(len(self.riders)))
        return tuple(50 * (player in (riding or self.last)) for player in range(len(self.riders)))


class TronFour(Tron):
    size = 10
    starts = (2, 2), (9, 9), (2, 9), (9, 2)


BY_HAND: dict[str, Callable[[], ByHand]] = {
    "amazons": Amazons,
    "breakthrough": Breakthrough,
    "breakthrough_small": SmallBreakthrough,
    "connect_four": ConnectFour,
    "english_draughts": Draughts,
    "gomoku": InARow,
    "hex": Hex,
    "hex_small": SmallHex,
    "knightthrough": Knightthrough,
    "mini_chess": MiniChess,
    "nim": Nim,
    "pentago": Pentago,
    "reversi": Reversi,
    "tic_tac_toe": TicTacToe,
    "tron": Tron,
    "tron_four": TronFour,
}
