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
_ONE_SIDED = 1.645  # standard deviations above the mean, beyond which 5 % lie
_TWO_SIDED = 1.96  # ... and on both sides of it


def exceeds(scores: Sequence[float], score: float) -> bool:
    """Says whether a player's true score is above another one, at 5 % error, by the normal approximation.

    >>> exceeds([1.0] * 3, 0.5), exceeds([1.0] * 2, 0.5), exceeds([1.0, 0.0, 1.0], 0.5)
    (True, False, False)
    """
    return float(np.mean(scores)) - score > _ONE_SIDED * math.sqrt(_variance(scores) / len(scores))


def uncertainty(scores: Sequence[float]) -> float:
    """Returns half the width of the interval of a player's true score at 95 %, by the normal approximation.

    1, which says nothing, where there are no scores.
    """
    return _TWO_SIDED * math.sqrt(_variance(scores) / len(scores)) if scores else 1.0


def likelihood_ratio(scores: Sequence[float], low: float, high: float) -> float:
    """Log-likelihood ratio of the true score being `high` rather than `low`."""
    return len(scores) * (high - low) * (2 * float(np.mean(scores)) - low - high) / (2 * _variance(scores))


def decided(scores: Sequence[float], bounds: Sequence[float] | None) -> str | None:
    """What the test says so far of scores from 0 to 1: "low", "high" or nothing yet."""
    if bounds is None or len(scores) < _FEWEST:
        return None
    ratio = likelihood_ratio(scores, *bounds)
    limit = math.log((1 - _ERROR) / _ERROR)
    return "high" if ratio > limit else "low" if ratio < -limit else None


def _variance(scores: Sequence[float]) -> float:
    """Returns the variance of scores with one game won and one lost added: a series of wins is no certainty."""
    return float(np.var([*scores, 0.0, 1.0]))
