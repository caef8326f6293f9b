"""Keeps the matches of the page on disk, so that they outlast this process."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludens.agent.records.archive import data_directory
from ludens.agent.records.record import write_text
from ludens.propnet.base.errors import LudensError

_NAME = re.compile(r"[a-z0-9]{8,40}")
_MOST_KEPT = 500  # the oldest are thrown away
_SUFFIX = ".json"


class StoreError(LudensError):
    """A match that is not there, or cannot be read."""


def default_folder() -> Path:
    """Returns the folder of the user's matches; it may not exist yet."""
    return data_directory() / "play"


class MatchStore:
    """A folder with a file for each match; every method blocks."""

    def __init__(self, folder: Path) -> None:
        """Takes a folder, which is made when something is written."""
        self._folder = folder

    def save(self, name: str, data: Mapping[str, Any]) -> None:
        """Writes a match, so that readers see the old file or the whole new one; raises `RecordError`."""
        write_text(json.dumps(data, separators=(",", ":")), self._path(name))

    def load(self, name: str) -> dict[str, Any]:
        """Returns a match; raises `StoreError`."""
        try:
            data = json.loads(self._path(name).read_text(encoding="utf-8"))
        except OSError as error:
            raise StoreError("there is no such match") from error
        except (ValueError, RecursionError) as error:
            raise StoreError(f"the match cannot be read: its file {self._path(name)} is damaged ({error})") from error
        if not isinstance(data, dict) or data.get("version") != 1:
            raise StoreError(f"the match cannot be read: {self._path(name)} is of another version of Ludens")
        return data

    def throw_away_the_oldest(self) -> None:
        """Keeps the folder within bounds."""
        files = [path for path in self._folder.glob("*" + _SUFFIX) if _NAME.fullmatch(path.stem)]
        with suppress(OSError):
            for path in sorted(files, key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]:
                path.unlink()

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise StoreError("there is no such match")
        return self._folder / f"{name}{_SUFFIX}"
