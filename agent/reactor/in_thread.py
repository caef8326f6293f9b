"""Calls functions that take long in threads, so that the reactor's thread never computes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(reactor: Any, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
    """Calls `function` in a thread that does not keep the program from ending; fires with its result."""
    result: Deferred[T] = Deferred()

    def work() -> None:
        try:
            value = function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - whatever it is, it belongs to whoever waits for the result
            reactor.callFromThread(result.errback, Failure())
        else:
            reactor.callFromThread(result.callback, value)

    threading.Thread(target=work, daemon=True).start()
    return result
