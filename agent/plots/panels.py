"""Draws several charts of curves over the same places, one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ludens.agent.plots.picture import BLUE, FAINT, GRID, INK, ORANGE, Picture
from ludens.agent.plots.scale import ticks

_WIDTH, _HEIGHT, _LEFT, _RIGHT = 720.0, 190.0, 72.0, 24.0
_TITLE, _HEAD, _FOOT, _LETTER = 30.0, 24.0, 24.0, 7.6


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the charts: what its values are, and up to three curves with a value at each place.

    `intervals` are of values of the curves that have the same names.
    """

    unit: str
    curves: Mapping[str, Sequence[float]]
    intervals: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)


def panels(title: str, along: str, places: Sequence[float], charts: Sequence[Panel]) -> str:
    """Returns the picture; `along` says what `places` are, of which there must be one at least."""
    picture = Picture(_WIDTH, _TITLE + _HEIGHT * len(charts) + 20, title)
    picture.text(12, 20, title, bold=True)
    columns = ticks(min(0.0, *places), max(places))
    for number, chart in enumerate(charts):
        _draw(picture, _TITLE + _HEIGHT * number, chart, places, columns)
    picture.text(_WIDTH / 2, _TITLE + _HEIGHT * len(charts) + 10, along, "middle", FAINT, 12)
    return picture.svg()


def _draw(picture: Picture, y: float, chart: Panel, places: Sequence[float], columns: Sequence[float]) -> None:
    values = [value for curve in chart.curves.values() for value in curve]
    values += [bound for intervals in chart.intervals.values() for interval in intervals for bound in interval]
    rows = ticks(min(0.0, *values), max(values))
    top, bottom = y + _HEAD, y + _HEIGHT - _FOOT

    def across(place: float) -> float:
        return _LEFT + (_WIDTH - _RIGHT - _LEFT) * (place - columns[0]) / (columns[-1] - columns[0])

    def up(value: float) -> float:
        return bottom - (bottom - top) * (value - rows[0]) / (rows[-1] - rows[0])

    for tick in rows:
        picture.line(_LEFT, up(tick), _WIDTH - _RIGHT, up(tick), FAINT if tick == rows[0] else GRID, 1)
        picture.text(_LEFT - 8, up(tick) + 4, f"{tick:g}", "end", FAINT, 12)
    for tick in columns:
        picture.text(across(tick), bottom + 16, f"{tick:,.10g}", "middle", FAINT, 12)
    picture.text(12, y + 12, chart.unit)
    x = 24 + len(chart.unit) * _LETTER
    for (name, curve), colour in zip(chart.curves.items(), (BLUE, ORANGE, INK), strict=False):
        for place, (low, high) in zip(places, chart.intervals.get(name, ()), strict=False):
            picture.line(across(place), up(low), across(place), up(high), colour, 1)
        picture.curve([(across(place), up(value)) for place, value in zip(places, curve, strict=True)], colour)
        if len(chart.curves) > 1:
            picture.dot(x + 12, y + 8, colour)
            picture.text(x + 22, y + 12, name)
            x += 40 + len(name) * _LETTER
