"""An engine that thinks about any position of a match, in processes of its own.

The engine goes wherever it is sent: back, or to another branch. Each errand has a ticket, so that what it has found
out about one position is never taken for another's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred

from ludens.agent.protocol.wire import (
    Begin,
    Event,
    GoTo,
    History,
    LogMessage,
    NetworkReady,
    NoNetwork,
    Ready,
    Refused,
    RulesRead,
    SearchReport,
)
from ludens.agent.server.engine_process import EnginePool
from ludens.agent.server.supervisor import Supervisor
from ludens.agent.settings.options import PlayerOptions

_MUTE_SECONDS = 10.0  # of an opponent of a level, whose whole search takes less

IDLE_SECONDS = 300.0
"""An engine that nobody has asked for so long ends; it is started again when it is needed."""


class Thinker:
    """Searches positions for one role. All on the reactor's thread.

    `on_report` gets what it finds out from when it is sent somewhere until it is let go; `on_failure` gets why it
    cannot play, if it was sent somewhere; `on_progress`, what it does before it is ready, and then an empty text.
    """

    def __init__(
        self,
        reactor: Any,
        options: PlayerOptions,
        rules: str,
        role: str,
        on_report: Callable[[SearchReport], None],
        on_warning: Callable[[str], None],
        on_failure: Callable[[str], None],
        clocks: tuple[float, float] = (0.0, 0.0),
        on_progress: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Starts nothing yet; `clocks` are the seconds before the first turn and for each."""
        self._reactor = reactor
        self._begin = Begin(rules, role, *clocks)
        self._silence = _MUTE_SECONDS if options.level else math.inf
        self._on_report = on_report
        self._on_warning = on_warning
        self._on_failure = on_failure
        self._on_progress = on_progress
        self._prepares = False  # it was started, and has neither become ready nor found out anything
        self._pool = EnginePool(reactor, options, spares=1)
        self._supervisor: Supervisor | None = None
        self._ticket = 1  # of no errand: what an engine finds out before it was sent anywhere has ticket 0
        self._asked = False  # somebody waits for what it finds out
        self._idle: Any = None
        self._ready: Deferred[None] = Deferred()
        self.report: SearchReport | None = None

    def prepare(self) -> Deferred[None]:
        """Starts the engine unless it runs; fires when it has no more use for the start clock."""
        if self._supervisor is None:
            self._ready = Deferred()
            self._prepares = True
            self._on_progress("reads the rules")
            self._supervisor = Supervisor(self._reactor, self._pool, self._begin, self._heard, self._on_warning)
        if not self._asked:
            self._stay()
        return self._ready

    def go_to(self, history: History) -> None:
        """Sends the engine to the position after a history."""
        self._forget()
        self._asked = True
        self.prepare()
        assert self._supervisor is not None
        self._supervisor.go_to(GoTo(history, ticket=self._ticket))

    def check(self) -> None:
        """Has the engine replaced if it hangs; to be asked from time to time while somebody waits for its move.

        One that still gets ready may take as long as it needs, as to learn the game.
        """
        if self._supervisor is not None and self._ready.called:
            self._supervisor.check(self._silence)

    def let_go(self) -> None:
        """Lets the engine search no further, and takes no notice of what it has found; it ends if it is not sent on."""
        asked = self._asked
        self._forget()
        if self._supervisor is not None:
            self._stay()
            if asked:
                self._supervisor.rest()

    def rest(self) -> None:
        """Ends the engine, until it is sent somewhere again."""
        self._forget()
        if self._supervisor is not None:
            self._supervisor.kill()
            self._supervisor = None
            self._begin_to_play()

    def close(self) -> Deferred[Any]:
        """Ends it for good; fires when its processes are gone."""
        self.rest()
        return self._pool.close()

    def _forget(self) -> None:
        self._ticket += 1
        self._asked = False
        self.report = None
        if self._idle is not None and self._idle.active():
            self._idle.cancel()

    def _stay(self) -> None:
        if self._idle is not None and self._idle.active():
            self._idle.cancel()
        self._idle = self._reactor.callLater(IDLE_SECONDS, self.rest)

    def _heard(self, event: Event) -> None:
        match event:
            case RulesRead() if self._prepares:
                self._on_progress("turns the rules into a network")
            case NetworkReady() if self._prepares:
                self._on_progress("gets to know the game")
            case Ready():
                self._become_ready()
            case Refused(reason):
                self._fail(reason)
            case NoNetwork(reason):
                self._on_warning(f"plays without a network, and so more weakly: {reason}")
            case LogMessage(text, warning=True):
                self._on_warning(text)
            case SearchReport() if event.ticket == self._ticket:
                self.report = event
                self._begin_to_play()
                self._on_report(event)

    def _fail(self, reason: str) -> None:
        asked = self._asked
        self.rest()
        self._become_ready()
        if asked:
            self._on_failure(reason)
        else:
            self._on_warning(f"cannot play: {reason}")

    def _become_ready(self) -> None:
        self._begin_to_play()
        if not self._ready.called:
            self._ready.callback(None)

    def _begin_to_play(self) -> None:
        if self._prepares:
            self._prepares = False
            self._on_progress("")
