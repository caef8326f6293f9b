"""Files of JSON lines to which programs add as they go, and go on from after they were interrupted.

A line counts once its end is written: one that was cut short is passed over, and removed before more are added.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read(path: Path | None) -> list[Any]:
    """Returns what the lines of a file say; nothing where there is no file."""
    return [json.loads(line) for line in _whole_lines(path).splitlines()]


def mend(path: Path | None) -> None:
    """Has a file, if there is one, end with a whole line, so that more can be added."""
    if path is not None and path.exists() and len(whole := _whole_lines(path)) < path.stat().st_size:
        os.truncate(path, len(whole))


def add(path: Path | None, record: object) -> None:
    """Adds a line to a file that ends with a whole one, or is made; nothing where there is to be no file."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _whole_lines(path: Path | None) -> bytes:
    text = path.read_bytes() if path is not None and path.exists() else b""
    return text[: text.rfind(b"\n") + 1]
