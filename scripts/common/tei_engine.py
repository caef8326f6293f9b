"""An engine of the Tak engine interface: any program that `ludens tei` could be replaced by."""

from __future__ import annotations

import contextlib
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Sequence

from ludens.propnet.base.errors import LudensError

_PATIENCE = 600.0  # seconds: longer than any machine is busy


class TeiEngine:
    """A process that chooses moves; close it in the end."""

    def __init__(self, command: str) -> None:
        """Starts the program; raises LudensError if it does not speak TEI."""
        self._command = command
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(shlex.split(command), stdin=pipe, stdout=pipe, text=True)
        except OSError as error:
            raise LudensError(f"{command}: {error.strerror}") from error
        self._lines: queue.Queue[tuple[float, str]] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        try:
            self._send("tei")
            self._until("teiok")
        except LudensError:
            self.close()
            raise

    def begin(self, size: int) -> None:
        """Begins a game, and waits until the engine is ready."""
        self._send(f"teinewgame {size}")
        self._send("isready")
        self._until("readyok")

    def think(self, moves: Sequence[str], limits: str) -> tuple[str, float]:
        """Returns its move after others, and the seconds from `go` to it; raises LudensError if there is none."""
        return self.think_about(f"startpos{' moves ' * bool(moves)}{' '.join(moves)}", limits)

    def think_about(self, position: str, limits: str) -> tuple[str, float]:
        """Does the same in a position as the command `position` has it, such as `tps x3/x3/x3 1 1`."""
        self._send(f"position {position}")
        begun = time.monotonic()
        self._send(f"go {limits}")
        said, line = self._until("bestmove ")
        return line.removeprefix("bestmove "), said - begun

    def close(self) -> None:
        """Ends the process."""
        with contextlib.suppress(BrokenPipeError), self._process as process:
            process.kill()
            self._thread.join()

    def _send(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise LudensError(f"{self._command}: has ended") from error

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put((time.monotonic(), line.strip()))
        self._lines.put((time.monotonic(), ""))

    def _until(self, beginning: str) -> tuple[float, str]:
        """Returns the next line that begins so, with the moment of time.monotonic at which it came."""
        while True:
            try:
                moment, line = self._lines.get(timeout=_PATIENCE)
            except queue.Empty:
                raise LudensError(f"{self._command}: no {beginning.strip()} in {_PATIENCE:.0f} s") from None
            if line.startswith(beginning):
                return moment, line
            if not line:
                raise LudensError(f"{self._command}: has ended without {beginning.strip()}")
            if line.startswith("info string error"):
                raise LudensError(f"{self._command}: {line}")
