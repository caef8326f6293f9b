"""Observations as planes `[planes, height, width]`: one for each piece of a board, then turns, counters and the rest.

A plane of a piece has a 1 where it stands. What stands on no board has a plane of its own, of ones where it holds;
but facts of one name that count, such as `(step 7)`, share one, which is filled with the place of the number in their
order, from 1. The planes follow from the rules alone, so that networks fit the same game at any time. Where the boards
of a game differ in size, smaller ones lie in the lower left corner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.agent.env.errors import LayoutError
from ludens.games.view.find import find_view
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import Sample
from ludens.games.view.vocabulary import Board, Step
from ludens.games.view.words import is_number, number, words
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_MOST_BYTES = 1 << 20  # of one observation
_LEAST_COUNTED = 3  # numbers that share a plane
_MOST_COUNTED = 255


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
    """Returns observations in planes; raises `LayoutError` for a game that has too many."""
    reader = find_view(name, sheet, sample, net)
    cells, height, width = _cells(reader.view.boards)
    placed: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)  # [plane][cell] propositions
    beside: dict[tuple[str, int], list[int]] = defaultdict(list)
    for proposition, text in enumerate(net.propositions):
        fact = words(text)
        at = [(step, key) for step, key in _standing(reader, fact)]
        if not at:
            beside[fact[0], len(fact) - 1].append(proposition)
        for step, key in at:
            if key is None:
                continue
            layer = 0  # facts that say the same of the same place have planes of their own
            while cells[step] in placed[title := f"{key} on {reader.view.boards[step[0]].id}", layer]:
                layer += 1
            placed[title, layer][cells[step]] = proposition
    return _assembled(net, placed, beside, sample, height, width)


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
    placed: dict[tuple[str, int], dict[int, int]],
    beside: dict[tuple[str, int], list[int]],
    sample: Sample,
    height: int,
    width: int,
) -> Observations:
    size = height * width
    names: list[str] = []
    rows: list[npt.NDArray[np.int32]] = []
    fills: list[tuple[int, int, int, int]] = []
    for (title, _), at in placed.items():
        row = np.full(size, -1, np.int32)
        row[list(at)] = list(at.values())
        names.append(title)
        rows.append(row)
    for (name, arity), propositions in beside.items():
        if counted := _counted(net, sample, name, arity, propositions):
            fills += [(len(rows) * size, size, each, value) for value, each in enumerate(counted, 1)]
            names.append(name)
            rows.append(np.full(size, -1, np.int32))
            continue
        for proposition in propositions:
            names.append(net.propositions[proposition])
            rows.append(np.full(size, proposition, np.int32))
        if len(rows) * size > _MOST_BYTES:
            break
    if len(rows) * size > _MOST_BYTES:
        raise LayoutError(f"more than {_MOST_BYTES >> 20} MB for an observation in planes: use observation='bits'")
    columns = np.concatenate(rows) if rows else np.empty(0, np.int32)
    high = max((value for *_, value in fills), default=1)
    return Observations((len(rows), height, width), tuple(names), columns, tuple(fills), high)


def _counted(net: Propnet, sample: Sample, name: str, arity: int, propositions: Sequence[int]) -> list[int] | None:
    """Returns facts that count in their order, if at most one holds at once; else None."""
    if arity != 1 or not _LEAST_COUNTED <= len(propositions) <= _MOST_COUNTED:
        return None
    value = {each: words(net.propositions[each])[1] for each in propositions}
    if not all(map(is_number, value.values())):
        return None
    for state in sample.states():
        if sum(fact[0] == name and len(fact) == 2 for fact in state.facts) > 1:
            return None
    return sorted(propositions, key=lambda each: number(value[each]))
