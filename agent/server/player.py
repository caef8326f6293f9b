"""The player: decides what each message means, given the match that is being played, if any."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from twisted.internet.defer import Deferred, DeferredList, succeed

from ludens.agent.protocol.match import Match
from ludens.agent.protocol.messages import (
    BUSY,
    READY,
    Abort,
    Info,
    Malformed,
    Message,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    info_reply,
)
from ludens.agent.server.match_notes import MatchNotes
from ludens.agent.server.session import OnNews, Session
from ludens.agent.server.supervisor import EngineSource
from ludens.agent.settings.options import PlayerOptions

log = logging.getLogger("ludens")


class MatchKeeper(Protocol):
    """Keeps what is known of the matches that a player has played."""

    def keep(self, match: Match, notes: MatchNotes) -> None:
        """Begins to write a match that has ended; one that was refused is not written."""

    def close(self) -> Deferred[Any]:
        """Fires when all is written."""


class Player:
    """Plays as many matches at once as its settings allow."""

    def __init__(
        self,
        options: PlayerOptions,
        reactor: Any,
        engines: EngineSource,
        on_news: OnNews | None = None,
        keepers: Sequence[MatchKeeper] = (),
        on_idle: Callable[[], object] = lambda: None,
        *,
        recorded: bool = False,
    ) -> None:
        """Takes engines from `engines` for each match; `on_news` gets their reports and log messages.

        `on_idle` is called whenever the last match that was on has ended. With `recorded` the keepers get states too.
        """
        self._recorded = recorded
        self._options = options
        self._reactor = reactor
        self._engines = engines
        self._on_news = on_news
        self._keepers = keepers
        self._on_idle = on_idle
        self._closing = False
        self._sessions: dict[str, Session] = {}  # of the matches that are on, by their names
        self._open: set[Session] = set()  # these, and those of which the result is awaited

    @property
    def matches(self) -> list[Match]:
        """The matches that are on."""
        return [session.match for session in self._sessions.values()]

    @property
    def available(self) -> bool:
        """Whether another match may be started."""
        return len(self._sessions) < self._options.matches

    def answer(self, message: Message, waited: float = 0.0, way: float = 0.0) -> Deferred[str]:
        """Answers `message`; cancel the reply when nobody waits for it any more.

        So many seconds of its clock it has `waited` since it began to arrive, and so many are its `way` and that of the
        answer.
        """
        match message:
            case Info():
                return succeed(info_reply(self._options.name, self.available))
            case Ping() | Preview():
                return succeed(READY)
            case Start():
                return self._start(message, waited, way)
            case Malformed(reason, reply):
                log.warning("not understood: %s", reason)
                return succeed(reply)
        session = self._sessions.get(message.match_id)
        if session is None:
            return succeed(BUSY)
        match message:
            case Play(_, moves):
                return session.play(moves, waited + way)
            case Stop(_, moves):
                return succeed(session.stop(moves))
            case Abort():
                return succeed(session.abort())

    def close(self) -> Deferred[Any]:
        """Aborts the matches that are on; fires when all of them are kept."""
        self._closing = True
        for session in list(self._open):
            session.close()
        return DeferredList([keeper.close() for keeper in self._keepers])

    def _start(self, start: Start, waited: float, way: float) -> Deferred[str]:
        gone = waited + way
        session = self._sessions.get(start.match_id)
        if session is not None and session.match.start == start:
            if not session.match.under_way:
                return session.start(gone)
            log.info("%s: begins anew", start.match_id)
            session.abort()
            session = None
        if session is not None or not self.available:
            log.warning("%s: busy with %s", start.match_id, ", ".join(self._sessions))
            return succeed(BUSY)
        clocks = f"{start.start_clock:g} / {start.play_clock:g}"
        log.info("%s: starts as %s, clocks %s", start.match_id, start.role, clocks)
        session = Session(
            start,
            self._options,
            self._reactor,
            self._engines,
            self._session_ended,
            self._session_closed,
            self._on_news,
            waited,
            way,
            recorded=self._recorded,
        )
        self._sessions[start.match_id] = session
        self._open.add(session)
        return session.start(gone)

    def _session_ended(self, session: Session) -> None:
        del self._sessions[session.match.start.match_id]
        if not self._sessions and not self._closing:
            self._on_idle()

    def _session_closed(self, session: Session) -> None:
        self._open.discard(session)
        for keeper in self._keepers:
            keeper.keep(session.match, session.notes)
