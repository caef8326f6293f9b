"""Repairs numba's CUDA simulator: threads of a block may ask for a shared array at the same time.

They are threads of Python. Each looks whether the array is there and makes it if not, so that two make one each
where the first is interrupted in between (numba 0.68, `FakeCUDAShared` in numba/cuda/simulator/kernelapi.py); then
a thread reads what nobody has written.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any


class _MadeOnce(dict[Any, Any]):
    """Whoever asks for what is not there is alone with that until it has put it there."""

    def __init__(self) -> None:
        super().__init__()
        self._making = threading.Lock()

    def get(self, key: Any, default: Any = None) -> Any:
        self._making.acquire()
        if (found := super().get(key, default)) is not None:
            self._making.release()
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._making.release()


@cache
def patch_simulator() -> None:
    """For this process; only where numba simulates."""
    from numba.cuda.simulator import kernelapi

    class Shared(kernelapi.FakeCUDAShared):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self, dynamic: int) -> None:
            super().__init__(dynamic)
            self._allocations = _MadeOnce()

    kernelapi.FakeCUDAShared = Shared
