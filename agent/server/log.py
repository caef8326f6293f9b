"""Writes log lines: to the terminal with the time, and to a file with the date, if there is one.

While the reactor runs a thread writes them, and nothing waits for a terminal that is stopped or a disk that hangs.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, WatchedFileHandler
from pathlib import Path
from queue import Queue
from threading import Timer
from typing import Any

from twisted.logger import STDLibLogObserver, globalLogBeginner

from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.owned_files import make_folder, opener
from ludens.propnet.base.words import counted

_LONGEST = 4000  # characters of a line
_MOST_WAITING = 10_000  # lines that nobody takes
_LAST_SECONDS = 30.0  # for what is still to be written at the end


class LogFileError(LudensError):
    """A log file that cannot be written."""


class _OneLine(logging.Formatter):
    """Writes an event in one line, whatever others have put into names of matches and moves."""

    def format(self, record: logging.LogRecord) -> str:
        level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
        text = f"{self.formatTime(record, self.datefmt)} {level}{record.getMessage()}"
        line = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


class _LogFile(WatchedFileHandler):
    """Says once if the file cannot be written any more, such as on a full disk; play goes on."""

    _failed = False

    def _open(self) -> TextIOWrapper:
        """See `logging.FileHandler`; nobody but the owner may change a file that this makes."""
        return open(self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=opener)

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`; also where the file was moved away, and cannot be made anew."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """See `logging.Handler`."""
        if not self._failed:
            self._failed = True
            with suppress(OSError):  # a terminal that is gone
                print(f"ludens: cannot write to the log file {self.baseFilename}: {sys.exception()}", file=sys.stderr)


class _Backlog(QueueHandler):
    """Keeps lines for the thread that writes them; those beyond the most are left out, and counted."""

    queue: Queue[Any]

    def __init__(self) -> None:
        super().__init__(Queue())
        self._left_out = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """See `QueueHandler`; puts the words together at once, since what they tell of may change."""
        return logging.makeLogRecord(record.__dict__ | {"msg": record.getMessage(), "args": None})

    def enqueue(self, record: logging.LogRecord) -> None:
        """See `QueueHandler`."""
        if self.queue.qsize() >= _MOST_WAITING:
            self._left_out += 1
        else:
            self.tell_left_out()
            self.queue.put_nowait(record)

    def tell_left_out(self) -> None:
        """Says how many lines have been left out since this was said last, if any."""
        if self._left_out:
            text = f"{counted(self._left_out, 'line')} left out here: more were logged than could be written"
            self._left_out = 0
            warning = {"levelno": logging.WARNING, "levelname": "WARNING", "msg": text}
            self.queue.put_nowait(logging.makeLogRecord(warning))


def start_logging(path: str, verbose: bool = False) -> None:
    """Logs to the terminal, and adds to the file at `path` unless that is empty; raises `LogFileError`.

    What only experts need is logged if `verbose`.
    The file is opened anew when it has been moved away, as log rotation does.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    handlers[0].setFormatter(_OneLine(datefmt="%H:%M:%S"))
    if path:
        try:
            make_folder(Path(path).parent)
            handlers.append(_LogFile(path, encoding="utf-8", errors="backslashreplace"))
        except OSError as error:
            raise LogFileError(f"cannot write the log file {path}: {error.strerror}") from error
        handlers[-1].setFormatter(_OneLine(datefmt="%Y-%m-%dT%H:%M:%S%z"))
    logging.basicConfig(handlers=handlers, level=logging.INFO)
    logging.getLogger("ludens").setLevel(logging.DEBUG if verbose else logging.INFO)
    logging.getLogger("twisted").setLevel(logging.WARNING)
    of_twisted: Any = STDLibLogObserver()
    globalLogBeginner.beginLoggingTo([of_twisted], redirectStandardIO=False, discardBuffer=True)


@contextmanager
def logging_in_thread() -> Iterator[None]:
    """Has a thread write what is logged meanwhile, so that who logs does not wait for that.

    All has been written at the end. Where nobody takes it, the process ends nevertheless: Python would wait for ever.
    """
    root, backlog = logging.getLogger(), _Backlog()
    handlers = root.handlers
    writing = QueueListener(backlog.queue, *handlers)
    root.handlers = [backlog]
    writing.start()
    try:
        yield
    finally:
        root.handlers = handlers
        backlog.tell_left_out()
        giving_up = Timer(_LAST_SECONDS, os._exit, (0 if sys.exception() is None else 1,))
        giving_up.daemon = True
        giving_up.start()
        writing.stop()
        giving_up.cancel()
