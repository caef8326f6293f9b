"""The sequential probability ratio test (Wald 1945): ends a series of games as soon as they decide.

It decides at 5 % error of both kinds between two scores that a player may truly have, by the normal approximation.

>>> decided([1.0] * 30, (0.5, 0.6)), decided([0.0] * 30, (0.5, 0.6)), decided([1.0, 0.0] * 15, (0.5, 0.6))
('high', 'low', None)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.agent.statistics.intervals import variances

_ERROR = 0.05  # of both kinds
_FEWEST = 16  # games before the test says anything


def decided(scores: Sequence[float], bounds: Sequence[float] | None) -> str | None:
    """Returns what the test says of scores from 0 to 1 in the order in which games ended: "low", "high" or nothing yet.

    What it says first stands, whatever comes of games that were on by then.

    >>> decided([1.0] * 12 + [0.0] * 7, (0.4, 0.6)), decided([0.0] * 7 + [1.0] * 12, (0.4, 0.6))
    ('high', None)
    """
    if bounds is None or len(scores) < _FEWEST:
        return None
    limit = math.log((1 - _ERROR) / _ERROR)
    ratios = _likelihood_ratios(scores, *bounds)[_FEWEST - 1 :]
    first = next((ratio for ratio in ratios if abs(ratio) > limit), 0.0)
    return "high" if first > 0 else "low" if first < 0 else None


def _likelihood_ratios(scores: Sequence[float], low: float, high: float) -> NDArray[np.float64]:
    """Returns the log-likelihood ratios of the true score being `high` rather than `low`, after each of some games."""
    games, sums = np.arange(1, len(scores) + 1), np.cumsum(scores)
    ratios: NDArray[np.float64] = (high - low) * (2 * sums - games * (low + high)) / (2 * variances(scores))
    return ratios
