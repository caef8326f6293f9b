"""Planes of numbers from positions of three words, for networks over the board.

Word w of a position becomes plane w: 1 where its set has a square, else 0, on the board of 8 x 8 squares of which every
other one is played on: square s is on rank s // 4 and file 2 * (s % 4) + rank % 2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_SQUARES = np.arange(32)
RANKS = _SQUARES // 4
FILES = 2 * (_SQUARES % 4) + RANKS % 2


def planes(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
    """Returns planes float32[n, 3, 8, 8] of words uint32[n, 3]; `plane_kernels` does the same on a GPU."""
    found = np.zeros((len(words), 3, 8, 8), np.float32)
    found[:, :, RANKS, FILES] = words[:, :, None] >> _SQUARES.astype(np.uint32) & np.uint32(1)
    return found
