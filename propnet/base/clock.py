"""The clock of analyses of networks, by which those that prepare a game keep to their limits of time.

It is that of the system, but in a process that is stopped now and then: there it stands still meanwhile, or an analysis
would be cut short that has hardly begun. What takes a clock as an argument counts otherwise, such as in CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_read: Callable[[], float] = time.monotonic


def now() -> float:
    """Returns the seconds since some time in the past."""
    return _read()


def set_clock(read: Callable[[], float]) -> None:
    """Has `now` read another clock from now on."""
    global _read  # noqa: PLW0603 - a process has one clock
    _read = read
