"""Adds the matches of a player to the user's archive, in threads: other matches wait for moves meanwhile."""

from __future__ import annotations

import logging
from typing import Any

from twisted.internet.defer import Deferred, DeferredList
from twisted.python.failure import Failure

from ludens.agent.protocol.match import Match
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive, ArchiveError
from ludens.agent.records.record import MatchRecord
from ludens.agent.server.match_notes import MatchNotes
from ludens.games.known_rules import built_in_name
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.parser import parse_rules

log = logging.getLogger("ludens")

_UNKNOWN = "unknown"  # what a game is called whose rules are no built-in game's: managers do not tell its name


class MatchArchive:
    """Keeps matches as `RecordFolder` does, in an archive."""

    def __init__(self, reactor: Any, archive: Archive, player: str) -> None:
        """Writes nothing before a match is over."""
        self._reactor = reactor
        self._archive = archive
        self._player = player
        self._writing: set[Deferred[None]] = set()

    def keep(self, match: Match, notes: MatchNotes) -> None:
        """See `MatchKeeper`."""
        if notes.refused:
            return
        record = notes.record(match, self._player)

        def tell(failure: Failure) -> None:
            log.error("%s: fault in archiving: %s", record.match_id, failure.getTraceback())

        written = in_thread(self._reactor, self._keep, record, match.start.rules)
        self._writing.add(written)
        written.addErrback(tell).addCallback(lambda _: self._writing.discard(written))

    def close(self) -> Deferred[Any]:
        """Fires when all matches are archived."""
        return DeferredList(list(self._writing))

    def _keep(self, record: MatchRecord, rules: str) -> None:
        try:
            self._archive.keep(record, _game(rules), rules, "serve")
        except ArchiveError as error:
            log.error("%s: %s", record.match_id, error)


def _game(rules: str) -> str:
    try:
        return built_in_name(parse_rules(rules)) or _UNKNOWN
    except GdlError:
        return _UNKNOWN
