"""Tells whoever waits that something is under way, once it has taken more than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def progress(what: str, stream: TextIO | None = None) -> Iterator[None]:
    """Shows `what` and the seconds gone by on `stream` (standard error) while the body runs.

    A terminal gets one line that counts and then vanishes; anything else gets plain lines at 1, 2, 4 … s.
    """
    out = stream or sys.stderr
    over = threading.Event()
    show = _count if out.isatty() else _report
    watcher = threading.Thread(target=show, args=(what, out, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _count(what: str, out: TextIO, over: threading.Event) -> None:
    began = time.monotonic()
    shown = False
    while not over.wait(1.0):
        out.write(f"{_CLEAR_LINE}{what} … {time.monotonic() - began:.0f} s")
        out.flush()
        shown = True
    if shown:
        out.write(_CLEAR_LINE)
        out.flush()


def _report(what: str, out: TextIO, over: threading.Event) -> None:
    seconds = 1
    pause = 1
    while not over.wait(pause):
        out.write(f"{what} … {seconds} s\n")
        out.flush()
        pause = seconds
        seconds *= 2
