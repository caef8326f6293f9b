"""Makes files and folders that nobody but their owner may change, even where the umask would let others."""

from __future__ import annotations

import os
from pathlib import Path

_FILE, _FOLDER = 0o644, 0o755  # at most: the umask may take more away


def opener(path: str, flags: int) -> int:
    """Opens a file for `open`, whose `opener` this is."""
    return os.open(path, flags, _FILE)


def make_folder(path: Path) -> None:
    """Makes a folder and those above it, unless they are there. Raises `OSError`."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(_FOLDER, exist_ok=True)
