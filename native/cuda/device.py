"""Whether there is a graphics processor to play on, and what is needed for it."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from ludens.native.cuda import simulated
from ludens.propnet.base.errors import NativeError


def has_driver() -> bool:
    """Whether the driver of a GPU is installed, or numba told to do without one; asks at once, without numba."""
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0":
        return True
    try:
        ctypes.CDLL(os.environ.get("NUMBA_CUDA_DRIVER", "libcuda.so.1"))
    except OSError:
        return False
    return True


def available() -> bool:
    """Whether numba is installed and finds a GPU."""
    if not has_driver():
        return False
    try:
        return bool(cuda().is_available())
    except NativeError:
        return False


def multiprocessors() -> int:
    """How many multiprocessors the GPU has; 1 where numba only simulates one."""
    module = cuda()
    return 1 if is_simulated() else int(module.get_current_device().MULTIPROCESSOR_COUNT)


def shared_memory() -> int:
    """How many bytes of shared memory a multiprocessor of the GPU has for its blocks."""
    return int(cuda().get_current_device().MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)


def cuda() -> Any:
    """numba.cuda; NativeError if numba is not installed. It is told not to warn of launches that are small."""
    os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
    try:
        from numba import cuda as module
    except ImportError as error:
        raise NativeError("playing on a GPU needs numba: pip install 'ludens[gpu]'") from error
    if is_simulated():
        simulated.patch_simulator()
    return module


def is_simulated() -> bool:
    """Whether numba simulates a GPU."""
    from numba import config

    return bool(config.ENABLE_CUDASIM)
