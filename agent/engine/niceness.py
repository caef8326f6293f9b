"""Lets work in the background leave the processor to the search, where systems can do that for single threads."""

from __future__ import annotations

import os
import sys
import threading

_NICENESS = 10


def be_nice() -> None:
    """Lets other threads go before this one and those that it starts; on Linux alone."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
