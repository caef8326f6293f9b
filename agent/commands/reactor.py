"""Lets signals end what runs on twisted's reactor."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from twisted.internet.error import ReactorNotRunning


@contextmanager
def stopped_by_signals(reactor: Any) -> Iterator[None]:
    """Has Ctrl-C and SIGTERM stop the reactor, in order and also where they come before it runs."""

    def stop() -> None:
        with suppress(ReactorNotRunning):  # it is stopping already
            reactor.stop()

    def ask(_number: int, _frame: Any) -> None:
        reactor.callFromThread(stop)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
