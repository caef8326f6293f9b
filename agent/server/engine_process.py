"""Engine processes, as the server sees them: it starts, feeds, reads and kills them without ever blocking.

A match has two engines: one thinks, one stands by. Between matches two that have done their imports wait for the next
one, so that START finds both and no start clock is spent on that. An engine leads its own process group, and all of the
group is killed with it. It also dies when its standard input ends, which happens however this process ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Collection
from typing import Any

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ProcessDone, ProcessExitedAlready, ProcessTerminated
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from ludens.agent.protocol.wire import Command, Event, LogMessage, Started, WireError, decode, encode
from ludens.agent.server.supervisor import EngineListener
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.base.child import environment

log = logging.getLogger("ludens")

_PROGRAM = "ludens.agent.engine.engine"
_PLAYER_PROGRAM = "ludens.agent.api.player_engine"  # for players of the user's own
_FAREWELL_SECONDS = 1.5  # for `stop` of such a player
SPARES = 2  # engines that wait for a match: one to think, one to stand by
_SPARE_SECONDS = 2.0  # of a match before spares for another that may begin beside it are started


class _Waiting:
    """Listens to an engine that waits for a match: tells the user at once of what the match will suffer from."""

    def __init__(self, told: set[str]) -> None:
        """`told` is what users have been told before."""
        self.events: list[Event] = []
        self._told = told

    def heard(self, event: Event) -> None:
        """See `EngineListener`."""
        self.events.append(event)
        if isinstance(event, LogMessage):
            self._tell(event.text)

    def lost(self, reason: str) -> None:
        """See `EngineListener`."""
        self._tell(f"the engine for the next match has ended: {reason}")

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            log.warning("%s", text)


class EngineProcess(ProcessProtocol):
    """One engine process; passes on its events to the listener of the match that has taken it."""

    transport: Any  # twisted's declaration lacks what process transports have

    def __init__(self, waiting: _Waiting, reactor: Any = None, farewell_seconds: float = 0.0) -> None:
        """Does not start the process: `spawnProcess` does that; `waiting` listens until a match takes it.

        Before it is killed it has `farewell_seconds` of the reactor's time to end by itself.
        """
        self._reactor = reactor
        self._farewell_seconds = farewell_seconds
        self._farewell: Any = None  # the timer until it is killed
        self.listener: EngineListener | None = waiting
        self._waiting = waiting
        self.started: Deferred[None] = Deferred()  # fires when a match may begin, or it is lost
        self.ended: Deferred[None] = Deferred()
        self._pid: int | None = None
        self._received = b""
        self._complaint = ""  # the last line on standard error

    def pass_to(self, listener: EngineListener) -> None:
        """Lets `listener` hear what the engine has said and will say."""
        self.listener = listener
        for event in self._waiting.events:
            listener.heard(event)

    def send(self, command: Command) -> None:
        """Tells the engine; does nothing once it is dead."""
        if self.transport is not None and self._pid is not None:
            self.transport.write(encode(command))

    def pin(self, processors: Collection[int]) -> None:
        """Has the engine, which has no threads yet, run on these alone, where systems can do that."""
        if self._pid is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._pid, processors)

    def kill(self) -> None:
        """Ends the engine with all that it started; its listener hears nothing of it."""
        self.listener = None
        if self._pid is None:
            return
        if not self._farewell_seconds:
            self._kill_group()
        elif self._farewell is None:
            self._farewell = self._reactor.callLater(self._farewell_seconds, self._kill_group)
            self.transport.closeStdin()  # which ends it

    def _kill_group(self) -> None:
        if self._pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    # ---- twisted's side ----

    def connectionMade(self) -> None:  # noqa: N802 - twisted's name
        """Notes that the process runs."""
        self._pid = self.transport.pid

    def outReceived(self, data: bytes) -> None:  # noqa: N802
        """Takes events, in pieces of any size."""
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            try:
                self._hear(decode(line))
            except WireError as error:
                log.warning("engine: %s", error)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Started):
            self._become_started()
        elif self.listener:
            self.listener.heard(event)

    def _become_started(self) -> None:
        if not self.started.called:
            self.started.callback(None)

    def errReceived(self, data: bytes) -> None:  # noqa: N802
        """Keeps the last line of a traceback, which says what went wrong."""
        lines = data.decode("utf-8", "replace").strip().splitlines()
        self._complaint = lines[-1] if lines else self._complaint

    def processEnded(self, reason: Failure) -> None:  # noqa: N802
        """Reports that the process is gone and its pipes are empty."""
        self._pid = None
        if self._farewell is not None and self._farewell.active():
            self._farewell.cancel()
        self.ended.callback(None)
        if self.listener:
            self._become_started()
            self.listener.lost(self._complaint or _how_it_ended(reason.value))


def _how_it_ended(error: BaseException | None) -> str:
    """Returns in words how a process ended, or why there was none."""
    match error:
        case ProcessTerminated(signal=int(number)):
            return f"ended by signal {number}"
        case ProcessDone() | ProcessTerminated():
            return f"ended with exit code {error.exitCode}"
        case _:
            return str(error)


class EnginePool:
    """Starts engines, keeps spares, and ends them all."""

    def __init__(
        self, reactor: Any, options: PlayerOptions, processors: Collection[int] = (), spares: int = SPARES
    ) -> None:
        """Makes engines with these settings for one player, on `processors` alone if given; starts none yet.

        `spares` wait for a match; with one alone, for the first match alone.
        """
        self._most_spares = spares
        self._several = spares > 1 and options.matches > 1
        self._later: Any = None  # the timer until spares are started
        self._processors = processors
        self._reactor = reactor
        self._settings = json.dumps(dataclasses.asdict(options))
        self._program = _PLAYER_PROGRAM if options.player else _PROGRAM
        self._farewell_seconds = _FAREWELL_SECONDS if options.player else 0.0
        self._alive: set[EngineProcess] = set()
        self._spares: deque[EngineProcess] = deque()
        self._told: set[str] = set()  # of engines that wait

    def prepare(self) -> Deferred[None]:
        """Starts the spares that are missing, one after another; fires when a match could begin with the first."""
        if not self._spares or self._spares[-1].started.called:
            self._add_spares(self._most_spares - len(self._spares))
        return self._spares[0].started

    def take(self, listener: EngineListener) -> EngineProcess:
        """Returns a spare engine, or a new one; starts no others where the processor belongs to one match."""
        engine = self._spares.popleft() if self._spares else self._spawn()
        engine.pass_to(listener)
        if self._several and (self._later is None or not self._later.active()):
            self._later = self._reactor.callLater(_SPARE_SECONDS, self.prepare)
        return engine

    def close(self) -> Deferred[Any]:
        """Kills all engines; fires when they have ended."""
        if self._later is not None and self._later.active():
            self._later.cancel()
        self._spares.clear()
        for engine in self._alive:
            engine.kill()
        return DeferredList([engine.ended for engine in self._alive])

    def _add_spares(self, count: int) -> None:
        """Starts one, and the others once it has started, unless it is lost then or a match has taken it."""
        if count > 0:
            engine = self._spawn()
            self._spares.append(engine)
            engine.started.addCallback(lambda _: self._add_spares(count - 1) if engine in self._spares else None)

    def _spawn(self) -> EngineProcess:
        engine = EngineProcess(_Waiting(self._told), self._reactor, self._farewell_seconds)
        self._alive.add(engine)
        engine.ended.addCallback(lambda _: self._gone(engine))
        command = [sys.executable, "-P", "-m", self._program, self._settings]
        try:
            self._reactor.spawnProcess(engine, sys.executable, command, env=environment())
        except OSError:  # no room for another process: an engine that is lost at once
            self._reactor.callLater(0, engine.processEnded, Failure())
        if self._processors:
            engine.pin(self._processors)
        return engine

    def _gone(self, engine: EngineProcess) -> None:
        self._alive.discard(engine)
        with contextlib.suppress(ValueError):
            self._spares.remove(engine)
