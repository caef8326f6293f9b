"""Finds the cache, in which Ludens keeps files for its user, and keeps it from growing too large."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ludens.propnet.base.user_folder import user_folder
from ludens.propnet.base.whole_file import remove_drafts

_ABANDONED_SECONDS = 3600.0  # after which nobody writes a file any more


def cache_directory() -> Path:
    """Returns the folder for what is worth keeping between matches, such as endgame tables; see `user_folder`."""
    return user_folder("XDG_CACHE_HOME", ".cache")


def mark_used(path: Path) -> None:
    """Takes note that a file was used just now."""
    with contextlib.suppress(OSError):  # such as where the cache may only be read
        os.utime(path)


def remove_least_used(directory: Path, names: str, most_bytes: int) -> None:
    """Removes files with these names, a pattern, until all of them take no more than allowed.

    Those go that were not used for the longest time, and what killed processes left of files that they were writing;
    what cannot be removed stays.
    """
    remove_drafts(directory, names, older_than=_ABANDONED_SECONDS)
    used = []
    for path in directory.glob(names):
        with contextlib.suppress(OSError):  # such as where another process has removed it
            used.append((path.stat(), path))
    total = 0
    for status, path in sorted(used, key=lambda pair: pair[0].st_mtime_ns, reverse=True):
        total += status.st_size
        if total > most_bytes:
            with contextlib.suppress(OSError):
                path.unlink()
