"""The sequential probability ratio test (Wald 1945): ends a series of games as soon as they decide.

It decides at 5 % error of both kinds between two scores that a player may truly have, by the normal approximation.

>>> decided([1.0] * 30, (0.5, 0.6)), decided([0.0] * 30, (0.5, 0.6)), decided([1.0, 0.0] * 15, (0.5, 0.6))
('high', 'low', None)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_ERROR = 0.05  # of both kinds
_FEWEST = 16  # games before the test says anything


def likelihood_ratio(scores: Sequence[float], low: float, high: float) -> float:
    """Log-likelihood ratio of the true score being `high` rather than `low`.

    One game won and one lost are added to the variance, so that a series of wins is no certainty.
    """
    variance = float(np.var([*scores, 0.0, 1.0]))
    return len(scores) * (high - low) * (2 * float(np.mean(scores)) - low - high) / (2 * variance)


def decided(scores: Sequence[float], bounds: Sequence[float] | None) -> str | None:
    """What the test says so far of scores from 0 to 1: "low", "high" or nothing yet."""
    if bounds is None or len(scores) < _FEWEST:
        return None
    ratio = likelihood_ratio(scores, *bounds)
    limit = math.log((1 - _ERROR) / _ERROR)
    return "high" if ratio > limit else "low" if ratio < -limit else None
