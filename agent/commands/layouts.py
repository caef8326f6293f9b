"""Finds in the facts of a game which of them say what stands where on a board, by their structure alone.

A grid is recognised by facts such as `(cell 3 b white)` or `(black 3 4)`, in which two arguments look like coordinates
and together cover most of a rectangle, or by places such as `a1`, `p_1_2` or `(sq 1 2)`, whose names hold both. Other
places are recognised by facts such as `(on den white)` that give each of them one of the same few pieces. What is left
of a fact (the other arguments, or the relation's name) is the piece that stands there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Function, Term

Square = tuple[str, str]  # column, row; of places that form no grid the name and an empty text

_LABEL = re.compile(r"([a-z]?)(\d*)", re.IGNORECASE)
_COVERED = 0.45  # of the rectangle, at least, for facts to count as a board: draughts use every other square
_SIDES = range(2, 41)
_LEAST_PLACES = 4
_LEAST_FILLED = 3  # places at once, in some state
_COORDINATES = (  # in the name of a place
    re.compile(r"([a-z])(\d+)", re.IGNORECASE),  # a1
    re.compile(r"\D*?(\d+)\D+(\d+)\D*"),  # p_1_2, (sq 1 2)
    re.compile(r"\(?\w+[ _-]([a-z])[ _-](\d+)\)?", re.IGNORECASE),  # sq_a_1, (sq a 1)
    re.compile(r"\D*(\d)(\d)"),  # p12
)
_BOTH_IN_ONE = _COORDINATES[-1]  # may as well be a number above 9


@dataclass(frozen=True, slots=True)
class Layout:
    """Describes the facts that stand for squares: their names and arity, and what in them says which square."""

    names: frozenset[str]
    arity: int
    axes: tuple[int, ...]  # the arguments that are column and row, or the one that is the place
    places: Mapping[str, Square] | None = None  # the square of each place; None: any name is one
    is_grid: bool = True

    def read(self, fact: Term) -> tuple[Square, str] | None:
        """Returns the square that a fact is about, and the piece that it puts there; None for other facts."""
        if not isinstance(fact, Function) or fact.name not in self.names or len(fact.args) != self.arity:
            return None
        args = list(map(str, fact.args))
        rest = [arg for i, arg in enumerate(args) if i not in self.axes]
        piece = " ".join(rest) or fact.name
        if len(self.axes) == 1:
            place = args[self.axes[0]]
            square = (place, "") if self.places is None else self.places.get(place)
            return (square, piece) if square else None
        return (args[self.axes[0]], args[self.axes[1]]), piece


def functions(facts: Iterable[str]) -> list[Function]:
    """Returns the facts that have arguments, as terms."""
    return [term for term in map(parse_term, facts) if isinstance(term, Function)]


def find_layouts(facts: Sequence[Function], states: Sequence[Sequence[Function]]) -> list[Layout]:
    """Returns the reading of the facts that covers most squares, then those of other facts on the same board.

    `states` are the first one and perhaps others of the game.

    Relations of two arguments, such as `(black x y)`, are read together; so are those of one, such as `(black a1)`.
    """
    groups: dict[tuple[str, int], list[Function]] = defaultdict(list)
    for fact in facts:
        groups["" if len(fact.args) == 2 else fact.name, len(fact.args)].append(fact)
    if _is_table(groups["", 2], states[0]):
        del groups["", 2]
    readings = [found for group in groups.values() if (found := _grid(group))]
    if not readings:
        readings = [found for group in _by_place(facts) if (found := _places(group, states))]
    readings.sort(key=lambda reading: (-reading[0].is_grid, -len(reading[1])))
    board = readings[0][1] if readings else set()
    return [layout for layout, squares in readings if squares <= board]


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Returns labels in order, numbers in them by their value."""

    def rank(label: str) -> tuple[str, int]:
        return label.rstrip("0123456789"), int(re.sub(r"\D", "", label) or 0)

    return sorted(labels, key=rank)


# ---- Grids ----


def _is_table(pairs: Sequence[Function], start: Sequence[Function]) -> bool:
    """Says whether pairs such as `(pile a 3)` give each thing a number, rather than name squares."""
    keys = [str(fact.args[0]) for fact in start if len(fact.args) == 2]
    return sorted(keys) == sorted({str(fact.args[0]) for fact in pairs})


def _grid(group: Sequence[Function]) -> tuple[Layout, set[Square]] | None:
    """How facts of one kind are best read as squares, and which; None if they do not look like a board."""
    arity = len(group[0].args) if group else 0
    best: tuple[Layout, set[Square]] | None = None
    for axes in permutations(range(arity), 2):
        squares = {(str(fact.args[axes[0]]), str(fact.args[axes[1]])) for fact in group}
        if _is_board(squares) and (best is None or len(squares) > len(best[1])):
            best = Layout(frozenset(fact.name for fact in group), arity, axes), squares
    return best


