"""The curve of a training: how well games were foretold and how they ended, as a table, as JSON and as a picture."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


_FIELDS = [field.name for field in dataclasses.fields(CurvePoint)]


def to_json(curve: Sequence[CurvePoint], about: Mapping[str, Any]) -> str:
    """Returns the curve with what is said about the training."""
    return json.dumps({**about, "curve": [dataclasses.asdict(point) for point in curve]}, indent=1) + "\n"


def to_csv(curve: Sequence[CurvePoint]) -> str:
    """Returns a table with a row for each point, names of columns first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows(dataclasses.astuple(point) for point in curve)
    return out.getvalue()


def to_svg(curve: Sequence[CurvePoint], title: str) -> str:
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
