"""What to play where others choose at the same moment: moves by chance, in proportion to their visits.

The most visited move alone can be foreseen and answered. The visits of regret matching approach the strategy that
no answer gains from; those by which it only looked are left out ("purified": Ganzfried, Sandholm and Waugh,
"Strategy purification and thresholding", 2012).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_NOISE = 0.1  # moves with less than this share of the most visits were only looked at, and are not played


def mixture(visits: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The chance of each move."""
    weights = _weights(visits)
    chances: npt.NDArray[np.float64] = weights / weights.sum()
    return chances


def draw(visits: npt.NDArray[np.int64], lot: float) -> int:
    """The index that `lot`, in [0, 1), falls on when moves are chosen by their `mixture`.

    A position keeps its lot while visits grow, so that the choice settles as they do.
    """
    bounds = np.cumsum(_weights(visits))
    return int(np.searchsorted(bounds, lot * bounds[-1], side="right"))


def _weights(visits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    weights: npt.NDArray[np.int64] = np.where(visits >= _NOISE * visits.max(), visits, 0) + (visits.max() == 0)
    return weights
