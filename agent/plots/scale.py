"""Finds the numbers that stand beside the axes of charts."""

from __future__ import annotations

import math


def ticks(low: float, high: float) -> list[float]:
    """Returns round numbers from below `low` to above `high`, five or so."""
    span = max(high - low, 1e-9)
    step = 10 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * number for number in range(first, max(last, first + 1) + 1)]
