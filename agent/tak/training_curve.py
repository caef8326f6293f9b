"""The curve of a training of Tak: how well games were foretold, how they ended, and how fast they were played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludens.agent.plots.panels import Panel, panels


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What happened in the games since the point before."""

    games: int  # in all, at this point
    plies: float  # per game
    loss: float  # squared error of the outputs, a mean over plies
    roads: float  # share of games won by a road
    flats: float  # ... by flats
    ties: float  # ... and of ties
    games_per_second: float


def picture(curve: Sequence[CurvePoint], title: str) -> str:
    """Returns a picture of loss, ends of games and speed over games."""
    places = [float(point.games) for point in curve]
    return panels(
        title,
        "games",
        places,
        [
            Panel("squared error of the outputs", {"loss": [point.loss for point in curve]}),
            Panel(
                "% of games",
                {
                    "won by a road": [100 * point.roads for point in curve],
                    "won by flats": [100 * point.flats for point in curve],
                    "tied or too long": [100 * point.ties for point in curve],
                },
            ),
            Panel("games a second", {"speed": [point.games_per_second for point in curve]}),
        ],
    )
