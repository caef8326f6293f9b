"""Shows that a command is still working, once it has taken more than a second."""

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
    out, began, over, step = stream or sys.stderr, time.monotonic(), threading.Event(), ""

    def tell(text: str) -> None:
        nonlocal step
        step = f": {text}"

    def show() -> None:
        counts, pause = out.isatty(), 1.0
        while not over.wait(pause):
            line = f"{what}{step} … {time.monotonic() - began:.0f} s"
            print(_CLEAR_LINE + line if counts else line + "\n", end="", file=out, flush=True)
            pause = 1.0 if counts else time.monotonic() - began
        print(_CLEAR_LINE if counts else "", end="", file=out, flush=True)

    watcher = threading.Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield tell
    finally:
        over.set()
        watcher.join()
