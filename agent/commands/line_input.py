"""Reads lines of a pipe in a thread of its own, so that whoever computes hears of what has come in the meantime."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_CHUNK = 1 << 16  # bytes
_LONGEST = 4096  # bytes of a line
_MOST_WAITING = 1000  # lines
_PATIENCE = 0.02  # seconds from one call of `at_end` to the next


@dataclass(frozen=True, slots=True)
class Line:
    """A line, without its end."""

    text: str  # what is no ASCII is replaced
    received: float  # moment of time.monotonic
    too_long: bool = False  # and cut off


class LineInput:
    """The lines of a file descriptor, until its end or a last line."""

    def __init__(
        self, descriptor: int, is_last: Callable[[str], bool], at_end: Callable[[], None], longest: int = _LONGEST
    ) -> None:
        """Calls `at_end` once all lines have come, again and again until they have been taken, from another thread.

        Lines of more than `longest` bytes are cut off.
        """
        self._descriptor, self._is_last, self._at_end, self._longest = descriptor, is_last, at_end, longest
        self._lines: queue.Queue[Line | None] = queue.Queue(_MOST_WAITING)
        self._taken = threading.Event()
        self._thread = threading.Thread(target=self._read, name="line input", daemon=True)

    def lines(self) -> Iterator[Line]:
        """Yields the lines as they come; for one caller."""
        self._thread.start()
        while (line := self._lines.get()) is not None:
            yield line
        self._taken.set()
        self._thread.join()

    def _read(self) -> None:
        for line in split_lines(self._chunks(), self._longest):
            self._lines.put(line)
            if self._is_last(line.text):
                break
        feeder = threading.Thread(target=self._lines.put, args=(None,), name="end of input", daemon=True)
        feeder.start()  # waits where lines do
        while not self._taken.wait(_PATIENCE):
            self._at_end()
        feeder.join()

    def _chunks(self) -> Iterator[bytes]:
        """Yields what comes; a descriptor that cannot be read has ended."""
        while chunk := self._read_chunk():
            yield chunk

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""


def split_lines(chunks: Iterator[bytes], longest: int = _LONGEST) -> Iterator[Line]:
    """Yields the lines of some bytes, which LF ends, after CR or not; the last may lack its end."""
    begun, too_long = b"", False
    for chunk in chunks:
        received = time.monotonic()
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            yield _line(begun + part, received, longest, too_long=too_long)
            begun, too_long = b"", False
        begun += rest
        too_long |= len(begun) > longest
        begun = begun[: longest + 1]
    if begun:
        yield _line(begun, time.monotonic(), longest, too_long=too_long)


def _line(content: bytes, received: float, longest: int, *, too_long: bool) -> Line:
    text = content.removesuffix(b"\r")
    too_long |= len(text) > longest
    return Line(text[:longest].decode("ascii", "replace"), received, too_long)
