"""A kernel whose threads share an array. Only for import where numba simulates."""

from typing import Any

import numpy as np
from numba import cuda


@cuda.jit  # type: ignore[untyped-decorator]
def write_and_read(value: int, seen: Any) -> None:
    """The first thread writes the value, and all read what they see then."""
    shared = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == 0:
        shared[0] = value
    cuda.syncthreads()
    seen[cuda.threadIdx.x] = shared[0]
