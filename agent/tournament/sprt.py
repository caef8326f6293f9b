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

_ERROR = 0.05  # of both kinds
_FEWEST = 16  # games before the test says anything
_ONE_SIDED = 1.645  # standard deviations above the mean, beyond which 5 % lie
_TWO_SIDED = 1.96  # ... and on both sides of it


def exceeds(scores: Sequence[float], score: float) -> bool:
    """Says whether a player's true score is above another one, at 5 % error, by the normal approximation.

    >>> exceeds([1.0] * 3, 0.5), exceeds([1.0] * 2, 0.5), exceeds([1.0, 0.0, 1.0], 0.5)
    (True, False, False)
    """
    return float(np.mean(scores)) - score > _ONE_SIDED * math.sqrt(_variances(scores)[-1] / len(scores))


def uncertainty(scores: Sequence[float]) -> float:
    """Returns half the width of the interval of a player's true score at 95 %, by the normal approximation.

    1, which says nothing, where there are no scores.
    """
    return _TWO_SIDED * math.sqrt(_variances(scores)[-1] / len(scores)) if scores else 1.0


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
    ratios: NDArray[np.float64] = (high - low) * (2 * sums - games * (low + high)) / (2 * _variances(scores))
    return ratios


def _variances(scores: Sequence[float]) -> NDArray[np.float64]:
    """Returns the variances of scores after each of some games.

    One game won and one lost are added: a series of wins is no certainty.
    """
    games, sums, squares = np.arange(3, len(scores) + 3), np.cumsum(scores) + 1, np.cumsum(np.square(scores)) + 1
    variances: NDArray[np.float64] = squares / games - (sums / games) ** 2
    return variances
