"""The opening swap2: one side puts three stones, the other takes a colour, or puts two more and leaves the choice.

We put stones that the search thinks even, and take the side that it thinks better. Two more stones are never put.
"""

from __future__ import annotations

from collections.abc import Callable

from ludens.agent.gomoku.thinker import Choice
from ludens.games.gomoku.stones import BLACK, FREE, WHITE, Stones

Judge = Callable[[Stones, int, float], Choice]
"""Chooses a move for a side in a share of the time of a move."""

_EVEN = 50.0
_OPENINGS = (  # of black, white and black: columns and rows from the middle of the board
    ((-5, -7), (-4, -6), (-7, -3)),
    ((-6, -6), (-4, -7), (-2, -7)),
    ((-7, -2), (-6, 0), (-7, 3)),
    ((-7, -7), (-5, -5), (-4, -7)),
    ((-7, 0), (-6, 1), (-6, -3)),
)


def answer_opening(stones: Stones, judge: Judge) -> list[int]:
    """Returns the cells that we put stones on, of either colour by turns; none to swap colours."""
    if len(stones.free) == len(stones.cells):
        return _propose(stones, judge)
    choice = judge(stones, WHITE, 1.0)
    return [choice.cell] if choice.value >= _EVEN else []


def _propose(stones: Stones, judge: Judge) -> list[int]:
    """Returns three stones after which white is neither better nor worse, as far as the search can tell."""
    openings = [cells for opening in _OPENINGS if len(set(cells := _cells(stones, opening))) == len(opening)]
    if not openings:
        openings = [[0, 1, 2 * stones.columns]]
    values = []
    for number, cells in enumerate(openings, 1):
        for cell, side in zip(cells, (BLACK, WHITE, BLACK), strict=True):
            stones.cells[cell] = side
        values.append(judge(stones, WHITE, number / len(openings)).value)
        for cell in cells:
            stones.cells[cell] = FREE
    return min(zip(values, openings, strict=True), key=lambda pair: abs(pair[0] - _EVEN))[1]


def _cells(stones: Stones, opening: tuple[tuple[int, int], ...]) -> list[int]:
    """Returns the cells of an opening, moved to the edge where the board is too small for it."""
    middle_row, middle_column = stones.rows // 2, stones.columns // 2
    places = [(max(0, middle_row + down), max(0, middle_column + right)) for right, down in opening]
    return [min(row, stones.rows - 1) * stones.columns + min(column, stones.columns - 1) for row, column in places]
