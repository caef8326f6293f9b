"""Draws states in the terminal: a board where the facts form one, else the facts themselves.

Nothing here knows a game. A board is recognised by its structure: facts such as `(cell 3 b white)` or
`(black 3 4)` in which two arguments look like coordinates and together cover most of a rectangle. What is
left of a fact (the other arguments, or the relation's name) is the piece that stands there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Function, Term

Square = tuple[str, str]  # column, row

_ORDINAL = re.compile(r"[a-z]|[a-z]?\d+", re.IGNORECASE)
_EMPTY = ("blank", "empty", "nothing", "none", "free", "clear", "e")
_EMPTY_SQUARE = "."
_COVERED = 0.45  # of the rectangle, at least, for facts to count as a board: draughts use every other square
_SIDES = range(2, 41)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Describes the facts that stand for squares: their names and arity, and which arguments are column and row."""

    names: frozenset[str]
    arity: int
    column: int
    row: int

    def holds(self, fact: Function) -> bool:
        return fact.name in self.names and len(fact.args) == self.arity

    def square(self, fact: Function) -> tuple[Square, str]:
        """Returns the square that a fact is about, and the piece that it puts there."""
        args = list(map(str, fact.args))
        rest = [arg for i, arg in enumerate(args) if i not in (self.column, self.row)]
        return (args[self.column], args[self.row]), " ".join(rest) or fact.name


class BoardDisplay:
    """Draws the states of one game."""

    def __init__(self, vocabulary: Iterable[str], initial: Iterable[str]) -> None:
        """`vocabulary` is every fact that the game knows, as far as known; `initial` the first state."""
        start = _functions(initial)
        facts = [*dict.fromkeys([*_functions(vocabulary), *start])]
        self._layouts = _find_layouts(facts, start)
        placed = [square for fact in facts if (square := self._square(fact))]
        self._columns = _sorted_axis({column for (column, _), _ in placed})
        self._rows = _sorted_axis({row for (_, row), _ in placed})
        pieces = {piece for _, piece in placed}
        filled = len(set(filter(None, map(self._square, start))))
        empty = _empty_piece(pieces, filled == len(self._columns) * len(self._rows))
        self._glyphs = _glyphs(pieces - {empty}) | {empty: _EMPTY_SQUARE}

    def draw(self, facts: Iterable[str]) -> str:
        """Returns the state as lines of text, without a line end behind the last."""
        board: dict[Square, str] = {}
        others: list[str] = []
        for fact in facts:
            square, piece = self._square(parse_term(fact)) or (None, "")
            if square and board.get(square, _EMPTY_SQUARE) == _EMPTY_SQUARE:
                board[square] = self._glyphs.get(piece, "?")
            else:
                others.append(fact)
        return "\n".join([*self._grid(board), *self._legend(board), *_listed(others)])

    def _square(self, fact: Term) -> tuple[Square, str] | None:
        if isinstance(fact, Function):
            for layout in self._layouts:
                if layout.holds(fact):
                    return layout.square(fact)
        return None

    def _grid(self, board: dict[Square, str]) -> list[str]:
        if not self._layouts:
            return []
        width = max(map(len, [*self._columns, *self._glyphs.values()]))
        margin = max(map(len, self._rows))
        lines = [
            f"  {row:>{margin}}  "
            + " ".join(f"{board.get((column, row), _EMPTY_SQUARE):>{width}}" for column in self._columns)
            for row in reversed(self._rows)
        ]
        return [*lines, f"  {'':>{margin}}  " + " ".join(f"{column:>{width}}" for column in self._columns)]

    def _legend(self, board: dict[Square, str]) -> list[str]:
        shown = set(board.values()) - {_EMPTY_SQUARE}
        named = [f"{g} = {piece}" for piece, g in sorted(self._glyphs.items()) if g in shown and g != piece]
        return _listed(named, ", ")


def _functions(facts: Iterable[str]) -> list[Function]:
    return [term for term in map(parse_term, facts) if isinstance(term, Function)]


def _find_layouts(facts: Sequence[Function], start: Sequence[Function]) -> list[_Layout]:
    """The reading of the facts that covers most squares, then those of other facts on the same board.

    Relations of two arguments, such as `(black x y)`, are read together.
    """
    groups: dict[tuple[str, int], list[Function]] = defaultdict(list)
    for fact in facts:
        groups["" if len(fact.args) == 2 else fact.name, len(fact.args)].append(fact)
    if _is_table(groups["", 2], start):
        del groups["", 2]
    readings = sorted(filter(None, map(_reading, groups.values())), key=lambda reading: -len(reading[1]))
    board = readings[0][1] if readings else set()
    return [layout for layout, squares in readings if squares <= board]


def _is_table(pairs: Sequence[Function], start: Sequence[Function]) -> bool:
    """Says whether pairs such as `(pile a 3)` give each thing a number, rather than name squares."""
    keys = [str(fact.args[0]) for fact in start if len(fact.args) == 2]
    return sorted(keys) == sorted({str(fact.args[0]) for fact in pairs})


def _reading(group: Sequence[Function]) -> tuple[_Layout, set[Square]] | None:
    """How facts of one kind are best read as squares, and which; None if they do not look like a board."""
    arity = len(group[0].args)
    best: tuple[_Layout, set[Square]] | None = None
    for column, row in permutations(range(arity), 2):
        squares = {(str(fact.args[column]), str(fact.args[row])) for fact in group}
        if _is_board(squares) and (best is None or len(squares) > len(best[1])):
            best = _Layout(frozenset(fact.name for fact in group), arity, column, row), squares
    return best


def _is_board(squares: set[Square]) -> bool:
    columns, rows = ({square[axis] for square in squares} for axis in (0, 1))
    if not all(map(_ORDINAL.fullmatch, columns | rows)):
        return False
    if len(columns) not in _SIDES or len(rows) not in _SIDES or (_lettered(rows) and not _lettered(columns)):
        return False
    return len(squares) >= _COVERED * len(columns) * len(rows)


def _lettered(axis: Iterable[str]) -> bool:
    return any(label.isalpha() for label in axis)


def _sorted_axis(labels: Iterable[str]) -> list[str]:
    def rank(label: str) -> tuple[str, int]:
        return label.rstrip("0123456789"), int(re.sub(r"\D", "", label) or 0)

    return sorted(labels, key=rank)


def _empty_piece(pieces: Iterable[str], whole: bool) -> str:
    """The piece that stands for an empty square: by name, or `b` where the first state fills the board."""
    named = [piece for piece in _EMPTY if piece in pieces]
    return named[0] if named else "b" if whole and "b" in pieces else _EMPTY_SQUARE


def _glyphs(pieces: Iterable[str]) -> dict[str, str]:
    """Returns for each piece a short mark that no other piece has."""
    glyphs: dict[str, str] = {}
    for piece in sorted(pieces, key=lambda piece: (len(piece), piece)):
        glyphs[piece] = next((mark for mark in _marks(piece) if mark not in glyphs.values()), piece)
    return glyphs


def _marks(piece: str) -> Iterator[str]:
    """Marks for a piece, best first: `wp` for `wp`, `white_pawn` and `whitePawn`, `w` for `white`."""
    if len(piece) <= 2:
        yield piece
    first, *others = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", piece) or [piece]
    if others:
        yield from (first[0] + others[0][:n] for n in range(1, len(others[0]) + 1))
    else:
        yield from (piece[:n] for n in range(1, len(piece) + 1))


def _listed(items: Sequence[str], separator: str = " ") -> list[str]:
    return ["  " + separator.join(items)] if items else []
