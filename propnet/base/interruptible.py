"""Runs what takes long in a thread, so that Ctrl-C and whoever loses interest end it soon.

Native calls release the interpreter lock, but Python hears of Ctrl-C only when the main thread is back from them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator

_STOP_SECONDS = 0.01  # between two requests to stop: one that comes too early is lost


def running(work: Callable[[], object], stop: Callable[[], None], every: float) -> Generator[None, None, None]:
    """Does `work` in a thread, and yields every so many seconds until it is over; raises what it raises.

    When the generator is closed, or interrupted, `stop` is called until the work ends.
    """
    failures: list[BaseException] = []
    over = threading.Event()

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised again by whoever waits
            failures.append(error)
        finally:
            over.set()

    threading.Thread(target=guarded, daemon=True).start()
    try:
        while not over.wait(every):
            yield
    finally:
        while not over.wait(_STOP_SECONDS):
            stop()
    if failures:
        raise failures[0]
