"""Names of things after the files that hold them."""

from __future__ import annotations

from pathlib import Path


def stem(path: Path) -> str:
    """Returns the name of a file without its ending, with ? for what of it is not UTF-8: all can write it."""
    return path.stem.encode("utf-8", "replace").decode()
