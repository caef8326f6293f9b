"""The clock of analyses, by which they keep to their limits of time.

All processes have that of the system, but one that is stopped now and then: its clock stands still meanwhile
(`paused_process`), or an analysis would be cut short that has hardly begun.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_read: Callable[[], float] = time.monotonic


def now() -> float:
    """Returns the seconds since some time in the past."""
    return _read()


def use(read: Callable[[], float]) -> None:
    """Has `now` read another clock from now on."""
    global _read  # noqa: PLW0603 - a process has one clock
    _read = read
