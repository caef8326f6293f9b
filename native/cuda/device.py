"""Whether there is a graphics processor to play on, and what is needed for it."""

from __future__ import annotations

from typing import Any

from propnet.errors import NativeError


def available() -> bool:
    """Whether numba is installed and finds a GPU."""
    try:
        return bool(cuda().is_available())
    except NativeError:
        return False


def cuda() -> Any:
    """numba.cuda; NativeError if numba is not installed."""
    try:
        from numba import cuda as module
    except ImportError as error:
        raise NativeError("playing on a GPU needs numba: pip install 'ludens[gpu]'") from error
    return module
