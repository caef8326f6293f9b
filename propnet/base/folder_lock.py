"""Keeps other processes out of a folder in which one works."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType


class FolderLock:
    """A folder that no other process can lock while this is open; the system ends that with the process."""

    def __init__(self, path: Path) -> None:
        """Raises `BlockingIOError` if another process has locked the folder, another `OSError` if there is none."""
        self._handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets others in."""
        os.close(self._handle)
