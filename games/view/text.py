"""Draws positions in the terminal, with Unicode and colours, from the same views as the page.

Places stand where their coordinates say: squares in rows with labels, hexagons in rows that are shifted, graphs with
their edges left out, tracks with the name of each place. Walls are drawn between squares side by side, and others are
listed below, where a mark that is not the piece's own text is explained too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rich.text import Text

from ludens.games.view.reader import CARD, CARDS
from ludens.games.view.vocabulary import Board, GameView, Piece, PositionView, Stack
from ludens.games.view.walls import Wall
from ludens.propnet.base.words import UNBROKEN, fill

_EMPTY, _CHANGED, _EMPTY_STYLE = ".", "reverse", "dim"
_STYLES = ("bold cyan", "bold yellow", "bold magenta", "bold green", "bold red", "bold blue")
_BETWEEN = "    "  # boards side by side
_CHESSMEN = ("chess-king", "queen", "rook", "bishop", "knight", "pawn")
_WHITE, _BLACK = dict(zip(_CHESSMEN, "♔♕♖♗♘♙", strict=True)), dict(zip(_CHESSMEN, "♚♛♜♝♞♟", strict=True))
_STONES = {"stone": "●○◆◇▲△", "marble": "●○◆◇▲△", "man": "●○◆◇▲△", "king": "◉◎◈◈▲△"}
_THINGS = {"arrow": "×", "wall": "█", "trail": "▒", "mark": "'"}


class TextBoard:
    """Draws the positions of one game."""

    def __init__(self, view: GameView, width: int = 110) -> None:
        """Boards side by side, and lists, take at most `width` columns."""
        self._view, self._width = view, width
        self._glyphs = _glyphs(view)

    def draw(self, position: PositionView) -> str:
        """Returns a position as lines of text, without a line end behind the last."""
        return self.render(position).plain

    def render(self, position: PositionView, before: PositionView | None = None, known: Collection[str] = ()) -> Text:
        """Returns a position as `draw` does, in colours; places that were others `before` are marked.

        What `known` names needs no explanation: keys of pieces, as `keys` returns them.
        """
        glyphs = self._glyphs | {key: (piece.text, "") for key, piece in position.pieces.items()}
        old = position if before is None else before
        boards = [
            _Picture(board, now, then, glyphs, [(a[1], b[1]) for a, b in self._drawn_walls(position) if a[0] == i])
            for i, (board, now, then) in enumerate(zip(self._view.boards, position.boards, old.boards, strict=True))
            if board.id != CARDS
        ]
        lines = [*_side_by_side([picture.lines() for picture in boards], self._width)]
        lines += self._legend(position, glyphs, known)
        lines += listed([*self._walls_in_words(position), *self._beside(position)], self._width)
        return Text("\n").join(lines)

    def beside(self, position: PositionView) -> list[str]:
        """Returns in lines what is on no board: hands, counters and facts."""
        return [
            line.strip() for text in listed(self._beside(position), self._width) for line in text.plain.splitlines()
        ]

    def keys(self, position: PositionView) -> set[str]:
        """Returns the keys of the pieces on the boards."""
        keys = {key for board in position.boards for stack in board for key in stacked(stack)}
        return {key for key in keys if not key.startswith(CARD)}

    def _legend(
        self, position: PositionView, glyphs: Mapping[str, tuple[str, str]], known: Collection[str]
    ) -> list[Text]:
        chessmen = {key for key, piece in self._view.pieces.items() if piece.shape in _CHESSMEN}
        shown = sorted(self.keys(position) - set(known) - chessmen)
        named = [f"{glyphs[key][0]} = {key}" for key in shown if glyphs[key][0] != key]
        return listed([name for name in named if not _says_itself(*name.split(" = ", 1))], self._width, ",")

    def _drawn_walls(self, position: PositionView) -> list[Wall]:
        """The walls between squares of a row or a column, for which there is room in a picture."""
        found = []
        for wall in position.walls:
            boards = [self._view.boards[board] for board, _ in wall]
            one, other = (board.places[place] for board, (_, place) in zip(boards, wall, strict=True))
            if boards[0].style == "squares" and abs(one.x - other.x) + abs(one.y - other.y) == 1:
                found.append(wall)
        return found

    def _walls_in_words(self, position: PositionView) -> list[str]:
        drawn = set(self._drawn_walls(position))
        others = [wall for wall in position.walls if wall not in drawn]
        labels = [[self._view.boards[board].places[place].label for board, place in wall] for wall in others]
        return [f"(wall between {one} and {other})" for one, other in labels]

    def _beside(self, position: PositionView) -> list[str]:
        roles = self._view.roles
        lines = []
        for hand in position.hands:
            held = ", ".join(key if count == 1 else f"{count} {key}" for key, count in hand.pieces.items())
            lines.append(f"{'' if hand.role is None else roles[hand.role]} has {held}".strip())
        for counter in position.counters:
            whose = "" if counter.role is None else f" of {roles[counter.role]}"
            lines.append(f"{counter.name}{whose}: {counter.value}")
        return [f"({line})" for line in lines] + list(position.facts)


def stacked(stack: Stack) -> tuple[str, ...]:
    """Returns the keys of what stands on a place, from bottom to top."""
    return () if stack is None else (stack,) if isinstance(stack, str) else stack


# ---- Boards ----


class _Picture:
    """One board in one position."""

    def __init__(
        self,
        board: Board,
        now: Sequence[Stack],
        then: Sequence[Stack],
        glyphs: Mapping[str, tuple[str, str]],
        walls: Sequence[tuple[int, int]],
    ) -> None:
        self._board, self._glyphs = board, glyphs
        self._changed = {i for i, (new, old) in enumerate(zip(now, then, strict=True)) if new != old}
        self._walls = self._ways(walls)
        self._cells = [self._cell(i, stack) for i, stack in enumerate(now)]
        self._cell_width = max(map(_width, self._cells), default=1)
        if board.columns:
            self._cell_width = max(self._cell_width, *map(len, board.columns))

    def _ways(self, walls: Sequence[tuple[int, int]]) -> dict[int, set[tuple[float, float]]]:
        """The directions in which places have a wall beside them."""
        found: dict[int, set[tuple[float, float]]] = {}
        places = self._board.places
        for one, other in walls:
            across, along = places[other].x - places[one].x, places[other].y - places[one].y
            found.setdefault(one, set()).add((across, along))
            found.setdefault(other, set()).add((-across, -along))
        return found

    def lines(self) -> list[Text]:
        """Returns the board as lines."""
        return list(self._track() if self._board.style == "track" else self._plane())

    def _cell(self, number: int, stack: Stack) -> Text:
        changed = _CHANGED if number in self._changed else ""
        cell = Text()
        for key in stacked(stack):
            glyph, style = self._glyphs[key]
            cell.append(glyph, f"{style} {changed}".strip())
        if not cell.plain.strip("'"):
            blank = " " if self._board.places[number].blocked else _EMPTY
            cell = Text(blank, f"{_EMPTY_STYLE} {changed}".strip()).append_text(cell)
        return cell

    def _plane(self) -> Iterator[Text]:
        """Lines from top to bottom, with the labels of rows in front and those of columns below."""
        places = self._board.places
        pitch = self._cell_width + 1
        if any(place.x % 1 != 0.5 for place in places):
            pitch += pitch % 2
        margin = max(map(len, self._board.rows), default=0)
        for y in sorted({place.y for place in places}, reverse=True):
            label = self._board.rows[int(y)] if len(self._board.rows) == self._board.height and y % 1 == 0.5 else ""
            line = Text(f"  {label:>{margin}}  " if margin else "  ")
            start = len(line)
            walls = Text()
            for place, i in sorted((place.x, i) for i, place in enumerate(places) if place.y == y):
                cell = self._cells[i]
                end = start + round((place - 0.5) * pitch) + self._cell_width
                line.append(" " * max(0, end - _width(cell) - _width(line))).append_text(cell)
                ways = self._walls.get(i, set())
                if (1, 0) in ways:
                    line.append("│")
                if (0, -1) in ways:
                    walls.append(" " * (end - self._cell_width - _width(walls))).append("─" * self._cell_width)
            yield line
            if walls:
                yield walls
        if self._board.columns and self._board.style == "squares":
            below = " ".join(f"{column:>{self._cell_width}}" for column in self._board.columns)
            yield Text(f"  {'':>{margin}}  {below}" if margin else f"  {below}")

    def _track(self) -> Iterator[Text]:
        """Places with their names, in rows; what stands on top of each other from left to right."""
        places = self._board.places
        label = max(len(place.label) for place in places)
        for y in sorted({place.y for place in places}, reverse=True):
            row = [i for i, place in enumerate(places) if place.y == y]
            cells = [
                Text(f"{places[i].label:>{label}} ").append_text(_left(self._cells[i], self._cell_width)) for i in row
            ]
            yield Text("  ").append_text(Text("   ").join(cells))


def _width(text: Text) -> int:
    return len(text.plain)


def _left(cell: Text, width: int) -> Text:
    return cell.copy().append(" " * (width - _width(cell)))


def _side_by_side(pictures: Sequence[list[Text]], width: int) -> Iterator[Text]:
    """Yields the lines of pictures, as many beside each other as there is room for."""
    row: list[list[Text]] = []
    for picture in pictures:
        if row and sum(_block_width(each) + len(_BETWEEN) for each in (*row, picture)) > width:
            yield from _joined(row)
            row = []
        row.append(picture)
    yield from _joined(row)


def _joined(row: Sequence[list[Text]]) -> Iterator[Text]:
    for i in range(max(map(len, row), default=0)):
        line = Text()
        for j, picture in enumerate(row):
            part = picture[i] if i < len(picture) else Text()
            last = j == len(row) - 1
            line.append_text(part if last else _left(part, _block_width(picture) + len(_BETWEEN)))
        line.rstrip()
        yield line


def _block_width(picture: Sequence[Text]) -> int:
    return max(map(_width, picture), default=0)


# ---- Marks of pieces ----


def _glyphs(view: GameView) -> dict[str, tuple[str, str]]:
    """Returns for each piece a mark that no other has, and its colour, which is its owner's."""
    found: dict[str, tuple[str, str]] = {}
    taken: set[str] = set()
    for key, piece in view.pieces.items():
        mark = next(mark for mark in _marks(view, key, piece) if mark not in taken or mark == key)
        taken.add(mark)
        style = _STYLES[piece.owner % len(_STYLES)] if piece.owner is not None else _STYLES[-1 - len(taken) % 2]
        found[key] = mark, style
    return found


