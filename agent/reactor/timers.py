"""Timers on a reactor: those that end together, and events that are waited for so long and no longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred


class Timers:
    """What is to be done later, unless all of that is cancelled before."""

    def __init__(self, reactor: Any) -> None:
        """Begins without any."""
        self._reactor = reactor
        self._running: list[Any] = []

    def after(self, seconds: float, action: Callable[..., object], *arguments: Any) -> None:
        """Does something after so many seconds."""
        self._running.append(self._reactor.callLater(max(0.0, seconds), action, *arguments))

    def cancel(self) -> None:
        """Does nothing of what was to be done."""
        for timer in self._running:
            if timer.active():
                timer.cancel()
        self._running = []


def first_of(reactor: Any, event: Deferred[None], seconds: float) -> Deferred[None]:
    """Fires with an event, or after so many seconds."""
    done: Deferred[None] = Deferred()

    def fire(_: object = None) -> None:
        if not done.called:
            done.callback(None)

    timer = reactor.callLater(seconds, fire)
    event.addCallback(fire)
    done.addCallback(lambda _: timer.cancel() if timer.active() else None)
    return done
