"""A process that works for this one, and can be paused while this one needs the processor.

The clock of its analyses (`propnet.base.clock`) stands still while it is paused; single calls of native code, a
fraction of a second each, are cut short. What it is told and tells travels over a pipe, pickled, between processes that
trust each other. It ends with the thread that made it: on Linux alone, and elsewhere a paused one would be left behind.
It may have as much memory as this process.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from ludens.propnet.base.child import answer, die_with_parent, end, error_text, start
from ludens.propnet.base.clock import set_clock
from ludens.propnet.base.errors import LudensError

_PAUSED = struct.Struct("d")  # seconds in all, which both processes see
_LAST_SECONDS = 1.0  # of a process that has closed its pipe


class Result(NamedTuple):
    """What a function has returned."""

    value: Any


class PausableProcess:
    """A function that runs in another process; it can be paused once that is sure to end with this one."""

    def __init__(self, target: str, argument: object) -> None:
        """Calls `target` ("module:function") with `(argument, tell)`, once somebody waits to `receive` it."""
        self._task = target, argument
        self._lock = threading.Lock()
        self._wanted = False  # whether it should be paused
        self._since: float | None = None  # when it was paused
        self._alive = False  # it is there, and knows with whom it ends
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        with tempfile.TemporaryFile() as file:
            file.write(_PAUSED.pack(0.0))
            file.flush()
            self._paused_seconds = mmap.mmap(file.fileno(), _PAUSED.size)
            self._process, self._pipe = start(f"{__name__}:main", self._errors, file)

    def receive(self, seconds: float, told: Callable[[Any], None]) -> Result | None:
        """Returns the result; None if nothing comes within so many seconds, or something else.

        `told` takes what the function tells. Raises LudensError if it has failed, or the process has ended. Waits for
        the end of a message that the process was sending when it was paused.
        """
        if not self._pipe.poll(seconds):
            return None
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            raise LudensError(
                f"its process ended with status {self._end(_LAST_SECONDS)}: {error_text(self._errors)}"
            ) from None
        if kind == "started":
            self._send(self._task)
            with self._lock:
                self._alive = True
                self._pause_or_not()
        elif kind == "progress":
            told(value)
        elif kind == "error":
            raise value
        return Result(value) if kind == "result" else None

    def pause(self, paused: bool) -> None:
        """Pauses the process as soon as it has started, or lets it go on; from any thread."""
        with self._lock:
            self._wanted = paused
            self._pause_or_not()

    def close(self) -> None:
        """Ends the process."""
        self._end()
        self._pipe.close()
        self._errors.close()
        self._paused_seconds.close()

    def _pause_or_not(self) -> None:
        """Does what is wanted. With the lock held."""
        if not self._alive or self._wanted == (self._since is not None):
            return
        if self._since is not None:
            (before,) = _PAUSED.unpack(self._paused_seconds[:])
            self._paused_seconds[:] = _PAUSED.pack(before + time.monotonic() - self._since)
        self._since = time.monotonic() if self._wanted else None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGSTOP if self._wanted else signal.SIGCONT)

    def _send(self, value: object) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # heard of by `receive`
            self._pipe.send(value)

    def _end(self, patience: float = 0.0) -> int:
        """Ends the process, if it does not end by itself within so many seconds, and returns its status."""
        with self._lock:
            self._alive = False  # nothing is sent to it any more, since another process may get its number
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            end(self._process)
        return self._process.returncode


def main() -> None:
    """The process: says that it ends with its parent, then does what it is told to."""
    die_with_parent()
    pipe = Connection(int(sys.argv[1]))
    paused_seconds = mmap.mmap(int(sys.argv[2]), _PAUSED.size, access=mmap.ACCESS_READ)
    set_clock(lambda: time.monotonic() - _PAUSED.unpack(paused_seconds[:])[0])
    pipe.send(("started", None))
    target, argument = pipe.recv()
    answer(pipe, target, argument, LudensError("out of memory"))
