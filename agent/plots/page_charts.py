"""Draws charts in the colours of their page: bars of a distribution, shares with intervals, and a curve of shares.

Colours are those of the page: the classes `series0` to `series3`, `axis`, `whisker` and `value`.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT = 480, 200  # of a chart
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 24, 12, 40  # margins
_MOST_BARS = 24
_ROW = 34  # of shares, each
_NAMES = 110  # columns of names, in pixels


@dataclass(frozen=True, slots=True)
class Bar:
    """Part of a whole: its share with the 95 % interval, 0 … 1, and its series."""

    label: str
    share: float
    low: float
    high: float
    series: int = 0


def distribution(title: str, counts: Sequence[tuple[int, int]], what: str) -> str:
    """Draws how often each number came, `counts` in order; many numbers are drawn as ranges. `what` they are."""
    first, last = counts[0][0], counts[-1][0]
    width = max(1, math.ceil((last - first + 1) / _MOST_BARS))
    bars = [0] * ((last - first) // width + 1)
    for number, count in counts:
        bars[(number - first) // width] += count
    total, most = sum(bars), max(bars)
    step = (_WIDTH - _LEFT - _RIGHT) / len(bars)
    parts = []
    for index, count in enumerate(bars):
        height = (_HEIGHT - _TOP - _BOTTOM) * count / most
        x, y = _LEFT + index * step, _HEIGHT - _BOTTOM - height
        low = first + index * width
        range_ = f"{low}" if width == 1 else f"{low} to {low + width - 1}"
        about = f"<title>{range_}: {100 * count / total:.1f} %</title>"
        parts.append(_rectangle(x + step * 0.08, y, step * 0.84, height, "series0", about))
        if len(bars) <= 12 or index % math.ceil(len(bars) / 8) == 0:
            parts.append(_text(x + step / 2, _HEIGHT - _BOTTOM + 15, str(low), "middle"))
    parts.append(_text(_LEFT - 6, _TOP + 8, f"{100 * most / total:.0f} %", "end"))
    parts.append(_text(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 8, what, "middle"))
    return _chart(title, [*parts, _axis()], _HEIGHT)


def shares(title: str, bars: Sequence[Bar]) -> str:
    """Draws shares as bars with their intervals, one below the other."""
    room = _WIDTH - _NAMES - 60
    parts = []
    for index, bar in enumerate(bars):
        y = _TOP + index * _ROW
        low, high, end = (_NAMES + room * share for share in (bar.low, bar.high, bar.share))
        parts += [
            _text(_NAMES - 8, y + 17, bar.label, "end"),
            _rectangle(_NAMES, y + 4, room * bar.share, 18, f"series{bar.series % 4}"),
            f'<path class="whisker" d="M{low:.1f} {y + 13}H{high:.1f}M{low:.1f} {y + 9}v8M{high:.1f} {y + 9}v8"/>',
            _text(max(high, end) + 8, y + 17, f"{100 * bar.share:.0f} %", "start", "value"),
        ]
    height = _TOP + len(bars) * _ROW + 6
    parts.append(f'<path class="axis" d="M{_NAMES} {_TOP}V{height - 6}"/>')
    return _chart(title, parts, height)


def cumulative(title: str, values: Sequence[float], what: str) -> str:
    """Draws which share of the values, each from 0 to 1 and in order, is at most each number. `what` they are."""
    across, up = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    path = f"M{_LEFT} {_HEIGHT - _BOTTOM}"
    for index, value in enumerate(values, start=1):
        path += f"H{_LEFT + across * value:.1f}V{_HEIGHT - _BOTTOM - up * index / len(values):.1f}"
    parts = [f'<path class="curve" d="{path}H{_WIDTH - _RIGHT}"/>']
    for tenth in (0, 25, 50, 75, 100):
        parts.append(_text(_LEFT + across * tenth / 100, _HEIGHT - _BOTTOM + 15, f"{tenth} %", "middle"))
        parts.append(_text(_LEFT - 6, _HEIGHT - _BOTTOM - up * tenth / 100 + 4, f"{tenth} %", "end"))
    parts.append(_text(_LEFT + across / 2, _HEIGHT - 8, what, "middle"))
    return _chart(title, [*parts, _axis()], _HEIGHT)


def _chart(title: str, parts: Sequence[str], height: int) -> str:
    told = html.escape(title)
    return (
        f'<figure><figcaption>{told}</figcaption><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{told}">'
        f"{''.join(parts)}</svg></figure>"
    )


def _axis() -> str:
    return f'<path class="axis" d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}"/>'


def _rectangle(x: float, y: float, width: float, height: float, kind: str, inside: str = "") -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {size}>{inside}</rect>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'
