"""The curve of long learning: a point for each match with the best evaluation before, as a picture too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ludens.agent.plots.panels import Panel, panels


class Score(NamedTuple):
    """A score of games, 0 … 1, and half the width of its interval at 95 %, 1 where nothing is known of it."""

    mean: float
    within: float = 1.0


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
    against_uct: float  # score of the best so far against UCT with as much processor time,
    against_reference: float  # ... and against guided search by what is learned before a match
    score_within: float = 1.0  # half the widths of the intervals of these scores at 95 %
    against_uct_within: float = 1.0
    against_reference_within: float = 1.0
    games_per_second: float = 0.0  # of self-play since the point before, matches not counted


def picture(curve: Sequence[LearnPoint], title: str, reference: str) -> str:
    """Returns the picture of a curve of one point at least; `reference` is described as users describe players."""
    games = Panel("games of self-play a second", {"games": [point.games_per_second for point in curve]})
    return panels(
        title,
        "minutes",
        [point.minutes for point in curve],
        [
            Panel(
                "% of the best so far",
                {
                    f"against {reference}": [100 * point.against_reference for point in curve],
                    "against UCT": [100 * point.against_uct for point in curve],
                },
                {
                    f"against {reference}": [
                        _percent(point.against_reference, point.against_reference_within) for point in curve
                    ],
                    "against UCT": [_percent(point.against_uct, point.against_uct_within) for point in curve],
                },
            ),
            Panel("error of what is foretold, in goals", {"error": [point.error for point in curve]}),
            Panel("positions learned a second", {"speed": [point.positions_per_second for point in curve]}),
            *([games] if all(games.curves["games"]) else []),
        ],
    )


def _percent(score: float, within: float) -> tuple[float, float]:
    """Returns the bounds of the interval of a score, in per cent; none but the score where nothing is known."""
    if within >= 1:
        return 100 * score, 100 * score
    return 100 * max(0.0, score - within), 100 * min(1.0, score + within)
