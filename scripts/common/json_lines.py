"""Files of JSON lines to which programs add as they go, and go on from after they were interrupted.

A line counts once its end is written: one that was cut short is passed over, and removed before more are added.
Several processes may add to one file: each waits while another writes.
"""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any


def read(path: Path | None) -> list[Any]:
    """Returns what the lines of a file say; nothing where there is no file."""
    text = path.read_bytes() if path is not None and path.exists() else b""
    return [json.loads(line) for line in _whole_lines(text).splitlines()]


def mend(path: Path | None) -> None:
    """Has a file, if there is one, end with a whole line, so that more can be added."""
    if path is not None and path.exists():
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(len(_whole_lines(file.read())))


def add(path: Path | None, record: object) -> None:
    """Adds a line to a file that ends with a whole one, or is made; nothing where there is to be no file."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(record) + "\n")


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]
