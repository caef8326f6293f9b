"""Tells whoever waits that something is under way, once it has taken more than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def progress(what: str, stream: TextIO | None = None) -> Iterator[Callable[[str], None]]:
    """Shows `what` and the seconds gone by on `stream` (standard error) while the body runs.

    A terminal gets one line that counts and then vanishes; anything else gets plain lines at 1, 2, 4 … s.
    The body may say what it is at by calling what it is given with a few words.
    """
    status = _Status(what, stream or sys.stderr)
    watcher = threading.Thread(target=status.show, daemon=True)
    watcher.start()
    try:
        yield status.tell
    finally:
        status.over.set()
        watcher.join()


class _Status:
    def __init__(self, what: str, out: TextIO) -> None:
        self.over = threading.Event()
        self._what = what
        self._step = ""
        self._out = out
        self._began = time.monotonic()

    def tell(self, step: str) -> None:
        self._step = step

    def show(self) -> None:
        """Shows the status until it is over; runs in a thread of its own."""
        if self._out.isatty():
            self._count()
        else:
            self._report()

    def _count(self) -> None:
        while not self.over.wait(1.0):
            self._write(_CLEAR_LINE + self._line())
        self._write(_CLEAR_LINE)

    def _report(self) -> None:
        pause = 1.0
        while not self.over.wait(pause):
            self._write(self._line() + "\n")
            pause = time.monotonic() - self._began

    def _line(self) -> str:
        step = f": {self._step}" if self._step else ""
        return f"{self._what}{step} … {time.monotonic() - self._began:.0f} s"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
