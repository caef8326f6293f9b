"""The file of a tournament's results: a line of JSON with the conditions, then one for each match.

A line is on the disk before the match counts, so that a tournament may be killed at any time: a line that was cut
short is removed when the file is opened again, and the match is played again. Only one process may have it open.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from ludens.agent.tournament.result import Result
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.owned_files import make_folder, opener

_BEGINNING = b'{"conditions": '  # of the first line


class ResultsError(LudensError):
    """A file of results that cannot be read, written or continued."""


class ResultsFile:
    """Results by the keys of their fixtures in the order in which they came, on disk.

    Of a match that could not be played and was tried again, only the last result is known.
    """

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        """Opens the file, or makes it. Raises `ResultsError`, for results of other conditions too."""
        self.path = path
        self.results: dict[str, Result] = {}
        self.added = 0  # results, of the same fixture too
        self._adding = threading.Lock()
        try:
            make_folder(path.parent)
            self._file: FileIO = open(path, "a+b", buffering=0, opener=opener)  # noqa: SIM115 - as long as this is open
        except OSError as error:
            raise ResultsError(f"cannot write {path}: {error.strerror}") from error
        try:
            self._lock()
            self._read(json.loads(json.dumps(conditions)))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, result: Result) -> None:
        """Writes a result and keeps it; it is on the disk when this returns. Raises `ResultsError`.

        May be called in any thread.
        """
        with self._adding:
            self._write(result.to_json())
            self._keep(result)
            self.added += 1

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResultsError(f"{self.path}: another tournament is writing to it") from error
        except OSError as error:
            raise ResultsError(f"cannot lock {self.path}: {error.strerror}") from error

    def _keep(self, result: Result) -> None:
        key = result.fixture.key
        if key in self.results:  # other threads, which may be reading, always find one of both
            self.results = {known: of for known, of in self.results.items() if known != key} | {key: result}
        else:
            self.results[key] = result

    def _read(self, conditions: dict[str, Any]) -> None:
        content = self.path.read_bytes()
        if not content.startswith(_BEGINNING[: len(content)]):
            raise ResultsError(f"{self.path} is no file of results of a tournament; choose another one with --out")
        whole = content[: content.rfind(b"\n") + 1]
        known: dict[str, Any] = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                fields = json.loads(line)
                if "conditions" not in fields:
                    self._keep(Result.from_json(fields))
                elif isinstance(fields["conditions"], dict):
                    known = fields["conditions"]
                else:
                    raise TypeError("conditions are no table")
            except (ValueError, KeyError, TypeError) as error:
                raise ResultsError(f"{self.path}, line {number}: not a result of a tournament ({error!r})") from error
        self._check(known, conditions)
        if len(whole) < len(content):
            self._file.truncate(len(whole))
        merged = {
            name: (known.get(name, {}) | value if isinstance(value, dict) else value)
            for name, value in conditions.items()
        }
        if merged != known:
            self._write({"conditions": merged})

    def _check(self, known: dict[str, Any], conditions: dict[str, Any]) -> None:
        """Raises `ResultsError` where a condition, player or game is not what it was; new ones may come."""
        for name, value in known.items():
            now = conditions.get(name, value)
            pairs = (
                [(f"{name[:-1]} {key}", value[key], now.get(key, value[key])) for key in value]
                if isinstance(value, dict) and isinstance(now, dict)
                else [(name, value, now)]
            )
            for what, before, after in pairs:
                if before != after:
                    advice = "choose another file with --out, or go on as before"
                    said = "other rules now" if name == "games" else f"{before!r}, now {after!r}"
                    raise ResultsError(f"{self.path} has matches of other conditions: {what} was {said}; {advice}")

    def _write(self, fields: dict[str, Any]) -> None:
        """Writes a line, of which nothing stays where there is no room for all of it."""
        line = json.dumps(fields).encode() + b"\n"
        before = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(before)
            raise ResultsError(f"cannot write {self.path}: {error.strerror}") from error
