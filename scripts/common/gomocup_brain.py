"""A brain of the Gomocup protocol as an opponent: any program that `ludens gomocup` could be replaced by."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import time
from collections.abc import Sequence

from ludens.propnet.base.errors import LudensError

_MOVE = re.compile(r"(\d+),(\d+)")
_REST_SECONDS = 0.05  # after a move, for which some programs, such as Rapfi, take no command
_REMARKS = ("MESSAGE", "DEBUG", "UNKNOWN", "SUGGEST")


class Brain:
    """A process that answers positions of five in a row in free style; close it in the end."""

    def __init__(self, command: str, size: int, seconds: float, memory_mb: int = 350) -> None:
        """Starts the program for boards of a size and so much time a move; raises LudensError if it does not play."""
        self._command, self._size = command, size
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(shlex.split(command), stdin=pipe, stdout=pipe, text=True)
        except OSError as error:
            raise LudensError(f"{command}: {error.strerror}") from error
        try:
            self._greet(seconds, memory_mb)
        except LudensError:
            self.close()
            raise

    def _greet(self, seconds: float, memory_mb: int) -> None:
        self._send(f"START {self._size}")
        if (answer := self._line()) != "OK":
            raise LudensError(f"{self._command}: answers START {self._size} with {answer!r}")
        for setting in ("rule 0", f"timeout_turn {round(1000 * seconds)}", "timeout_match 0"):
            self._send(f"INFO {setting}")
        self._send(f"INFO max_memory {memory_mb << 20}")

    def choose(self, cells: Sequence[int]) -> int:
        """Returns its move after these, which both sides made by turns; raises LudensError if it answers with none."""
        time.sleep(_REST_SECONDS)
        self._send("BOARD")
        for ply, cell in enumerate(cells):
            self._send(f"{cell % self._size},{cell // self._size},{1 if (len(cells) - ply) % 2 == 0 else 2}")
        self._send("DONE")
        answer = self._line()
        move = _MOVE.fullmatch(answer)
        if move is None:
            raise LudensError(f"{self._command}: answers a position with {answer!r}")
        return int(move[2]) * self._size + int(move[1])

    def close(self) -> None:
        """Ends the process."""
        with contextlib.suppress(BrokenPipeError), self._process as process:  # what it was not told yet is lost
            process.kill()

    def _send(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(f"{line}\r\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise LudensError(f"{self._command}: has ended") from error

    def _line(self) -> str:
        """Returns the next line that is no remark."""
        assert self._process.stdout
        for line in self._process.stdout:
            if not line.startswith(_REMARKS):
                return line.strip()
        raise LudensError(f"{self._command}: has ended")
