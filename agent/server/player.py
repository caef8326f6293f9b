"""The player: decides what each message means, given the match that is being played, if any."""

from __future__ import annotations

import logging
from typing import Any

from twisted.internet.defer import Deferred, succeed

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
from ludens.agent.server.session import OnNews, Session
from ludens.agent.server.supervisor import EngineSource
from ludens.agent.settings.options import PlayerOptions

log = logging.getLogger("ludens")


class Player:
    """Plays one match at a time."""

    def __init__(
        self, options: PlayerOptions, reactor: Any, engines: EngineSource, on_news: OnNews | None = None
    ) -> None:
        """Takes an engine from `engines` for each match; `on_news` gets their reports and log messages."""
        self._options = options
        self._reactor = reactor
        self._engines = engines
        self._on_news = on_news
        self._session: Session | None = None

    def answer(self, message: Message, waited: float = 0.0) -> Deferred[str]:
        """Answers `message`; cancel the reply when nobody waits for it any more.

        `waited` is how many seconds ago it began to arrive, which is when its clock started.
        """
        match message:
            case Info():
                return succeed(info_reply(self._options.name, self._session is None))
            case Ping() | Preview():
                return succeed(READY)
            case Start():
                return self._start(message, waited)
            case Malformed(reason, reply):
                log.warning("not understood: %s", reason)
                return succeed(reply)
        session = self._session
        if session is None or session.match.start.match_id != message.match_id:
            return succeed(BUSY)
        match message:
            case Play(_, moves):
                return session.play(moves, waited)
            case Stop(_, moves):
                return succeed(session.stop(moves))
            case Abort():
                return succeed(session.abort())

    def close(self) -> None:
        """Aborts the match that is on."""
        if self._session:
            self._session.abort()

    def _start(self, start: Start, waited: float) -> Deferred[str]:
        if self._session is None:
            clocks = f"{start.start_clock:g} / {start.play_clock:g}"
            log.info("%s: starts as %s, clocks %s", start.match_id, start.role, clocks)
            self._session = Session(
                start, self._options, self._reactor, self._engines, self._session_ended, self._on_news, waited
            )
            return self._session.start(waited)
        if self._session.match.start == start:
            return self._session.start(waited)
        log.warning("%s: busy with %s", start.match_id, self._session.match.start.match_id)
        return succeed(BUSY)

    def _session_ended(self, session: Session) -> None:
        if session is self._session:
            self._session = None
