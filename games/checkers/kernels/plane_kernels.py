"""Expands positions of three words to planes of numbers, on a GPU: the twin of `planes`.

Theory. A network over the board wants 3 x 8 x 8 numbers a position, which are 24 times the bytes of its words. So data
travel as words and are expanded where they are used, one thread a square of a position.

Only for import where there is numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import cuda, float32, uint32

THREADS = 128  # of a block


@cuda.jit
def expand(words, planes):
    """Writes planes [n, 3, 8, 8] of words [n, 3]; half of the squares of the board are not played on."""
    index = cuda.grid(1)
    if index < planes.size:
        file, rank = index % 8, index // 8 % 8
        plane, position = index // 64 % 3, index // 192
        played = (file + rank) % 2 == 0
        square = rank * 4 + file // 2
        bit = (words[position, plane] >> uint32(square)) & uint32(1)
        planes[position, plane, rank, file] = float32(bit if played else 0)


def expand_on_device(words: npt.NDArray[np.uint32]) -> Any:
    """Returns the planes float32[n, 3, 8, 8] of words [n, 3], as an array of the device."""
    planes = cuda.device_array((len(words), 3, 8, 8), np.float32)
    if len(words):
        expand[-(-planes.size // THREADS), THREADS](cuda.to_device(np.ascontiguousarray(words)), planes)
    return planes
