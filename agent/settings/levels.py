"""Levels of an opponent for people: from 1, which a child beats, to 10, which plays as well as it can in seconds.

A level limits how many random games a move is searched for, and has a share of the moves drawn at random instead. The
highest ones learn an evaluation before the match, in so many rounds of self-play, and search with it where it promises
more than random games do. No level needs a clock: a move takes the seconds of `MOVE_SECONDS` at most, and much less at
all levels but the highest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """How much an opponent sees, and how often it does not look."""

    iterations: int  # of the search for a move
    random_share: float  # of the moves, 0 … 1, that are drawn from all legal ones
    rounds: int = 0  # of learning before the match
    guided_iterations: int = 0  # of the search for a move with what was learned, if that is of use


LEVELS = (
    Level(64, 0.7),
    Level(64, 0.25),
    Level(128, 0.15),
    Level(200, 0.0),
    Level(400, 0.0),
    Level(950, 0.0),
    Level(2_700, 0.0),
    Level(8_500, 0.0),
    Level(40_000, 0.0, rounds=20, guided_iterations=10_000),
    Level(200_000, 0.0, rounds=120, guided_iterations=40_000),
)
"""The levels from 1 on."""

LEARNING_SECONDS = 10.0
"""The longest processor time of learning, which only games need whose positions are worked out slowly."""

MOVE_SECONDS = 3.0
"""The longest time of a move, which only the highest levels need, or games whose positions are worked out slowly."""
