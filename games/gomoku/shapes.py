"""What the shapes of stones are worth that a move would make, to order moves without a search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_WORTH = np.array([0, 1, 3, 6, 30, 32, 400, 20_000], np.int64)  # in the order of `gomoku_shapes`: nothing … five


def worth(shapes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Returns what a stone of each side on each cell is worth, int64[2, cells], from uint8[2, cells, directions]."""
    each: npt.NDArray[np.int64] = _WORTH[shapes].sum(axis=2)
    return each
