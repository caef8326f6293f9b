"""Observations as planes `[planes, height, width]`: one for each piece of a board, then turns, counters and the rest.

A plane of a piece has a 1 where it stands, those of the first role first. What stands on no board has a plane of its
own, of ones where it holds; but facts of one name that count, such as `(step 7)`, share one, which is filled with the
place of the number in their order, from 1. Where the boards of a game differ in size, smaller ones lie in the lower
left corner.

Guaranteed is that planes tell states apart: every fact that can ever hold is a proposition of the network, and each has
a byte, or a value of a plane, of its own. Two kinds of facts would not, and these are proven from the rules
(`propnet.analysis.exclusion`): facts share a counter only if at most one of them ever holds, and a fact that says that
nothing stands on a square is left out only if exactly one fact of the square always holds. Where there is no proof each
keeps its own plane. What only random games show is how boards lie, which piece is called what and which facts are
taken for one piece; it makes planes easier or harder to learn from, and loses nothing. The games are always the same
(but for games so large that a minute does not suffice for twelve), so that networks fit the same game at any time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.games.view.find import find_view
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import Sample
from ludens.games.view.vocabulary import Board, Step
from ludens.games.view.words import is_number, number, words
from ludens.propnet.analysis.exclusion import exclusion
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_MOST_BYTES = 1 << 20  # of one observation
_LEAST_COUNTED = 3  # numbers that share a plane
_MOST_COUNTED = 255


class PlanesError(LudensError):
    """A game that has too many planes."""


Form: TypeAlias = tuple[str, int]
"""Facts of one name and number of arguments."""

_Square: TypeAlias = tuple[Form, Step]  # what facts of one form say of one place


@dataclass(frozen=True, slots=True)
class Observations:
    """What the bytes of an observation tell."""

    shape: tuple[int, ...]
    names: tuple[str, ...]  # of planes, or of the bytes of flat observations
    columns: npt.NDArray[np.int32]  # the proposition that each byte tells, -1 for none
    fills: tuple[tuple[int, int, int, int], ...] = ()  # first byte, length, proposition, value
    high: int = 1  # the greatest byte


def flat(net: Propnet) -> Observations:
    """Returns observations that are the facts of a state, one byte each."""
    return Observations((net.state_bits,), net.propositions, np.arange(net.state_bits, dtype=np.int32))


def planes(name: str, sheet: RuleSheet, net: Propnet, sample: Sample) -> Observations:
    """Returns observations in planes; raises `PlanesError` for a game that has too many."""
    reader = find_view(name, sheet, sample, net)
    found = _Found(net, reader)
    counted, squares = found.counters(sample), found.squares()
    proven = exclusion(net, [*counted.values(), *squares.values()])
    found.fill_empty(square for square, facts in squares.items() if not proven.exactly(facts))
    owners = {key: piece.owner for key, piece in reader.view.pieces.items()}
    placed = sorted(found.placed.items(), key=lambda item: _rank(owners.get(item[0][0].key)))
    cells = {(str(title), layer): at for (title, layer), at in placed}
    counters = {form: numbers for form, numbers in counted.items() if proven.at_most(numbers)}
    return _assembled(net, cells, found.beside, counters, found.shape)


@dataclass(frozen=True, slots=True)
class _Title:
    """A plane: where which piece stands."""

    key: str
    board: str

    def __str__(self) -> str:
        return f"{self.key} on {self.board}"


class _Found:
    """Where the propositions of a network belong, by a view of the game."""

    def __init__(self, net: Propnet, reader: PositionReader) -> None:
        cells, height, width = _cells(reader.view.boards)
        self.shape = height, width
        self.placed: dict[tuple[_Title, int], dict[int, int]] = defaultdict(dict)  # [plane][cell] propositions
        self.beside: dict[Form, list[int]] = defaultdict(list)  # on no board
        self._net, self._cells = net, cells
        self._empty: dict[_Square, list[int]] = defaultdict(list)  # facts that say that nothing stands there
        self._others: dict[_Square, list[int]] = defaultdict(list)
        for proposition, text in enumerate(net.propositions):
            fact = words(text)
            form = fact[0], len(fact) - 1
            steps = list(_standing(reader, fact))
            if not steps:
                self.beside[form].append(proposition)
            for step, key in steps:
                square = form, step
                if key is None:
                    self._empty[square].append(proposition)
                else:
                    self._others[square].append(proposition)
                    self._place(_Title(key, reader.view.boards[step[0]].id), step, proposition)

    def squares(self) -> dict[_Square, list[int]]:
        """Returns all facts of one form about each square on which one says that there is nothing."""
        return {square: [*facts, *self._others[square]] for square, facts in self._empty.items()}

    def fill_empty(self, squares: Iterable[_Square]) -> None:
        """Gives planes to the facts that say that nothing stands on some squares."""
        for form, step in squares:
            for proposition in self._empty[form, step]:
                self._place(_Title("nothing", form[0]), step, proposition)

    def counters(self, sample: Sample) -> dict[Form, list[int]]:
        """Returns facts that count, in their order, of which at most one has been seen to hold at once."""
        counted = {form: self._ordered(form, facts) for form, facts in self.beside.items()}
        return {form: facts for form, facts in counted.items() if facts and _most_at_once(form, sample) <= 1}

    def _place(self, title: _Title, step: Step, proposition: int) -> None:
        layer = 0  # facts that say the same of the same place have planes of their own
        while self._cells[step] in self.placed[title, layer]:
            layer += 1
        self.placed[title, layer][self._cells[step]] = proposition

    def _ordered(self, form: Form, propositions: Sequence[int]) -> list[int]:
        """Returns facts in the order of their only argument; none if it is no number, or they are few or too many."""
        if form[1] != 1 or not _LEAST_COUNTED <= len(propositions) <= _MOST_COUNTED:
            return []
        value = {each: words(self._net.propositions[each])[1] for each in propositions}
        if not all(map(is_number, value.values())):
            return []
        return sorted(propositions, key=lambda each: number(value[each]))


def _most_at_once(form: Form, sample: Sample) -> int:
    counts = (sum((fact[0], len(fact) - 1) == form for fact in state.facts) for state in sample.states())
    return max(counts, default=0)


def _rank(owner: int | None) -> tuple[bool, int]:
    return owner is None, owner or 0


def _standing(reader: PositionReader, fact: Sequence[str]) -> Iterator[tuple[Step, str | None]]:
    """Yields the place and the piece that a fact tells of, None for nothing there; no place where it tells none."""
    for site, steps in zip(reader.sites, reader.steps, strict=True):
        if site.kind == "towers":  # where they stand follows from several facts
            continue
        for layer in site.layers:
            if (layer.name, layer.arity) == (fact[0], len(fact) - 1):
                if (step := steps.get(layer.key(tuple(fact)))) is not None:
                    yield step, reader.pieces.key(layer, tuple(fact))
                return


def _cells(boards: Sequence[Board]) -> tuple[dict[Step, int], int, int]:
    """Returns the cell of each place of each board, and the height and width of all."""
    coordinates: dict[Step, tuple[int, int]] = {}
    for number_, board in enumerate(boards):
        if board.style == "squares":
            columns, rows = (sorted({place_[i] for place_ in _points(board)}) for i in range(2))
            for place, (x, y) in enumerate(_points(board)):
                coordinates[number_, place] = columns.index(x), rows.index(y)
        elif board.style == "hexagons":  # rows of their own length
            rows = sorted({y for _, y in _points(board)})
            for place, (x, y) in enumerate(_points(board)):
                before = sum(other[1] == y and other[0] < x for other in _points(board))
                coordinates[number_, place] = before, rows.index(y)
        else:
            coordinates |= {(number_, place): (place, 0) for place in range(len(board.places))}
    width = 1 + max((x for x, _ in coordinates.values()), default=0)
    height = 1 + max((y for _, y in coordinates.values()), default=0)
    return {step: y * width + x for step, (x, y) in coordinates.items()}, height, width


def _points(board: Board) -> list[tuple[float, float]]:
    return [(place.x, place.y) for place in board.places]


def _assembled(
    net: Propnet,
    placed: Mapping[tuple[str, int], Mapping[int, int]],
    beside: Mapping[Form, Sequence[int]],
    counters: Mapping[Form, Sequence[int]],
    shape: tuple[int, int],
) -> Observations:
    size = shape[0] * shape[1]
    names: list[str] = []
    rows: list[npt.NDArray[np.int32]] = []
    fills: list[tuple[int, int, int, int]] = []
    for (title, _), at in placed.items():
        row = np.full(size, -1, np.int32)
        row[list(at)] = list(at.values())
        names.append(title)
        rows.append(row)
    for form, propositions in beside.items():
        if form in counters:
            fills += [(len(rows) * size, size, each, value) for value, each in enumerate(counters[form], 1)]
            names.append(form[0])
            rows.append(np.full(size, -1, np.int32))
            continue
        for proposition in propositions:
            names.append(net.propositions[proposition])
            rows.append(np.full(size, proposition, np.int32))
        if len(rows) * size > _MOST_BYTES:
            break
    if len(rows) * size > _MOST_BYTES:
        raise PlanesError(f"more than {_MOST_BYTES >> 20} MB for an observation in planes")
    columns = np.concatenate(rows) if rows else np.empty(0, np.int32)
    high = max((value for *_, value in fills), default=1)
    return Observations((len(rows), *shape), tuple(names), columns, tuple(fills), high)