def _is_board(squares: Collection[Square]) -> bool:
    columns, rows = ({square[axis] for square in squares} for axis in (0, 1))
    if not _is_axis(columns) or not _is_axis(rows):
        return False
    if len(columns) not in _SIDES or len(rows) not in _SIDES or (_lettered(rows) and not _lettered(columns)):
        return False
    return len(squares) >= _COVERED * len(columns) * len(rows)


def _is_axis(labels: Collection[str]) -> bool:
    """Says whether labels count: numbers, perhaps behind the same letter, or letters in a row, one left out at most."""
    found = [_LABEL.fullmatch(label) for label in labels]
    letters, numbers = {match[1] for match in found if match}, {match[2] for match in found if match}
    if not all(found):
        return False
    if numbers == {""}:
        return ord(max(letters)) - ord(min(letters)) < len(letters) + (len(letters) > 2)
    return len(letters) == 1 and "" not in numbers


def _lettered(axis: Iterable[str]) -> bool:
    return any(label.isalpha() for label in axis)


# ---- Places with names ----


def _by_place(facts: Sequence[Function]) -> list[list[Function]]:
    """Groups facts that may say what stands on the same places: by relation, those of one argument together."""
    groups: dict[tuple[str, int], list[Function]] = defaultdict(list)
    for fact in facts:
        groups["" if len(fact.args) == 1 else fact.name, len(fact.args)].append(fact)
    return list(groups.values())


def _places(group: Sequence[Function], states: Sequence[Sequence[Function]]) -> tuple[Layout, set[Square]] | None:
    """How facts of one kind are read as pieces on named places, and on which; None if they do not look like that."""
    best: tuple[Layout, set[Square]] | None = None
    for axis in range(len(group[0].args)):
        layout = _place_layout(group, states, axis)
        if layout is not None and layout.places is not None:
            squares = set(layout.places.values())
            if best is None or (layout.is_grid, len(squares)) > (best[0].is_grid, len(best[1])):
                best = layout, squares
    return best


def _place_layout(group: Sequence[Function], states: Sequence[Sequence[Function]], axis: int) -> Layout | None:
    """Returns the layout in which one argument of the facts names a place.

    No place may have two pieces in any of the states; and if they have pieces at all, some has several.
    """
    arity = len(group[0].args)
    everywhere = Layout(frozenset(fact.name for fact in group), arity, (axis,))
    read = [found for fact in group if (found := everywhere.read(fact))]
    held = {(place, piece) for (place, _), piece in read}
    if arity == 1 or _coordinates(_firsts(held)) is None:
        held = _widespread(held)
    places, pieces = _firsts(held), {piece for _, piece in held}
    coordinates = _coordinates(places)
    squares = coordinates or {place: (place, "") for place in places}
    names = everywhere.names if arity > 1 else frozenset(pieces)
    layout = Layout(names, arity, (axis,), squares, is_grid=coordinates is not None)
    counts = [Counter(found[0] for fact in state if (found := layout.read(fact))) for state in states]
    filled = max(map(len, counts), default=0)
    if len(places) < _LEAST_PLACES or any(count > 1 for each in counts for count in each.values()):
        return None
    if coordinates is not None:
        return layout
    start = [found[1] for fact in states[0] if (found := layout.read(fact))]
    if sorted(start) == sorted(pieces) or 0 < filled < _LEAST_FILLED:
        return None  # each thing is somewhere, as a pile has a size; or something counts
    return layout if 2 <= len(pieces) <= len(places) and not all(map(str.isdecimal, pieces)) else None


def _firsts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return sorted({first for first, _ in pairs})


def _widespread(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Returns places with pieces without the pieces that can stand on few of the places, and with them these."""
    while True:
        places, counts = {place for place, _ in pairs}, Counter(piece for _, piece in pairs)
        kept = {pair for pair in pairs if counts[pair[1]] >= _COVERED * len(places)}
        if kept == pairs or not kept:
            return kept
        pairs = kept


def _coordinates(places: Sequence[str]) -> dict[str, Square] | None:
    """Returns column and row of each place, if their names hold both."""
    for pattern in _COORDINATES:
        found = [pattern.fullmatch(place) for place in places]
        squares = {match.string: (match[1], match[2]) for match in found if match}
        board = set(squares.values())
        if len(squares) == len(places) == len(board) and _is_board(board):
            return squares if pattern is not _BOTH_IN_ONE or _is_whole(board) else None
    return None


def _is_whole(board: Collection[Square]) -> bool:
    """Says whether columns and rows begin with the same number, and all squares are there."""
    columns, rows = ({square[axis] for square in board} for axis in (0, 1))
    return min(columns) == min(rows) and len(board) == len(columns) * len(rows)
