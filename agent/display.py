"""Draws states in the terminal: a board where the facts form one, else the facts themselves.

Nothing here knows a game. A board is recognised by its structure: facts such as `(cell 3 b white)` or
`(black 3 4)` in which two arguments look like coordinates and together cover most of a rectangle. What is
left of a fact (the other arguments, or the relation's name) is the piece that stands there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from propnet.parser import parse_term
from propnet.syntax import Function

Square = tuple[str, str]  # column, row

_ORDINAL = re.compile(r"[a-z]|[a-z]?\d+", re.IGNORECASE)
_EMPTY = ("blank", "empty", "nothing", "none", "free", "clear", "e")
_COVERED = 0.6  # of the rectangle, at least, for facts to count as a board
_SIDES = range(2, 41)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which facts are squares: of this shape, with these two arguments as column and row."""

    arity: int
    column: int
    row: int
    names: frozenset[str]

    def square(self, fact: Function) -> tuple[Square, str]:
        args = list(map(str, fact.args))
        rest = [arg for i, arg in enumerate(args) if i not in (self.column, self.row)]
        return (args[self.column], args[self.row]), " ".join(rest) or fact.name


class Board:
    """Draws the states of one game."""

    def __init__(self, vocabulary: Iterable[str], initial: Iterable[str]) -> None:
        """`vocabulary` is every fact that the game knows, as far as known; `initial` the first state."""
        facts = _functions([*vocabulary, *initial])
        self._layout = _find_layout(facts)
        if self._layout:
            placed = [self._layout.square(fact) for fact in facts if fact.name in self._layout.names]
            self._columns = _sorted_axis({column for (column, _), _ in placed})
            self._rows = _sorted_axis({row for (_, row), _ in placed})
            pieces = {piece for _, piece in placed}
            empty = _empty_piece(pieces, self._whole_board(initial))
            self._glyphs = _glyphs(pieces - {empty}) | {empty: "."}

    def draw(self, facts: Iterable[str]) -> str:
        """The state as lines of text, without a line end behind the last."""
        if not self._layout:
            return "  " + " ".join(facts)
        board: dict[Square, str] = {}
        others: list[str] = []
        for fact in facts:
            term = parse_term(fact)
            if isinstance(term, Function) and _is_square(term, self._layout):
                square, piece = self._layout.square(term)
                board[square] = self._glyphs.get(piece, "?")
            else:
                others.append(fact)
        return "\n".join([*self._grid(board), *self._legend(board), *_listed(others)])

    def _grid(self, board: dict[Square, str]) -> list[str]:
        width = max(map(len, [*self._columns, *self._glyphs.values()]))
        margin = max(map(len, self._rows))
        lines = [
            f"  {row:>{margin}}  " + " ".join(f"{board.get((c, row), '.'):>{width}}" for c in self._columns)
            for row in reversed(self._rows)
        ]
        return [*lines, f"  {'':>{margin}}  " + " ".join(f"{c:>{width}}" for c in self._columns)]

    def _legend(self, board: dict[Square, str]) -> list[str]:
        shown = set(board.values()) - {"."}
        named = [f"{g} = {piece}" for piece, g in sorted(self._glyphs.items()) if g in shown and g != piece]
        return ["  " + ", ".join(named)] if named else []

    def _whole_board(self, initial: Iterable[str]) -> bool:
        assert self._layout
        filled = [f for f in _functions(initial) if _is_square(f, self._layout)]
        return len(filled) == len(self._columns) * len(self._rows)


def _functions(facts: Iterable[str]) -> list[Function]:
    terms = map(parse_term, dict.fromkeys(facts))
    return [term for term in terms if isinstance(term, Function)]


def _is_square(fact: Function, layout: _Layout) -> bool:
    return fact.name in layout.names and len(fact.args) == layout.arity


def _find_layout(facts: Sequence[Function]) -> _Layout | None:
    """The reading of the facts that covers the most squares; relations `(piece x y)` are read together."""
    groups: dict[tuple[str, int], list[Function]] = defaultdict(list)
    for fact in facts:
        groups["" if len(fact.args) == 2 else fact.name, len(fact.args)].append(fact)
    best: tuple[int, _Layout] | None = None
    for (_, arity), group in groups.items():
        for column, row in permutations(range(arity), 2):
            squares = _coverage(group, column, row)
            if squares and (best is None or squares > best[0]):
                best = squares, _layout(group, column, row)
    return best[1] if best else None


def _layout(group: Sequence[Function], column: int, row: int) -> _Layout:
    names = frozenset(fact.name for fact in group)
    return _Layout(len(group[0].args), column, row, names)


def _coverage(group: Sequence[Function], column: int, row: int) -> int:
    """How many squares these facts name, or 0 if they do not look like a board with these two axes."""
    squares = {(str(fact.args[column]), str(fact.args[row])) for fact in group}
    columns, rows = ({square[axis] for square in squares} for axis in (0, 1))
    if not all(map(_ORDINAL.fullmatch, columns | rows)):
        return 0
    if len(columns) not in _SIDES or len(rows) not in _SIDES or (_lettered(rows) and not _lettered(columns)):
        return 0
    return len(squares) if len(squares) >= _COVERED * len(columns) * len(rows) else 0


def _lettered(axis: Iterable[str]) -> bool:
    return any(label.isalpha() for label in axis)


def _sorted_axis(labels: Iterable[str]) -> list[str]:
    def rank(label: str) -> tuple[str, int]:
        return label.rstrip("0123456789"), int(re.sub(r"\D", "", label) or 0)

    return sorted(labels, key=rank)


def _empty_piece(pieces: Iterable[str], whole: bool) -> str:
    """The piece that stands for an empty square: by name, or `b` where the first state fills the board."""
    named = [piece for piece in _EMPTY if piece in pieces]
    return named[0] if named else "b" if whole and "b" in pieces else "."


def _glyphs(pieces: Iterable[str]) -> dict[str, str]:
    """The shortest mark for each piece that no other piece has, tried on its first letters."""
    glyphs: dict[str, str] = {}
    for piece in sorted(pieces, key=lambda piece: (len(piece), piece)):
        marks = [piece[:n] for n in range(1, len(piece) + 1)]
        glyphs[piece] = next((m for m in marks if m not in glyphs.values()), piece)
    return glyphs


def _listed(facts: Sequence[str]) -> list[str]:
    return ["  " + " ".join(facts)] if facts else []
