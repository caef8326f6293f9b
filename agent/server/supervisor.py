"""Keeps two engines for one match: one searches, the other stands by to replace it.

Whatever happens to native code or to the machine, a legal move must be in hand. The engine that stands by
follows the match on the interpreter alone and says what is legal at each position, so that this is known when
the one that thinks crashes or hangs, be it in the middle of a short turn; then it takes that one's place at
once. Engines that are lost are replaced, and the new one is told everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from ludens.agent.protocol.wire import (
    MACHINES,
    Acknowledged,
    Begin,
    Command,
    Event,
    GoTo,
    NetworkReady,
    Position,
    Ready,
    Refused,
    Rest,
    StandBy,
    Think,
)

_CRASHES = 2  # after so many, the next engine does without the fastest machine, and so on
_STANDBY_SECONDS = 2.0  # before an engine stands by: the match's first seconds belong to the one that thinks
_PAUSE_SECONDS = 1.0  # between engines that keep crashing
_LATE_SECONDS = 2.0  # before an engine counts as hanging, however short the clock: a busy machine makes it wait as long

Place: TypeAlias = tuple[int, int]
"""Where engines are sent: the ticket and the step, of which later ones are greater; a match may go back and forth."""

_NOWHERE, _FIRST = (-1, -1), (0, 0)


class SupervisedEngine(Protocol):
    """An engine process as its supervisor sees it."""

    def send(self, command: Command) -> None:
        """Tells the engine; never blocks, and does nothing once it is dead."""

    def kill(self) -> None:
        """Ends it at once; its listener hears nothing of it any more."""


class EngineListener(Protocol):
    """Takes what an engine says."""

    def heard(self, event: Event) -> None:
        """Takes an event of the engine."""

    def lost(self, reason: str) -> None:
        """Takes note that the engine has died."""


class EngineSource(Protocol):
    """Supplies engines."""

    def take(self, listener: EngineListener) -> SupervisedEngine:
        """Returns a fresh engine that reports to `listener`."""


class Supervisor:
    """Stands between a session and whatever engines are in use."""

    def __init__(
        self,
        reactor: Any,
        engines: EngineSource,
        begin: Begin,
        on_event: Callable[[Event], None],
        log: Callable[[str], None],
    ) -> None:
        """Takes an engine and lets it `begin`; what engines say goes to `on_event`, lines for the log to `log`.

        Engines that begin later have what is left of the seconds before the first turn.
        """
        self._reactor = reactor
        self._engines = engines
        self._begin = begin
        self._first_turn = reactor.seconds() + begin.seconds
        self._on_event = on_event
        self._log = log
        self._target: GoTo | None = None  # where the match was sent last
        self._crashes = 0
        self._can_start = False  # an engine has run here once
        self._active: EngineHandle | None = None
        self._standby: EngineHandle | None = None
        self._later: Any = None  # the timer until the next engine
        self._fill()

    def go_to(self, target: GoTo) -> None:
        """Sends the engines to a position; one that starts later will be sent there too."""
        self._target = target
        for handle in self._handles():
            handle.go_to(target)

    def rest(self) -> None:
        """Lets no engine search any further until they are sent somewhere."""
        for handle in self._handles():
            handle.engine.send(Rest())

    def check(self, silence: float = math.inf) -> None:
        """Replaces an engine that hangs; to be asked when a position should have been reached by now.

        So it does with one that says nothing for `silence` seconds at the position, where its search never takes that
        long. As long as the one that stands by has reached it, the other is given a second chance: on a busy machine
        and a short clock it may just be late. If both hang, both are replaced.
        """
        place = _place(self._target) if self._target else _FIRST
        covered = self._standby is not None and self._standby.reached == place
        allowed = 1 if covered else 0
        if self._active and self._active.misses(place, covered, silence) > allowed:
            if alone := self._standby is not None and self._standby.misses(place) > 0:
                self._standby.engine.kill()
                self._standby = None
            self.lost(self._active, "no sign of life")
            if alone and self._crashes <= _CRASHES:
                self._cancel_later()
                self._fill()

    def kill(self) -> None:
        """Ends the engines; there will be no others."""
        self._cancel_later()
        for handle in self._handles():
            handle.engine.kill()

    def lost(self, handle: EngineHandle, reason: str) -> None:
        """Replaces an engine: by the one that stands by, or a new one; at a measured pace when they keep dying."""
        handle.engine.kill()
        if handle is not self._active:
            self._log(f"the engine that stands by is lost ({reason})")
            self._standby = None
            self._fill_after(_PAUSE_SECONDS)
            return
        self._crashes += 1
        self._can_start |= handle.alive
        if self._crashes > _CRASHES and not self._can_start:
            self.kill()
            self._on_event(Refused(f"no engine can be started: {reason}"))
            return
        self._log(f"engine lost ({reason}); another takes over")
        self._active, self._standby = self._standby, None
        if self._active:
            self._let_think(self._active)
        if self._crashes <= _CRASHES:
            self._fill()
        else:
            self._fill_after(_PAUSE_SECONDS)

    def _handles(self) -> list[EngineHandle]:
        return [handle for handle in (self._active, self._standby) if handle]

    def _fill(self) -> None:
        """Takes an engine to search if there is none, else one to stand by."""
        if self._active is None:
            self._active = self._take_engine()
            self._let_think(self._active)
            self._fill_after(_STANDBY_SECONDS)
        else:
            self._standby = self._take_engine()
            self._standby.engine.send(StandBy())

    def _fill_after(self, seconds: float) -> None:
        self._cancel_later()
        self._later = self._reactor.callLater(seconds, self._fill)

    def _cancel_later(self) -> None:
        if self._later is not None and self._later.active():
            self._later.cancel()

    def _take_engine(self) -> EngineHandle:
        handle = EngineHandle(self._reactor, self._engines, self._on_event, self.lost)
        handle.engine.send(replace(self._begin, seconds=max(0.0, self._first_turn - self._reactor.seconds())))
        if self._target is not None:
            handle.go_to(self._target)
        return handle

    def _let_think(self, handle: EngineHandle) -> None:
        handle.engine.send(Think(MACHINES[: max(0, len(MACHINES) - self._crashes // _CRASHES)]))


class EngineHandle:
    """One engine of the match, with what is known of its health."""

    def __init__(
        self,
        reactor: Any,
        engines: EngineSource,
        on_event: Callable[[Event], None],
        on_loss: Callable[[EngineHandle, str], None],
    ) -> None:
        self._reactor, self._on_event, self._on_loss = reactor, on_event, on_loss
        self.alive = False  # has said something
        self._network = False
        self._ready = False  # has nothing to do but to search
        self._spoke_at = 0.0  # when it said something last
        self._heard = _NOWHERE  # the last place it has taken notice of
        self._misses = 0
        self._sent = _NOWHERE  # the last place it was sent to
        self._behind_since = 0.0  # when it was sent on from the last place that it has reached
        self.reached = _NOWHERE  # the last place it has told a position of
        self.engine = engines.take(self)

    def go_to(self, target: GoTo) -> None:
        """Sends the engine to a position."""
        if self.reached >= self._sent:
            self._behind_since = self._reactor.seconds()
        self._sent = _place(target)
        self.engine.send(target)

    def misses(self, place: Place, overtaken: bool = False, silence: float = math.inf) -> int:
        """Returns how many times in a row, including now, the engine should have reached a place and has not.

        Or has said nothing there for `silence` seconds while it searches. An engine that is still starting up, unless
        it is `overtaken` by one that began later, and one without a network that has heard of the position and works on
        it, are slow and do not hang. Nor does one that has been behind for a moment only.
        """
        now = self._reactor.seconds()
        behind = self.reached != place and now - self._behind_since >= _LATE_SECONDS
        late = behind and (self.alive or overtaken) and (self._network or self._heard < place)
        mute = self._ready and self.reached == place and now - self._spoke_at >= silence
        self._misses = self._misses + 1 if late or mute else 0
        return self._misses

    def heard(self, event: Event) -> None:
        """Takes note of the engine's health and passes on what it says."""
        self.alive = True
        self._spoke_at = self._reactor.seconds()
        match event:
            case Acknowledged(step, ticket):
                self._heard = ticket, step
            case Position(step, ticket=ticket):
                self.reached = ticket, step
            case NetworkReady():
                self._network = True
            case Ready():
                self._ready = True
        self._on_event(event)

    def lost(self, reason: str) -> None:
        """Takes note that the engine has died."""
        self._on_loss(self, reason)


def _place(target: GoTo) -> Place:
    return target.ticket, len(target.history)
