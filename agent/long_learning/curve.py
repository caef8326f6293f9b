"""The curve of long learning: a point for each match with the best evaluation before, as a picture too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludens.agent.plots.panels import Panel, panels


@dataclass(frozen=True, slots=True)
class LearnPoint:
    """What was learned, and what it was worth."""

    minutes: float  # of learning and of matches
    rounds: int
    positions: int
    error: float  # root of the mean squared error of what was foretold since the point before, in goals
    positions_per_second: float  # since the point before, matches not counted
    games: int  # against the best evaluation before,
    score: float  # ... their score, 0 … 1,
    better: bool  # ... and whether this one has become the best
    against_first: float  # score of the best so far against the first one,
    against_uct: float  # ... and against UCT with as much processor time


def picture(curve: Sequence[LearnPoint], title: str) -> str:
    """Returns the picture of a curve of one point at least."""
    return panels(
        title,
        "minutes",
        [point.minutes for point in curve],
        [
            Panel(
                "% of the best so far",
                {
                    "against the first": [100 * point.against_first for point in curve],
                    "against UCT": [100 * point.against_uct for point in curve],
                },
            ),
            Panel("error of what is foretold, in goals", {"error": [point.error for point in curve]}),
            Panel("positions learned a second", {"speed": [point.positions_per_second for point in curve]}),
        ],
    )
