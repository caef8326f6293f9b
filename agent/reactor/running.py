"""Runs functions on the global reactor until they are done, and lets signals end them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.python.failure import Failure

from ludens.agent.reactor.steady_reactor import steady_reactor

T = TypeVar("T")


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


def run_reactor(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
    """Runs the global reactor until `main` is done; raises what it raises, or `KeyboardInterrupt`.

    Signals are handled afterwards as before: the reactor does not give them back.
    """
    reactor = steady_reactor()
    outcome: list[T | Failure] = []

    def begin() -> None:
        Deferred.fromCoroutine(main(reactor)).addBoth(finish)

    def finish(result: T | Failure) -> None:
        outcome.append(result)
        with suppress(ReactorNotRunning):
            reactor.stop()

    reactor.callWhenRunning(begin)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        reactor.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not outcome:
        raise KeyboardInterrupt
    result = outcome[0]
    if isinstance(result, Failure):
        result.raiseException()
    return result
