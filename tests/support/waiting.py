"""Waits in tests for what must come, however slow or busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which a test gives up on what must come: only so that none waits for ever, never a measure."""


def until(condition: Callable[[], bool]) -> None:
    """Returns when the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
