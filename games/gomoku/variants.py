"""The rules of five in a row that tournaments play: when a stone wins, and where black may not play."""

from __future__ import annotations

from enum import Enum

from ludens.games.gomoku.renju import forbidden
from ludens.games.gomoku.state import DIRECTIONS
from ludens.games.gomoku.stones import BLACK, OPPONENT, Run, Stones

LENGTH = 5
"""Stones in a row."""


class Variant(Enum):
    """What completes a row."""

    FREE_STYLE = "five or more"
    EXACT = "five, and no more"
    RENJU = "five for black, who has forbidden moves; five or more for white"
    CARO = "five with an end that is not the opponent's, or more"


def wins(stones: Stones, cell: int, variant: Variant) -> bool:
    """Says whether the stone on a cell completes a row."""
    return any(_is_complete(stones, cell, stones.run(cell, d), variant) for d in range(len(DIRECTIONS)))


def would_win(stones: Stones, cell: int, side: int, variant: Variant) -> bool:
    """Says whether a stone of a side on a free cell would complete a row."""
    before, stones.cells[cell] = stones.cells[cell], side
    won = wins(stones, cell, variant)
    stones.cells[cell] = before
    return won


def why_forbidden(stones: Stones, cell: int, side: int, variant: Variant) -> str:
    """Says why a side may not play on a free cell; "" if it may."""
    return forbidden(stones, cell) if variant is Variant.RENJU and side == BLACK else ""


def _is_complete(stones: Stones, cell: int, run: Run, variant: Variant) -> bool:
    side = stones.cells[cell]
    if variant is Variant.EXACT or (variant is Variant.RENJU and side == BLACK):
        return run.length == LENGTH
    if variant is Variant.CARO and run.length == LENGTH:
        return any(content != OPPONENT[side] for _cell, content in run.ends)
    return run.length >= LENGTH
