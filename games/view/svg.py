"""Draws positions as SVG that stands alone, for notebooks and documents: no script, no style sheet, no other file.

Boards lie in rows; what is in hands, counters and facts stands below them as text. Each piece has the colour of its
owner: one that its name says, else one of a palette for the colour-blind (Okabe and Ito, 2008).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from ludens.games.view.reader import CARDS
from ludens.games.view.text import TextBoard, stacked
from ludens.games.view.vocabulary import Board, GameView, Piece, PositionView, Stack, Step

_UNIT = 100.0  # a square
_MARGIN, _LABELS = 10.0, 40.0
_PIXELS, _WIDEST = 0.46, 620.0  # of a unit; of a picture
_ROW_WIDTH = 1500.0  # from which boards go to the next row
_LINE, _LETTERS = 38.0, 90  # height and length of lines of text
_LONGEST_TEXT = 12  # letters of what is written on a piece
_MOST_STACKED, _MOST_SPREAD = 4, 9  # pieces that are shown on a place
_SPREAD = frozenset({"number", "letter", "card"})  # shapes that hide each other: several on a place stand side by side

_INK, _PAPER, _EDGE, _BADGE, _WALL = "#2a2018", "#ffffff", "#7d6245", "#2f7fd6", "#4a1f14"
_STONE = 'fill="#6b625a" stroke="#3d3733" stroke-width="3"'
_UPRIGHT = f'<rect x="-50" y="-15" width="100" height="30" {_STONE}/>'  # a wall on a piece
_LIGHT, _DARK, _BLOCKED = "#ecd9b5", "#b58b64", "#d8d8d8"


class _Colour(NamedTuple):
    fill: str
    edge: str
    ink: str = _INK  # of letters on the fill


_COLOURS = {
    "blue": _Colour("#0072b2", "#003a5c", _PAPER),
    "orange": _Colour("#e69f00", "#6e4b00"),
    "green": _Colour("#009e73", "#00503a"),
    "purple": _Colour("#cc79a7", "#6d2f52"),
    "yellow": _Colour("#f0e442", "#7a7200"),
    "red": _Colour("#d55e00", "#6b2f00"),
    "white": _Colour("#fbfbf7", "#2b2b2b"),
    "black": _Colour("#26262a", "#000000", _PAPER),
    "grey": _Colour("#9a9a9a", "#4a4a4a"),
}
_CHESSMEN = dict(zip(("chess-king", "queen", "rook", "bishop", "knight", "pawn"), "♚♛♜♝♞♟", strict=True))
_AS_TEXT = "\ufe0e"  # a chessman is no emoji


class Note(NamedTuple):
    """A move that is marked on the board: where it goes, and a word or two on its last place."""

    steps: Sequence[Step]
    word: str
    best: bool = False


class SvgBoard:
    """Draws the positions of one game."""

    def __init__(self, view: GameView) -> None:
        self._view = view
        self._colours = role_colours(view.roles)
        self._words = TextBoard(view, _LETTERS)

    def draw(self, position: PositionView, notes: Sequence[Note] = (), title: str = "") -> str:
        """Returns a position as SVG; of notes on the same place the first one is shown."""
        parts: list[str] = []
        x = y = width = bottom = 0.0
        for number, (board, on) in enumerate(zip(self._view.boards, position.boards, strict=True)):
            if board.id == CARDS and not any(on):
                continue
            drawn = _Drawing(board)
            if x and x + drawn.width > _ROW_WIDTH:
                x, y = 0.0, bottom
            walls = drawn.walls([(one[1], other[1]) for one, other in position.walls if one[0] == number])
            pieces = (self._stack(drawn, place, stack, position) for place, stack in enumerate(on) if stack)
            marks = _marks(drawn, number, on, notes)
            inside = "".join([*drawn.places(), *walls, *pieces, *marks])
            parts.append(f'<g transform="translate({x:g} {y:g})">{inside}</g>')
            x, bottom = x + drawn.width, max(bottom, y + drawn.height)
            width = max(width, x)
        lines = [*([title] if title else []), *self._words.beside(position)]
        height = bottom + _LINE * len(lines) + (_MARGIN if lines else 0)
        width = max(width, *(0.52 * 30 * len(line) + 2 * _MARGIN for line in lines), 2 * _UNIT)
        parts += [_words(_MARGIN, bottom + _LINE * (i + 0.75), line, 30, "start") for i, line in enumerate(lines)]
        return _picture(width, height, f"{self._view.game}: {title}" if title else self._view.game, parts)

    def _stack(self, drawn: _Drawing, place: int, stack: Stack, position: PositionView) -> str:
        """What stands on a place: one on another, or side by side if they would hide each other."""
        pieces = [self._piece(key, position) for key in stacked(stack)]
        if len(pieces) > 1 and any(piece.shape in _SPREAD for piece in pieces):
            parts = self._side_by_side(pieces[-_MOST_SPREAD:], drawn.is_track)
        else:
            parts = self._pile(pieces)
        x, y = drawn.middles[place]
        return _placed(x, y, drawn.scale, "".join(parts))

    def _pile(self, pieces: Sequence[Piece]) -> Iterator[str]:
        """Pieces from bottom to top, each a little higher, and how many there are of more than two.

        A wall on others stands upright, so that one sees whose piece it is on. Neither it nor a mark is counted.
        """
        shown = pieces[-_MOST_STACKED:]
        scale, lift = (1.0, 0.0) if len(shown) == 1 else (0.8, 12.8)
        for i, piece in enumerate(shown):
            markup = _UPRIGHT if i and piece.shape == "wall" else self._markup(piece)
            yield _placed(0, lift * ((len(shown) - 1) / 2 - i), scale, markup)
        count = sum(piece.shape not in ("wall", "mark") for piece in pieces)
        if count > 2:
            yield _words(35, -27, str(count), 21)

    def _side_by_side(self, pieces: Sequence[Piece], is_tower: bool) -> Iterator[str]:
        """Pieces in as many rows as columns; those of a tower above each other, over the name of the place."""
        columns = 1 if is_tower else math.ceil(math.sqrt(len(pieces)))
        rows = math.ceil(len(pieces) / columns)
        step, middle = (66 / rows, -14) if is_tower else (92 / max(columns, rows), 0)
        for i, piece in enumerate(reversed(pieces) if is_tower else pieces):
            row, column = divmod(i, columns)
            x, y = (column - (columns - 1) / 2) * step, middle + (row - (rows - 1) / 2) * step
            yield _placed(x, y, min(0.5, step / 66), self._markup(piece))

    def _piece(self, key: str, position: PositionView) -> Piece:
        return self._view.pieces.get(key) or position.pieces.get(key) or Piece("letter", None, key)

    def _markup(self, piece: Piece) -> str:
        if piece.owner is not None:
            colour = self._colours[piece.owner]
        else:
            colour = _COLOURS[_named_colour(piece.text) or "grey"]
        return "".join(_shape(piece, colour))


def role_colours(roles: Sequence[str]) -> list[_Colour]:
    """Returns the colour of each role: one that its name says, else one that no other has."""
    named = [_named_colour(role) for role in roles]
    free = (name for name in _COLOURS if name not in named)
    return [_COLOURS[name or next(free, "grey")] for name in named]


def _named_colour(text: str) -> str | None:
    return next((name for name in _COLOURS if name in text.lower()), None)


# ---- Boards ----


class _Drawing:
    """Where the places of a board are drawn, with y downward."""

    def __init__(self, board: Board) -> None:
        self._board = board
        labels = _LABELS if board.style == "squares" and (board.columns or board.rows) else 0.0
        self.middles = [
            (place.x * _UNIT + _MARGIN + labels, (board.height - place.y) * _UNIT + _MARGIN) for place in board.places
        ]
        self.width = board.width * _UNIT + 2 * _MARGIN + labels
        self.height = board.height * _UNIT + 2 * _MARGIN + labels
        self.is_track = board.style == "track"
        self._distance = _UNIT if board.style == "squares" else _nearest(self.middles)
        self.scale = {"squares": 1.0, "hexagons": 0.92, "graph": 0.78, "track": 0.9}[board.style]
        self.scale *= min(1.6, self._distance / _UNIT)

    def places(self) -> Iterator[str]:
        """The lines between places, the places, and their names."""
        for i, j in self._board.edges:
            yield _line(self.middles[i], self.middles[j], _EDGE, 6)
        halved = any(place.blocked for place in self._board.places)
        for place, middle in zip(self._board.places, self.middles, strict=True):
            dark = self._board.checkered and (not place.blocked if halved else (int(place.x) + int(place.y)) % 2 == 0)
            fill = _DARK if dark else _LIGHT if self._board.checkered or not place.blocked else _BLOCKED
            yield self._outline(*middle, fill)
            if self._board.style != "squares" and self._board.id != CARDS and not place.blocked:
                yield _words(middle[0], middle[1] + self._distance * 0.4, place.label, 16)
        if self._board.style == "squares":
            yield from self._axis(self._board.columns, 0)
            yield from self._axis(self._board.rows, 1)

    def walls(self, walls: Sequence[tuple[int, int]]) -> Iterator[str]:
        """Lines between the two places of each wall, across the way from one to the other."""
        half = self._distance / (3.5 if self._board.style == "hexagons" else 2)
        for one, other in walls:
            (ax, ay), (bx, by) = self.middles[one], self.middles[other]
            length = math.hypot(bx - ax, by - ay)
            x, y, dx, dy = (ax + bx) / 2, (ay + by) / 2, -(by - ay) / length * half, (bx - ax) / length * half
            yield _line((x - dx, y - dy), (x + dx, y + dy), _WALL, 12)

    def _axis(self, labels: Sequence[str], axis: int) -> Iterator[str]:
        """The names of columns below the board, or those of rows on its left."""
        at = {
            int(place.y if axis else place.x): middle[axis]
            for place, middle in zip(self._board.places, self.middles, strict=True)
        }
        for number, middle in sorted(at.items()):
            if number < len(labels):
                x, y = (_LABELS / 2, middle + 9) if axis else (middle, self.height - _MARGIN)
                yield _words(x, y, labels[number], 26)

    def _outline(self, x: float, y: float, fill: str) -> str:
        look = f'fill="{fill}" stroke="{_EDGE}" stroke-width="1.5"'
        if self._board.style == "hexagons":
            radius, turned = self._distance / math.sqrt(3), _facing(self.middles, self._distance)
            corners = (turned + math.pi / 6 + i * math.pi / 3 for i in range(6))
            points = " ".join(f"{x + radius * math.cos(a):.1f},{y + radius * math.sin(a):.1f}" for a in corners)
            return f'<polygon points="{points}" {look}/>'
        if self._board.style == "graph":
            return f'<circle cx="{x:g}" cy="{y:g}" r="{self._distance * 0.36:g}" {look}/>'
        side = self._distance
        round_by = side * 0.14 if self.is_track else 0
        corner = f'x="{x - side / 2:g}" y="{y - side / 2:g}"'
        return f'<rect {corner} width="{side:g}" height="{side:g}" rx="{round_by:g}" {look}/>'


def _nearest(middles: Sequence[tuple[float, float]]) -> float:
    """Returns the smallest distance between two places."""
    found = [away for i, a in enumerate(middles) for b in middles[i + 1 :] if (away := math.dist(a, b)) > 0]
    return min([*found, 2 * _UNIT]) if found else _UNIT


def _facing(middles: Sequence[tuple[float, float]], distance: float) -> float:
    """Returns the angle from a place to one of its nearest."""
    for a in middles:
        for b in middles:
            if 0 < math.dist(a, b) < distance * 1.02:
                return math.atan2(b[1] - a[1], b[0] - a[0])
    return 0.0


# ---- Pieces: markup in a square of 100 around the origin ----


def _shape(piece: Piece, colour: _Colour) -> Iterator[str]:
    body = f'fill="{colour.fill}" stroke="{colour.edge}" stroke-width="3"'
    line = f'fill="none" stroke="{colour.edge}" stroke-width="3"'
    if piece.shape in _CHESSMEN:
        yield _outlined(_CHESSMEN[piece.shape] + _AS_TEXT, 86, colour)
        return
    match piece.shape:
        case "stone" | "marble":
            yield f'<circle r="{40 if piece.shape == "stone" else 34}" {body}/>'
        case "man":
            yield f'<circle r="40" {body}/><circle r="30" {line}/>'
        case "king":
            yield f'<circle r="40" {body}/><path d="M-20 14v-26l10 10 10-16 10 16 10-10v26z" {line}/>'
        case "mark":
            yield f'<circle r="30" fill="none" stroke="{colour.fill}" stroke-width="7" stroke-dasharray="15 8.5"/>'
        case "arrow":
            yield f'<path d="M0-36 30 2H12V36H-12V2H-30Z" {body}/>'
        case "trail":
            yield f'<rect x="-38" y="-38" width="76" height="76" rx="10" opacity="0.6" {body}/>'
        case "wall":
            yield f'<rect x="-48" y="-48" width="96" height="96" {_STONE}/>'
        case "card":
            width, height = (94, 56) if len(piece.text) > 3 else (60, 84)  # on its side for a word
            look = f'rx="8" fill="#fffdf6" stroke="{colour.edge}"'
            yield f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" height="{height}" {look}/>'
            yield _centred(piece.text, width - 8, 40, _INK)
        case "number":
            yield _centred(piece.text, 84, 56, _INK)
        case _ if len(piece.text) > 2:
            yield f'<rect x="-44" y="-24" width="88" height="48" rx="12" {body}/>'
            yield _centred(piece.text, 78, 34, colour.ink)
        case _:
            yield _outlined(piece.text, _fitted(piece.text, 84, 74), colour)


def _centred(text: str, width: float, size: float, colour: str) -> str:
    """A text in the middle of the square, no wider than this; a long one is cut short."""
    shown = text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
    size = _fitted(shown, width, size)
    return _words(0, 0.36 * size, shown, size, colour=colour)


def _fitted(text: str, width: float, size: float) -> float:
    """Returns the size of letters with which a text is no wider than this."""
    return min(size, 1.4 * width / max(1, len(text)))


def _outlined(text: str, size: float, colour: _Colour) -> str:
    """A text in a colour, readable on any ground."""
    edge = "#f5f1e8" if colour.fill == _COLOURS["black"].fill else colour.edge
    look = f'fill="{colour.fill}" stroke="{edge}" stroke-width="4" paint-order="stroke" font-weight="bold"'
    place = f'y="{0.36 * size:g}" font-size="{size:g}" text-anchor="middle"'
    return f"<text {place} {look}>{escape(text)}</text>"


# ---- Marks ----


def _marks(drawn: _Drawing, number: int, on: Sequence[Stack], notes: Sequence[Note]) -> Iterator[str]:
    """The notes on one board, in the corner of places that hold something; the first ones lie on top."""
    first: dict[int, Note] = {}
    for note in notes:
        if note.steps and note.steps[-1][0] == number:
            first.setdefault(note.steps[-1][1], note)
    for place, note in reversed(first.items()):
        points = [drawn.middles[at] for board, at in note.steps if board == number]
        width = 9 if note.best else 4
        for a, b in pairwise(points):
            yield _line(a, b, _BADGE, 2 * width, 0.55)
        x, y = drawn.middles[place]
        radius = (23 if on[place] else 34) * min(1.0, drawn.scale)
        if on[place]:
            x, y = x + 24 * drawn.scale, y - 24 * drawn.scale
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{_PAPER}" stroke="{_BADGE}" stroke-width="{width}"/>'
        size = _fitted(note.word, 1.6 * radius, 0.9 * radius)
        yield _words(x, y + 0.36 * size, note.word, size)


def _placed(x: float, y: float, scale: float, markup: str) -> str:
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{markup}</g>'


def _line(a: tuple[float, float], b: tuple[float, float], colour: str, width: float, opacity: float = 1.0) -> str:
    ends = f'x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round" opacity="{opacity:g}"/>'


def _words(x: float, y: float, text: str, size: float, anchor: str = "middle", colour: str = _INK) -> str:
    look = f'font-size="{size:g}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:g}" y="{y:g}" {look} xml:space="preserve">{escape(text)}</text>'


def _picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """The whole file, on a white ground, so that it reads in light and dark notebooks alike."""
    pixels = min(_PIXELS * width, _WIDEST)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{pixels:.0f}" '
        f'height="{pixels * height / width:.0f}" font-family="Helvetica, Arial, sans-serif" role="img">'
    )
    ground = f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{_PAPER}"/>'
    return "".join([head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>"])
