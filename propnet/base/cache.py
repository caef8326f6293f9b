"""Finds the folder in which Ludens keeps files for its user."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Returns the folder for what is worth keeping between matches, such as endgame tables; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ludens"
