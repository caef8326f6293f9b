"""Draws charts of a few kinds: values with intervals, tables of shares, and boxes of distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ludens.agent.plots.picture import BLUE, FAINT, GRID, INK, ORANGE, PALE, Picture
from ludens.agent.plots.scale import ticks

_WIDTH, _ROW, _LETTER = 720.0, 26.0, 7.6  # of pictures, rows, and letters on average
_RISE, _RUN = 0.6, 0.85  # of words that are slanted, for each of their length
_LOW, _EVEN, _HIGH = (
    (192, 86, 33),
    (255, 255, 255),
    (43, 108, 176),
)  # colours of shares: told apart by colour-blind eyes


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; a name before the first row of each group says what the group is."""

    name: str
    value: float
    low: float
    high: float
    group: str = ""


def interval_chart(title: str, unit: str, rows: Sequence[Interval]) -> str:
    """Returns a picture of values with intervals, from top to bottom, on one scale."""
    groups = [row.group for row in rows]
    heads = sum(bool(group) and group not in groups[:place] for place, group in enumerate(groups))
    height = 76 + _ROW * (len(rows) + heads)
    picture = Picture(_WIDTH, height, title)
    left, right = _label_width(row.name for row in rows), _WIDTH - 76
    marks = ticks(min(row.low for row in rows), max(row.high for row in rows))

    def across(value: float) -> float:
        return left + (right - left) * (value - marks[0]) / (marks[-1] - marks[0])

    for tick in marks:
        picture.line(across(tick), 44, across(tick), height - 16, FAINT if tick == 0 else GRID, 1)
        picture.text(across(tick), 38, f"{tick:g}", "middle", FAINT, 12)
    picture.text(12, 20, f"{title} ({unit})", bold=True)
    y = 60.0
    for place, row in enumerate(rows):
        if row.group and row.group not in groups[:place]:
            picture.text(12, y + 4, row.group, colour=BLUE, bold=True)
            y += _ROW
        picture.text(left - 12, y + 4, row.name, "end")
        picture.line(across(row.low), y, across(row.high), y, BLUE, 3)
        picture.dot(across(row.value), y, BLUE)
        picture.text(_WIDTH - 12, y + 4, f"{round(row.value)} ± {(row.high - row.low) / 2:.0f}", "end", FAINT, 12)
        y += _ROW
    return picture.svg()


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A value with its interval, at a place along a curve."""

    place: float
    value: float
    low: float
    high: float


def curve_chart(title: str, along: str, unit: str, curves: Mapping[str, Sequence[CurvePoint]]) -> str:
    """Returns a picture of up to four curves, from left to right, with the intervals of their points.

    `along` says what places are, `unit` what values are.
    """
    points = [point for curve in curves.values() for point in curve]
    height, left, right, top = 360.0, 56.0, _WIDTH - 24, 76.0
    picture = Picture(_WIDTH, height, title)
    columns, rows = (
        ticks(min(point.place for point in points), max(point.place for point in points)),
        ticks(min(point.low for point in points), max(point.high for point in points)),
    )

    def across(place: float) -> float:
        return left + (right - left) * (place - columns[0]) / (columns[-1] - columns[0])

    def up(value: float) -> float:
        return height - 48 - (height - 48 - top) * (value - rows[0]) / (rows[-1] - rows[0])

    picture.text(12, 20, f"{title} ({unit})", bold=True)
    for tick in rows:
        picture.line(left, up(tick), right, up(tick), FAINT if tick == rows[0] else GRID, 1)
        picture.text(left - 8, up(tick) + 4, f"{tick:g}", "end", FAINT, 12)
    for tick in columns:
        picture.text(across(tick), height - 28, f"{tick:g}", "middle", FAINT, 12)
    picture.text((left + right) / 2, height - 10, along, "middle", FAINT, 12)
    for curve, colour in zip(curves.values(), (BLUE, ORANGE, INK, FAINT), strict=False):
        for point in curve:
            picture.line(across(point.place), up(point.low), across(point.place), up(point.high), colour, 1)
            picture.dot(across(point.place), up(point.value), colour)
        for one, other in pairwise(curve):
            picture.line(across(one.place), up(one.value), across(other.place), up(other.value), colour, 2)
    x = left
    for name, colour in zip(curves, (BLUE, ORANGE, INK, FAINT), strict=False):
        picture.dot(x, 44, colour)
        picture.text(x + 12, 48, name)
        x += 40 + len(name) * _LETTER
    return picture.svg()


def share_table(
    title: str, rows: Sequence[str], columns: Sequence[str], shares: Mapping[tuple[str, str], float]
) -> str:
    """Returns a picture of a table of shares from 0 to 1, each in a colour of its own; what is missing stays empty."""
    left = _label_width(rows)
    cell = min(96.0, (_WIDTH - left - 60) / len(columns))
    middles = [left + cell * (place + 0.5) for place in range(len(columns))]
    heads = [len(column) * _LETTER for column in columns]
    slanted = max(heads) > cell
    top = 40 + (max(heads) * _RISE if slanted else 24)
    ends = [x + head * _RUN + 12 for x, head in zip(middles, heads, strict=True) if slanted]
    picture = Picture(max([_WIDTH, *ends]), top + _ROW * len(rows) + 16, title)
    picture.text(12, 20, title, bold=True)
    for x, column in zip(middles, columns, strict=True):
        if slanted:
            picture.slanted(x, top - 8, column)
        else:
            picture.text(x, top - 8, column, "middle", size=12)
    for line, row in enumerate(rows):
        y = top + _ROW * line
        picture.text(left - 12, y + 18, row, "end")
        for place, column in enumerate(columns):
            share = shares.get((row, column))
            if share is None:
                continue
            picture.box(left + cell * place + 1, y + 1, cell - 2, _ROW - 2, _colour(share), 3)
            picture.text(left + cell * (place + 0.5), y + 18, f"{100 * share:.0f} %", "middle", _ink(share), 12)
    return picture.svg()


def box_chart(title: str, unit: str, samples: Mapping[str, Sequence[float]]) -> str:
    """Returns a picture of distributions: the middle half as a box with the median, and all between two ends."""
    height = 76 + _ROW * len(samples)
    picture = Picture(_WIDTH, height, title)
    left, right = _label_width(samples), _WIDTH - 76
    marks = ticks(0, max(max(values) for values in samples.values()))

    def across(value: float) -> float:
        return left + (right - left) * value / marks[-1]

    for tick in marks:
        picture.line(across(tick), 44, across(tick), height - 16, GRID, 1)
        picture.text(across(tick), 38, f"{tick:g}", "middle", FAINT, 12)
    picture.text(12, 20, f"{title} ({unit})", bold=True)
    for place, (name, values) in enumerate(samples.items()):
        y = 60 + _ROW * place
        least, lower, median, upper, most = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
        picture.text(left - 12, y + 4, name, "end")
        picture.line(across(least), y, across(most), y, BLUE, 1.5)
        picture.box(across(lower), y - 7, max(1.0, across(upper) - across(lower)), 14, PALE, 2, BLUE)
        picture.line(across(median), y - 7, across(median), y + 7, BLUE, 3)
        picture.text(_WIDTH - 12, y + 4, f"{median:g}", "end", FAINT, 12)
    return picture.svg()


def _label_width(names: object) -> float:
    """Returns where what is beside the names of rows begins."""
    longest = max((len(str(name)) for name in names), default=0)  # type: ignore[attr-defined]
    return min(330.0, 40 + longest * _LETTER)


def _colour(share: float) -> str:
    """Returns the colour of a share: orange for none, white for a half, blue for all."""
    end, part = (_HIGH, 2 * share - 1) if share > 0.5 else (_LOW, 1 - 2 * share)
    return "#" + "".join(f"{round(even + (far - even) * part):02x}" for even, far in zip(_EVEN, end, strict=True))


def _ink(share: float) -> str:
    return "#ffffff" if abs(share - 0.5) > 0.35 else INK
