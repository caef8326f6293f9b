"""Places of a site as boards: where each place lies, in squares, hexagons, rings or rows.

Hexagons are seen in relations of the rules that join places: where they join each square of a grid to six others, it
is drawn as a parallelogram of hexagons; and rows of places whose lengths differ by odd numbers are hexagons, centred.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ludens.games.view.forms import Forms, Key
from ludens.games.view.sites import Site
from ludens.games.view.vocabulary import Board, Place, Step
from ludens.games.view.words import is_lettered, ordered, parts

_HEIGHT = math.sqrt(3) / 2  # between rows of hexagons that are 1 wide
_GAP = 0.4  # between boards of a board of boards
_PER_ROW = 12  # places of a track
_RING = {
    "n": (0, 1),
    "ne": (1, 1),
    "e": (1, 0),
    "se": (1, -1),
    "s": (0, -1),
    "sw": (-1, -1),
    "w": (-1, 0),
    "nw": (-1, 1),
}
_RISING = ({(1, 0), (0, 1), (1, -1)}, {(1, 0), (0, 1), (1, 1)})  # what joins hexagons, each way once
_INWARD = ("inner", "middle", "outer")


@dataclass(frozen=True, slots=True)
class Orientation:
    """How columns and rows of a grid lie."""

    swapped: bool = False  # the first coordinate counts rows
    left: bool = False  # columns count from right to left
    down: bool = False  # rows count from top to bottom


def boards_of(forms: Forms, site: Site, orientation: Orientation, first: int) -> tuple[list[Board], dict[Key, Step]]:
    """Returns the boards of a site, numbered from `first`, and the place of each key."""
    if site.kind == "grid":
        return _grids(forms, site, orientation, first)
    if site.kind == "lines":
        return _between(forms, site, first)
    if site.kind == "compass":
        return _rings(forms, site, first)
    return _tracks(forms, site, first)


# ---- Grids ----


@dataclass(frozen=True, slots=True)
class Grid:
    """Coordinates of a site's keys as numbers, with the labels of columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    at: dict[Key, tuple[int, int]]


def grid_of(forms: Forms, site: Site, orientation: Orientation) -> Grid:
    """Returns the coordinates of the keys of a grid."""
    pairs = {each: site.coordinates.get(each) or (each[site.axes[0]], each[site.axes[1]]) for each in site.keys}
    if orientation.swapped:
        pairs = {each: (row, column) for each, (column, row) in pairs.items()}
    columns, rows = (_order(forms, {pair[i] for pair in pairs.values()}) for i in range(2))
    columns = columns[::-1] if orientation.left else columns
    rows = rows[::-1] if orientation.down else rows
    x, y = ({label: i for i, label in enumerate(labels)} for labels in (columns, rows))
    return Grid(columns, rows, {each: (x[column], y[row]) for each, (column, row) in pairs.items()})


def _order(forms: Forms, labels: set[str]) -> tuple[str, ...]:
    return ordered(labels, forms.successors) or tuple(sorted(labels))


def swapped_by_names(forms: Forms, site: Site) -> bool:
    """Says whether the first coordinate looks like one of rows: the second has letters, or the first begins with r."""
    if site.kind != "grid":
        return False
    if site.coordinates:
        return False
    columns, rows = ({each[axis] for each in site.keys} for axis in site.axes)
    if is_lettered(rows) != is_lettered(columns):
        return is_lettered(rows)
    return all(word.startswith("r") for word in columns) and not all(word.startswith("r") for word in rows)


def _grids(forms: Forms, site: Site, orientation: Orientation, first: int) -> tuple[list[Board], dict[Key, Step]]:
    grid = grid_of(forms, site, orientation)
    if len(site.frames) == 2:
        return _board_of_boards(forms, site, grid, first)
    shear = _hexagons(forms, site, grid)
    lengths = _row_lengths(grid) if site.coordinates else None
    boards: list[Board] = []
    steps: dict[Key, Step] = {}
    for frame in _frames(forms, site):
        keys = [each for each in site.keys if tuple(each[i] for i in site.frames) == frame]
        keys.sort(key=lambda each: grid.at[each][::-1])
        if lengths:
            board = _centred(grid, keys, lengths)
        elif shear is not None:
            board = _sheared(grid, keys, shear)
        else:
            board = _squares(grid, keys)
        name = " ".join((site.id, *frame))
        for place, each in enumerate(keys):
            steps[each] = (first + len(boards), place)
        boards.append(replace(board, id=name))
    return boards, steps


