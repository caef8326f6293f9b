"""The games that can be chosen at the page: the built-in ones, a folder's, and what people paste.

All of it takes long, and is called in threads.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludens import games
from ludens.agent.diagnosis.child_process import diagnose_by_play
from ludens.agent.diagnosis.reading import diagnose
from ludens.agent.play.played_game import PlayedGame, is_key, key_of
from ludens.games.view.hints import with_hints_beside
from ludens.propnet.base.cache import cache_directory
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.file_names import stem
from ludens.propnet.base.whole_file import replace_file
from ludens.propnet.diagnosis.finding import Finding
from ludens.propnet.diagnosis.reading import in_order

MOST_TEXT = 1 << 20
"""The longest rule sheet that is taken, in characters."""

_MOST_GAMES = 24  # that are kept ready
_MOST_TEXTS = 200  # of rule sheets that are remembered
_PICTURES = "pictures-3"  # in the cache; the number changes with how pictures are made


class UnlistedGameError(LudensError):
    """A game that nobody has named before."""


class FaultySheetError(LudensError):
    """A rule sheet with mistakes."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        """Takes the mistakes, which are shown with their places."""
        super().__init__(str(findings[0]))
        self.findings = findings


def finding_json(finding: Finding) -> dict[str, Any]:
    """Returns a mistake with its place, which is 0, 0 unless it is in the sheet itself."""
    severity, message, line, column = finding.severity.value, finding.message, finding.line, finding.column
    if finding.file:
        line, column, message = 0, 0, f"{finding.file}, line {line}, column {column}: {message}"
    return {"severity": severity, "message": message, "line": line, "column": column}


class Catalogue:
    """The games of one server; for any thread."""

    def __init__(self, limits: Limits, folder: Path | None = None) -> None:
        """`limits` are those of making a network; `folder` has sheets that are listed besides."""
        self.limits = limits
        self._folder = folder
        self._listed: dict[str, tuple[str, Path | None]] = {}  # by key: names, and files unless they are built in
        self._texts: OrderedDict[str, tuple[str, str]] = OrderedDict()  # names and texts of other sheets by key
        self._games: OrderedDict[str, PlayedGame] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[str, threading.Lock] = {}  # by key
        self._drawing = threading.Lock()

    def listing(self) -> list[dict[str, Any]]:
        """Returns a line about each game that can be chosen."""
        listed: list[dict[str, Any]] = []
        places: dict[str, tuple[str, Path | None]] = {}
        for name in games.names():
            about = games.about(name)
            title, key = about.title.strip().rstrip("."), key_of(games.read(name))
            places[key] = name, None
            listed.append(
                {"key": key, "name": name, "title": title, "summary": about.summary}
                | {"players": about.players, "built_in": True}
            )
        for path in sorted(self._folder.glob("*" + games.SUFFIX)) if self._folder else ():
            with suppress(OSError):
                text = _read_sheet(path)
                key = key_of(text)
                name = stem(path)
                places.setdefault(key, (name, path))
                listed.append(
                    {"key": key, "name": name, "title": name.replace("_", " ")}
                    | {"summary": summary_of(text), "players": len(_ROLE.findall(text)), "built_in": False}
                )
        with self._lock:
            self._listed = places
        return listed

    def remember(self, name: str, text: str) -> str:
        """Returns the key of a rule sheet, by which it can be named from now on."""
        key = key_of(text)
        with self._lock:
            self._texts[key] = name, text
            self._texts.move_to_end(key)
            while len(self._texts) > _MOST_TEXTS:
                self._texts.popitem(last=False)
        return key

    def text(self, key: str) -> tuple[str, str]:
        """Returns name and text of a rule sheet; raises `UnlistedGameError`."""
        if (found := self._find(key)) is None:
            self.listing()  # the server may have been started anew
            found = self._find(key)
        if found is None:
            raise UnlistedGameError("this server does not know the game any more: choose it again")
        return found

    def _find(self, key: str) -> tuple[str, str] | None:
        with self._lock:
            if key in self._texts:
                return self._texts[key]
            name, path = self._listed.get(key, ("", None))
        if not name:
            return None
        if path is None:
            return name, games.read(name)
        with suppress(OSError):
            if key_of(text := _read_sheet(path)) == key:
                return name, text
        return None

    def findings(self, text: str, play: bool) -> list[dict[str, Any]]:
        """Returns the mistakes of a rule sheet, by playing it too if `play`."""
        diagnosis = diagnose(text)
        found = diagnosis.findings
        if play and not diagnosis.has_errors:
            found = in_order((*found, *diagnose_by_play(diagnosis.sheet).findings))
        return list(map(finding_json, found))

    def game(self, name: str, text: str) -> PlayedGame:
        """Returns a game that is ready to be played; raises `LudensError`, `FaultySheetError` for mistakes."""
        key = key_of(text)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                found = self._games.get(key)
            if found is None:
                diagnosis = diagnose(text)
                if diagnosis.has_errors:
                    raise FaultySheetError(diagnosis.findings)
                found = PlayedGame(name, text, diagnosis.sheet, self.limits)
        with self._lock:
            self._making.pop(key, None)
            self._games[key] = found
            self._games.move_to_end(key)
            while len(self._games) > _MOST_GAMES:
                self._games.popitem(last=False)
        return found

    def picture(self, key: str) -> Mapping[str, Any]:
        """Returns a game's view and that of its first position; made once for each game, and kept.

        Raises `LudensError`, and `UnlistedGameError` for what is no key.
        """
        if not is_key(key):
            raise UnlistedGameError(f"{key[:40]!r} is no key of a game")
        path = cache_directory() / _PICTURES / f"{key}.json"
        with suppress(OSError, ValueError):
            kept: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return kept
        with self._drawing:  # one after the other, so that who wants to play need not wait for all
            game = self.game(*self.text(key))
            _, position = game.position(())
        look = {name: value for name, value in game.look.items() if name != "moves"}
        made = {"game": look | {"moves": [[] for _ in game.roles]}, "position": {**position, "legal": [], "moves": []}}
        with suppress(OSError):
            replace_file(path, json.dumps(made).encode())
        return made


def _read_sheet(path: Path) -> str:
    return with_hints_beside(path.read_text(encoding="utf-8", errors="replace")[:MOST_TEXT], path)


_ROLE = re.compile(r"\(\s*role\s+[^\s?()]+\s*\)", re.IGNORECASE)


def summary_of(text: str) -> str:
    """Returns the first line of comments at the head of a sheet that says something; empty if there is none."""
    for line in text.lstrip("\ufeff").splitlines()[:20]:
        if line.strip() and not line.lstrip().startswith(";"):
            break
        if words := line.strip(" \t;*-="):
            return words[:200]
    return ""
