"""Draws states in the terminal: a board where the facts form one, else the facts themselves.

Nothing here knows a game: `layouts` finds boards by the structure of facts. A board of which every square has a column
and a row is a grid; places with other names stand side by side, each with its name.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.text import Text

from ludens.agent.commands.layouts import Square, find_layouts, functions, sorted_labels
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Term

UNBROKEN = "\N{NO-BREAK SPACE}"
"""A blank at which no line ends."""

_EMPTY = ("blank", "empty", "nothing", "none", "free", "clear", "e")
_EMPTY_SQUARE = "."
_WIDTH = 72  # of places side by side
_CHANGED = "reverse"
_EMPTY_STYLE = "dim"
_PIECE_STYLES = ("bold cyan", "bold yellow", "bold magenta", "bold green", "bold red", "bold blue")


class BoardDisplay:
    """Draws the states of one game."""

    def __init__(
        self, vocabulary: Iterable[str], initial: Iterable[str], others: Iterable[Iterable[str]] = (), width: int = 110
    ) -> None:
        """`vocabulary` is every fact that the game knows, as far as known; `initial` the first state.

        `others` are more states of the game, which show what can be on the same place at the same time. Facts that are
        on no board are listed in lines of at most `width` columns.
        """
        self._width = width
        states = [functions(state) for state in (initial, *others)]
        start = states[0]
        facts = [*dict.fromkeys([*functions(vocabulary), *(fact for state in states for fact in state)])]
        self._layouts = find_layouts(facts, states)
        placed = [square for fact in facts if (square := self._square(fact))]
        self._columns = sorted_labels({column for (column, _), _ in placed})
        self._rows = sorted_labels({row for (_, row), _ in placed})
        pieces = {piece for _, piece in placed}
        squares = {square for square, _ in placed}
        empty = _empty_piece(pieces, len(set(filter(None, map(self._square, start)))) == len(squares))
        self._glyphs = _glyphs(pieces - {empty}) | {empty: _EMPTY_SQUARE}
        self._styles = _styles(self._glyphs.values())

    def draw(self, facts: Iterable[str]) -> str:
        """Returns the state as lines of text, without a line end behind the last."""
        return self.render(facts).plain

    def render(self, facts: Iterable[str], before: Iterable[str] | None = None, known: Collection[str] = ()) -> Text:
        """Returns the state as `draw` does, in colours; squares that were others in the state `before` are marked.

        What `known` names needs no explanation: marks of pieces, as `marks` returns them.
        """
        board, others = self._read(facts)
        old = board if before is None else self._read(before)[0]
        changed = {square for square in {*board, *old} if _mark(board, square) != _mark(old, square)}
        lines = [*self._picture(board, changed), *self._legend(board, known), *_listed(others, self._width)]
        return Text("\n").join(lines)

    def marks(self, facts: Iterable[str]) -> set[str]:
        """Returns the marks of the pieces on the board."""
        return set(self._read(facts)[0].values()) - {_EMPTY_SQUARE}

    def _read(self, facts: Iterable[str]) -> tuple[dict[Square, str], list[str]]:
        """Returns the mark on each square that is not empty, and the facts that say something else."""
        board: dict[Square, str] = {}
        others: list[str] = []
        for fact in facts:
            square, piece = self._square(parse_term(fact)) or (None, "")
            if square and board.get(square, _EMPTY_SQUARE) == _EMPTY_SQUARE:
                board[square] = self._glyphs.get(piece, "?")
            else:
                others.append(fact)
        return board, others

    def _square(self, fact: Term) -> tuple[Square, str] | None:
        return next((found for layout in self._layouts if (found := layout.read(fact))), None)

    def _picture(self, board: dict[Square, str], changed: Collection[Square]) -> Iterator[Text]:
        if not self._layouts:
            return
        width = max(map(len, self._glyphs.values()))
        if self._layouts[0].is_grid:
            width = max(width, *map(len, self._columns))
            margin = max(map(len, self._rows))
            for row in reversed(self._rows):
                cells = [self._cell(board, (column, row), width, changed) for column in self._columns]
                yield Text(f"  {row:>{margin}}  ").append(Text(" ").join(cells))
            yield Text(f"  {'':>{margin}}  " + " ".join(f"{column:>{width}}" for column in self._columns))
            return
        label = max(map(len, self._columns))
        places = [
            Text(f"{place:>{label}} ").append(self._cell(board, (place, ""), -width, changed))
            for place in self._columns
        ]
        side = math.isqrt(len(places))
        fit = max(1, _WIDTH // (label + width + 4))
        per_line = side if side * side == len(places) and side <= fit else fit
        for first in range(0, len(places), per_line):
            yield Text("  ").append(Text("   ").join(places[first : first + per_line]))

    def _cell(self, board: dict[Square, str], square: Square, width: int, changed: Collection[Square]) -> Text:
        """Returns what stands on a square, filled up on the left, or with a negative `width` on the right."""
        mark = _mark(board, square)
        style = f"{self._styles.get(mark, '')} {_CHANGED if square in changed else ''}".strip()
        gap = " " * (abs(width) - len(mark))
        cell = Text(mark, style)
        return Text(gap).append(cell) if width > 0 else cell.append(gap, "")

    def _legend(self, board: dict[Square, str], known: Collection[str]) -> list[Text]:
        shown = set(board.values()) - {_EMPTY_SQUARE} - set(known)
        named = [f"{g} = {piece}" for piece, g in sorted(self._glyphs.items()) if g in shown and g != piece]
        return _listed(named, self._width, ",")


def _mark(board: dict[Square, str], square: Square) -> str:
    return board.get(square, _EMPTY_SQUARE)


def _empty_piece(pieces: Iterable[str], whole: bool) -> str:
    """The piece that stands for an empty square: by name, or `b` where the first state fills the board."""
    named = [piece for piece in _EMPTY if piece in pieces]
    return named[0] if named else "b" if whole and "b" in pieces else _EMPTY_SQUARE


def _styles(marks: Iterable[str]) -> dict[str, str]:
    """Returns a colour for each mark: the same for those that begin with the same letter, as pieces of a side do."""
    firsts = sorted({mark[0].lower() for mark in marks if mark != _EMPTY_SQUARE})
    colours = {first: _PIECE_STYLES[i % len(_PIECE_STYLES)] for i, first in enumerate(firsts)}
    return {mark: colours.get(mark[0].lower(), _EMPTY_STYLE) for mark in marks}


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


def _listed(items: Sequence[str], width: int, separator: str = "") -> list[Text]:
    """Returns the items in lines of so many columns, none of which ends within an item."""
    if not items:
        return []
    return [Text(fill(f"{separator} ".join(item.replace(" ", UNBROKEN) for item in items), width, "  ", "  "))]


def fill(text: str, width: int, first: str, others: str) -> str:
    """Returns a text in lines with these indents that end between words; blanks that are `UNBROKEN` end no line."""
    wrapped = textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return wrapped.replace(UNBROKEN, " ")