def _frames(forms: Forms, site: Site) -> list[Key]:
    found = {tuple(each[i] for i in site.frames) for each in site.keys}
    order = [_order(forms, {frame[i] for frame in found}) for i in range(len(site.frames))]
    return sorted(found, key=lambda frame: [labels.index(word) for labels, word in zip(order, frame, strict=True)])


def _squares(grid: Grid, keys: Sequence[Key]) -> Board:
    """A board of squares; where only squares of one colour are used, those of the other are there and blocked."""
    used = {grid.at[each]: each for each in keys}
    places = [_place(grid, each, *(i + 0.5 for i in grid.at[each])) for each in keys]
    colours = {(x + y) % 2 for x, y in used}
    checkered = len(colours) == 1 and len(used) > 4
    if checkered:
        for x in range(len(grid.columns)):
            for y in range(len(grid.rows)):
                if (x + y) % 2 not in colours:
                    label = grid.columns[x] + grid.rows[y]
                    places.append(Place(f"{grid.columns[x]} {grid.rows[y]}", x + 0.5, y + 0.5, label, blocked=True))
    return Board(
        "",
        "squares",
        len(grid.columns),
        len(grid.rows),
        short(grid.columns),
        short(grid.rows),
        checkered,
        tuple(places),
    )


def _place(grid: Grid, each: Key, x: float, y: float) -> Place:
    column, row = grid.at[each]
    return Place(" ".join(each), round(x, 4), round(y, 4), label_of(grid, column, row))


def label_of(grid: Grid, column: int, row: int) -> str:
    """Returns a square's name for people: `b3`, or `2,3` where columns have no letters."""
    columns, rows = short(grid.columns), short(grid.rows)
    between = "" if is_lettered((columns[column],)) else ","
    return f"{columns[column]}{between}{rows[row]}"


def short(labels: Sequence[str]) -> tuple[str, ...]:
    """Returns labels without the letters that all of them begin with, such as the c of c1, c2, c3."""
    if len(labels) < 2 or not all(any(c.isdigit() for c in label) for label in labels):
        return tuple(labels)
    prefixes = {label.rstrip("0123456789") for label in labels}
    if len(prefixes) > 1:
        return tuple(labels)
    numbers = [label.removeprefix(next(iter(prefixes))) for label in labels]
    return tuple(number.lstrip("0") or "0" for number in numbers)


def _board_of_boards(forms: Forms, site: Site, grid: Grid, first: int) -> tuple[list[Board], dict[Key, Step]]:
    """Boards in columns and rows as one board, with gaps between them."""
    across, along = (_order(forms, {each[i] for each in site.keys}) for i in site.frames)
    width, height = len(grid.columns), len(grid.rows)
    places, steps = [], {}
    for place, each in enumerate(site.keys):
        column, row = across.index(each[site.frames[0]]), along.index(each[site.frames[1]])
        inner = grid.at[each]
        x, y = column * (width + _GAP) + inner[0] + 0.5, row * (height + _GAP) + inner[1] + 0.5
        places.append(Place(" ".join(each), round(x, 4), round(y, 4), " ".join(each)))
        steps[each] = (first, place)
    whole = [count * (size + _GAP) - _GAP for count, size in ((len(across), width), (len(along), height))]
    board = Board(site.id, "squares", round(whole[0], 4), round(whole[1], 4), (), (), False, tuple(places))
    return [board], steps


# ---- Hexagons ----


