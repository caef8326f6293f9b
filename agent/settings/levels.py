"""Levels of an opponent for people: from 1, which a child beats, to 10, which plays as well as it can in seconds.

A level limits how many random games a move is searched for, and has a share of the moves drawn at random instead. It
needs no clock: a move takes the seconds of `MOVE_SECONDS` at most, and much less at all levels but the highest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """How much an opponent sees, and how often it does not look."""

    iterations: int  # of the search for a move
    random_share: float  # of the moves, 0 … 1, that are drawn from all legal ones


LEVELS = (
    Level(64, 0.7),
    Level(64, 0.25),
    Level(128, 0.15),
    Level(200, 0.0),
    Level(400, 0.0),
    Level(950, 0.0),
    Level(2_700, 0.0),
    Level(8_500, 0.0),
    Level(40_000, 0.0),
    Level(200_000, 0.0),
)
"""The levels from 1 on."""

MOVE_SECONDS = 3.0
"""The longest time of a move, which only the highest levels need, or games whose positions are worked out slowly."""
