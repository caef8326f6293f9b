"""A process that works for this one, and can be paused while this one needs the processor.

The clock of its analyses (`propnet.base.clock`) stands still while it is paused, so that its limits of time mean what
they say. What it is told and tells travels over a pipe, pickled, between processes that trust each other. It ends with
the thread that made it; on Linux alone, and elsewhere a paused one would be left behind.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ludens.propnet.base import clock
from ludens.propnet.base.child import die_with_parent, end, error_text, start
from ludens.propnet.base.errors import LudensError

_PAUSED = struct.Struct("d")  # seconds in all, which both processes see


class PausedProcess:
    """A function that runs in another process; it can be paused once that is sure to end with this one."""

    def __init__(self, target: str, argument: object) -> None:
        """Calls `target` ("module:function") with `(argument, tell)`."""
        self._lock = threading.Lock()
        self._wanted = False  # whether it should be paused
        self._since: float | None = None  # when it was paused
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._file = tempfile.NamedTemporaryFile(prefix="ludens-")  # noqa: SIM115 - likewise
        self._file.truncate(_PAUSED.size)
        self._paused_seconds = mmap.mmap(self._file.fileno(), _PAUSED.size)
        self._process, self._pipe = start(f"{__name__}:main", self._errors)
        self._started = False
        self._pipe.send(self._file.name)
        self._task = target, argument

    def receive(self, seconds: float, told: Callable[[Any], None]) -> tuple[Any] | None:
        """Returns the result, as the only member of a tuple; None if it is not there within so many seconds.

        `told` takes what the function tells. Raises LudensError if it has failed, or the process has ended.
        """
        if not self._pipe.poll(seconds):
            return None
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            status = self._process.wait()
            raise LudensError(f"its process ended with status {status}: {error_text(self._errors)}") from None
        if kind == "started":
            self._pipe.send(self._task)
            with self._lock:
                self._started = True
            self.pause(self._wanted)
        elif kind == "told":
            told(value)
        elif kind == "error":
            raise value
        return (value,) if kind == "result" else None

    def pause(self, paused: bool) -> None:
        """Pauses the process, or lets it go on; from any thread."""
        with self._lock:
            self._wanted = paused
            if not self._started or paused == (self._since is not None):
                return
            if paused:
                self._since = time.monotonic()
            elif self._since is not None:
                (before,) = _PAUSED.unpack(self._paused_seconds[:])
                self._paused_seconds[:] = _PAUSED.pack(before + time.monotonic() - self._since)
                self._since = None
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._started = False
            end(self._process)
            self._pipe.close()
            self._errors.close()
            self._paused_seconds.close()
            self._file.close()


def main() -> None:
    """The process: says that it ends with its parent, then does what it is told to."""
    die_with_parent()
    pipe = Connection(int(sys.argv[1]))
    with Path(pipe.recv()).open("rb") as file:
        paused_seconds = mmap.mmap(file.fileno(), _PAUSED.size, access=mmap.ACCESS_READ)
    clock.use(lambda: time.monotonic() - _PAUSED.unpack(paused_seconds[:])[0])
    pipe.send(("started", None))
    target, argument = pipe.recv()
    module, _, name = target.partition(":")
    try:
        result = getattr(import_module(module), name)(argument, lambda value: pipe.send(("told", value)))
        pipe.send(("result", result))
    except LudensError as error:
        pipe.send(("error", error))
    except MemoryError:
        pipe.send(("error", LudensError("out of memory")))