def _marks(view: GameView, key: str, piece: Piece) -> Iterator[str]:
    """Yields marks for a piece, the best first."""
    owner = piece.owner
    if piece.shape in _CHESSMEN:
        light = owner == _light(view.roles)
        if owner is None or owner < 2 or light:
            yield (_WHITE if light else _BLACK)[piece.shape]
    if piece.shape in _STONES:
        filled = _STONES[piece.shape]
        if owner is not None and owner < len(filled):
            yield filled[owner ^ 1 if owner < 2 and _light(view.roles) == 0 else owner]
        elif owner is None:
            yield filled[0]
    if piece.shape in _THINGS:
        yield _THINGS[piece.shape]
    short = piece.text if piece.shape in ("letter", "number", "card") else key
    if len(short) <= 2:
        yield short
    letters = "".join(word[0] for word in key.replace("_", " ").split())
    yield from (short[:n] for n in range(1, len(short)))
    yield letters
    yield from (f"{letters}{n}" for n in range(1, 100))
    yield key


def _light(roles: Sequence[str]) -> int:
    """The role whose pieces are drawn light: white, or else the first."""
    return next((i for i, role in enumerate(roles) if role.lower().startswith("white")), 0)


def _says_itself(mark: str, key: str) -> bool:
    return mark.lower() == key.lower() or key.lstrip("sp") == mark


def listed(items: Iterable[str], width: int, separator: str = "") -> list[Text]:
    """Returns the items as one text, or none without items, whose lines of so many columns end within no item."""
    parts = [item.replace(" ", UNBROKEN) for item in items]
    return [Text(fill(f"{separator} ".join(parts), width, "  ", "  "))] if parts else []
