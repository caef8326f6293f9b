"""How much a function gets done in a second of CPU time, on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable

_TURNS, _SECONDS = 7, 0.3


def call_rate(run: Callable[[], object], count: int) -> float:
    """Returns what is done in a CPU second by calls that do `count` each, in the best of several turns."""
    run()
    best = 0.0
    for _ in range(_TURNS):
        began, done = time.process_time(), 0
        while time.process_time() - began < _SECONDS:
            run()
            done += count
        best = max(best, done / (time.process_time() - began))
    return best