def _hexagons(forms: Forms, site: Site, grid: Grid) -> int | None:
    """Returns how rows of hexagons are shifted against the row below, to the right or left; None for squares."""
    if site.frames or site.coordinates:
        return None
    for pairs in forms.sample.relations.values():
        joined = {
            (there[0] - here[0], there[1] - here[1])
            for pair in pairs
            if len(pair) == 4 and (here := grid.at.get(pair[:2])) and (there := grid.at.get(pair[2:]))
        }
        once = {max(way, (-way[0], -way[1])) for way in joined}
        for shift, ways in zip((1, -1), _RISING, strict=True):
            if once == ways:
                return shift
    return None


def _sheared(grid: Grid, keys: Sequence[Key], shift: int) -> Board:
    height = len(grid.rows)
    left = 0.0 if shift > 0 else (height - 1) / 2
    places = [
        _place(grid, each, x + 0.5 + left + shift * y / 2, y * _HEIGHT + 0.5)
        for each in keys
        for x, y in [grid.at[each]]
    ]
    width = len(grid.columns) + (height - 1) / 2
    return Board(
        "",
        "hexagons",
        width,
        round((height - 1) * _HEIGHT + 1, 4),
        short(grid.columns),
        short(grid.rows),
        False,
        tuple(places),
    )


def _row_lengths(grid: Grid) -> dict[int, int] | None:
    """Returns the lengths of lettered rows if they are rows of hexagons, which lie between those above and below."""
    lengths: dict[int, int] = {}
    for column, _ in grid.at.values():
        lengths[column] = lengths.get(column, 0) + 1
    counts = [lengths[i] for i in sorted(lengths)]
    odd = all((a - b) % 2 for a, b in pairwise(counts))
    return lengths if len(counts) > 2 and odd else None


def _centred(grid: Grid, keys: Sequence[Key], lengths: dict[int, int]) -> Board:
    """A board of hexagons whose rows, one a letter, from top to bottom, are centred."""
    width, rows = max(lengths.values()), len(lengths)
    seen: dict[int, int] = {}
    places = []
    for each in sorted(keys, key=lambda each: grid.at[each]):
        row, _ = grid.at[each]
        x = (width - lengths[row]) / 2 + seen.get(row, 0) + 0.5
        seen[row] = seen.get(row, 0) + 1
        places.append((each, Place(" ".join(each), x, round((rows - 1 - row) * _HEIGHT + 0.5, 4), each[0])))
    by_key = dict(places)
    height = round((rows - 1) * _HEIGHT + 1, 4)
    return Board("", "hexagons", width, height, (), (), False, tuple(by_key[each] for each in keys))


# ---- Other boards ----


def _between(forms: Forms, site: Site, first: int) -> tuple[list[Board], dict[Key, Step]]:
    """Lines between neighbours of a grid: a place in the middle of each, and a blocked one at each end."""
    ends = [_order(forms, {each[i] for each in site.keys} | {each[i + 2] for each in site.keys}) for i in range(2)]
    ranks = [{word: i for i, word in enumerate(end)} for end in ends]
    places, steps = [], {}
    for place, each in enumerate(site.keys):
        x = (ranks[0][each[0]] + ranks[0][each[2]]) / 2 + 0.5
        y = (ranks[1][each[1]] + ranks[1][each[3]]) / 2 + 0.5
        places.append(Place(" ".join(each), x, y, f"{each[0]},{each[1]}-{each[2]},{each[3]}"))
        steps[each] = (first, place)
    corners = sorted({each[i : i + 2] for each in site.keys for i in (0, 2)})
    numbers = {corner: len(places) + i for i, corner in enumerate(corners)}
    for x_word, y_word in corners:
        x, y = ranks[0][x_word] + 0.5, ranks[1][y_word] + 0.5
        places.append(Place(f"{x_word} {y_word}", x, y, f"{x_word},{y_word}", blocked=True))
    edges = tuple((numbers[each[:2]], numbers[each[2:]]) for each in site.keys if each[:2] < each[2:])
    board = Board(site.id, "graph", len(ends[0]), len(ends[1]), ends[0], ends[1], False, tuple(places), edges)
    return [board], steps


