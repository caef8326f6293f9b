"""The folder in which a player keeps a record of each match that it has played."""

from __future__ import annotations

import logging
import re
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.protocol.match import Match
from ludens.agent.records import record as records
from ludens.agent.records.record import MatchRecord, RecordError
from ludens.agent.server.match_notes import MatchNotes

log = logging.getLogger("ludens")

_LONGEST_NAME = 80  # of a file, without date and number


class RecordFolder:
    """Writes records in threads of their own, since disks may be slow and other matches wait for moves meanwhile."""

    def __init__(self, reactor: Any, folder: Path, player: str) -> None:
        """Makes the folder unless it is there; raises `RecordError` if records cannot be written to it."""
        records.check_folder(folder)
        self._reactor = reactor
        self._folder = folder
        self._player = player
        self._writing: dict[Path, Deferred[None]] = {}

    def keep(self, match: Match, notes: MatchNotes) -> None:
        """See `MatchKeeper`."""
        if notes.refused:
            return
        path = self._path(match, notes.start_time)
        self._writing[path] = Deferred()
        threading.Thread(target=self._write, args=(notes.record(match, self._player), path)).start()

    def close(self) -> Deferred[Any]:
        """Fires when all records are written."""
        return DeferredList(list(self._writing.values()))

    def _path(self, match: Match, start_time: int) -> Path:
        """Returns a new path that tells when the match began; what managers call matches may be in no path."""
        date = time.strftime("%Y-%m-%dT%H.%M.%SZ", time.gmtime(start_time / 1000))
        name = re.sub(r"[^A-Za-z0-9._-]", "_", f"{match.start.match_id}-{match.start.role}")[:_LONGEST_NAME]
        numbered = (self._folder / f"{date}-{name}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
        return next(path for path in numbered if path not in self._writing and not path.exists())

    def _write(self, record: MatchRecord, path: Path) -> None:
        try:
            records.write(record, path)
            log.info("%s: record %s", record.match_id, path)
        except RecordError as error:
            log.error("%s: %s", record.match_id, error)
        finally:
            self._reactor.callFromThread(self._written, path)

    def _written(self, path: Path) -> None:
        self._writing.pop(path).callback(None)
