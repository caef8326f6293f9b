"""Keeps an engine at work on one match: replaces those that die or hang, and tells the new one everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from agent.wire import Begin, Command, Event, GoTo, Heard, Joint, NetworkReady

_NETWORK_CRASHES = 2  # after so many, the next engine plays without a network
_PAUSE_SECONDS = 1.0  # between engines that keep crashing


class Engine(Protocol):
    """An engine process as its supervisor sees it."""

    def send(self, command: Command) -> None:
        """Tells the engine; never blocks, and does nothing once it is dead."""

    def kill(self) -> None:
        """Ends it at once; its listener hears nothing of it any more."""


class Listener(Protocol):
    """Who hears what an engine says."""

    def heard(self, event: Event) -> None:
        """The engine has said something."""

    def lost(self, reason: str) -> None:
        """The engine has died."""


class Engines(Protocol):
    """Where engines come from."""

    def take(self, listener: Listener) -> Engine:
        """A fresh engine that reports to `listener`."""


class Supervisor:
    """Stands between a session and whatever engine is in use."""

    def __init__(
        self,
        reactor: Any,
        engines: Engines,
        begin: Begin,
        on_event: Callable[[Event], None],
        say: Callable[[str], None],
    ) -> None:
        """Takes an engine and lets it `begin`; its events go to `on_event`, remarks for the log to `say`."""
        self._reactor = reactor
        self._engines = engines
        self._begin = begin
        self._on_event = on_event
        self._say = say
        self._history: tuple[Joint, ...] | None = None  # where the match was sent last
        self._crashes = 0
        self._pause: Any = None  # the timer until the next engine
        self._engine: Engine | None = None
        self._take_engine()

    def go_to(self, history: tuple[Joint, ...]) -> None:
        """Sends the engine to a position; one that starts later will be sent there too."""
        self._history = history
        if self._engine:
            self._engine.send(GoTo(history))

    def check(self) -> None:
        """Replaces an engine that hangs; to be asked when a position should have been reached by now.

        An engine that is still starting up, and an interpreter that has heard of the position and works on
        it, are slow and do not hang.
        """
        step = len(self._history or ())
        if self._alive and (self._network or self._heard < step):
            self.lost("no sign of life")

    def kill(self) -> None:
        """Ends the engine; there will be no other."""
        if self._pause is not None and self._pause.active():
            self._pause.cancel()
        if self._engine:
            self._engine.kill()

    def heard(self, event: Event) -> None:
        """Takes note of the engine's health and passes on what it says."""
        self._alive = True
        match event:
            case Heard(step):
                self._heard = step
            case NetworkReady():
                self._network = True
        self._on_event(event)

    def lost(self, reason: str) -> None:
        """Replaces the engine: at once, but with a pause when engines keep dying."""
        self._say(f"engine lost ({reason}); starting another")
        self._crashes += 1
        if self._engine:
            self._engine.kill()
            self._engine = None
        if self._crashes <= _NETWORK_CRASHES:
            self._take_engine()
        else:
            self._pause = self._reactor.callLater(_PAUSE_SECONDS, self._take_engine)

    def _take_engine(self) -> None:
        self._alive = self._network = False
        self._heard = -1
        self._engine = self._engines.take(self)
        self._engine.send(replace(self._begin, network=self._crashes < _NETWORK_CRASHES))
        if self._history is not None:
            self._engine.send(GoTo(self._history))