def _rings(forms: Forms, site: Site, first: int) -> tuple[list[Board], dict[Key, Step]]:
    """Places in eight directions on rings around each other, with the edges that the rules have, or along the rings."""
    ring, way = site.axes
    names = sorted(
        {each[ring] for each in site.keys}, key=lambda name: (_INWARD.index(name) if name in _INWARD else 9, name)
    )
    size = 2 * len(names) + 1
    places, steps = [], {}
    for place, each in enumerate(site.keys):
        radius = names.index(each[ring]) + 1
        x, y = (size / 2 + radius * part for part in _RING[each[way]])
        places.append(Place(" ".join(each), x, y, " ".join(each)))
        steps[each] = (first, place)
    edges = _edges(forms, {each: step[1] for each, step in steps.items()}) or _along_rings(places)
    return [Board(site.id, "graph", size, size, (), (), False, tuple(places), edges)], steps


def _along_rings(places: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    middle = max(place.x for place in places) / 2 + min(place.x for place in places) / 2

    def turn(i: int) -> tuple[float, float]:
        x, y = places[i].x - middle, places[i].y - middle
        return max(abs(x), abs(y)), math.atan2(y, x)

    order = sorted(range(len(places)), key=turn)
    ringed = [order[i : i + 8] for i in range(0, len(order), 8)]
    around = [tuple(sorted((ring[i], ring[i - 1]))) for ring in ringed for i in range(len(ring))]
    outward = [
        (places.index(inner), places.index(outer))
        for inner in places
        for outer in places
        if 0 < max(abs(outer.x - inner.x), abs(outer.y - inner.y)) <= 1
        and (inner.x == outer.x == middle or inner.y == outer.y == middle)
        and abs(inner.x - middle) + abs(inner.y - middle) < abs(outer.x - middle) + abs(outer.y - middle)
    ]
    return tuple((a, b) for a, b in [*around, *outward])


def _edges(forms: Forms, numbers: dict[Key, int]) -> tuple[tuple[int, int], ...]:
    """The pairs of places that some relation of the rules joins, most of them at least."""
    size = len(next(iter(numbers)))
    best: set[tuple[int, int]] = set()
    for pairs in forms.sample.relations.values():
        if all(len(pair) == 2 * size and pair[:size] in numbers and pair[size:] in numbers for pair in pairs):
            found = {(numbers[pair[:size]], numbers[pair[size:]]) for pair in pairs}
            once = {(min(edge), max(edge)) for edge in found if edge[0] != edge[1]}
            all_joined = len({place for edge in once for place in edge}) == len(numbers)
            if all_joined and len(numbers) <= len(once) <= 4 * len(numbers):  # fewer only count the places
                best = best if best and len(best) <= len(once) else once
    return tuple(sorted(best))


def _tracks(forms: Forms, site: Site, first: int) -> tuple[list[Board], dict[Key, Step]]:
    """Places in a row, or in several rows; a square of them in as many rows as columns. One board a frame."""
    boards: list[Board] = []
    steps: dict[Key, Step] = {}
    for frame in _frames(forms, site):
        keys = [each for each in site.keys if tuple(each[i] for i in site.frames) == frame]
        per_row = _per_row(len(keys))
        rows = -(-len(keys) // per_row)
        places = []
        for i, each in enumerate(keys):
            places.append(Place(" ".join(each), i % per_row + 0.5, rows - i // per_row - 0.5, each[site.axes[0]]))
            steps[each] = (first + len(boards), i)
        name = " ".join((site.id, *frame))
        boards.append(Board(name, "track", per_row, rows, (), (), False, tuple(places)))
    return boards, steps


def _per_row(count: int) -> int:
    side = math.isqrt(count)
    if side * side == count and side > 2:
        return side
    return count if count <= _PER_ROW else next((n for n in range(_PER_ROW, 5, -1) if count % n == 0), _PER_ROW)


def looks_like(name: str, wanted: Iterable[str]) -> bool:
    """Says whether a part of a name is one of these words."""
    return not set(parts(name)).isdisjoint(wanted)
