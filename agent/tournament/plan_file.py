"""Reads the file of a tournament, in TOML, and says at which line it is wrong.

name = "lunch"
rounds = 10
games = ["connect_four", "my_game.kif"]

[players]
strong = "uct:threads=2"
other = "http://127.0.0.1:9147"
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.players import read_player
from ludens.agent.tournament.plan import Contestant, Plan, PlanError, Settings, TournamentGame, new_plan
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.file_names import stem
from ludens.propnet.base.suggestions import did_you_mean

FindGame = Callable[[str], TournamentGame]
"""Finds a game by the text with which users name it; raises `LudensError`."""

_LISTS = ("players", "games")
_KINDS: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
}  # of settings, by their annotation


def read_plan(path: Path, find: FindGame, changes: Mapping[str, Any]) -> Plan:
    """Reads a plan; `changes` are settings that count in place of those of the file. Raises `PlanError`."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path} is not TOML: {error}") from error
    return _PlanReader(path, text, find).read(found, changes)


def contestants(texts: Sequence[str]) -> list[Contestant]:
    """Returns players that are called as they are described; raises `LudensError`."""
    return [Contestant(text, text, read_player(text)) for text in texts]


class _PlanReader:
    """Turns what a file says into a plan, and knows the lines of its text."""

    def __init__(self, path: Path, text: str, find: FindGame) -> None:
        self._path, self._lines, self._find = path, text.splitlines(), find

    def read(self, found: dict[str, Any], changes: Mapping[str, Any]) -> Plan:
        settings = Settings(**({"name": stem(self._path)} | self._settings(found) | dict(changes)))
        players = [self._player(name, text) for name, text in self._players(found).items()]
        games = [self._game(text) for text in self._texts(found, "games")]
        try:
            return new_plan(settings, players, games)
        except LudensError as error:
            key = next((key for key in found if re.match(rf"{key}\b", str(error))), "")
            raise self._wrong(str(error), key) from error

    def _settings(self, found: dict[str, Any]) -> dict[str, Any]:
        fields = {field.name: field for field in dataclasses.fields(Settings)}
        chosen = {}
        for name, value in found.items():
            if name in _LISTS:
                continue
            if name not in fields:
                raise self._wrong(f"there is no setting {name!r}{did_you_mean(name, [*fields, *_LISTS])}", name)
            chosen[name] = self._value(fields[name], value)
        return chosen

    def _value(self, field: dataclasses.Field[Any], value: Any) -> Any:
        if field.name == "sprt":
            numbers = isinstance(value, list) and [type(each) in (int, float) for each in value]
            if numbers != [True, True]:
                raise self._wrong(f"sprt must be two scores, such as [0.5, 0.55], not {value!r}", field.name)
            return tuple(value)
        kind = _KINDS[str(field.type)]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            wanted = {"str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false"}
            raise self._wrong(f"{field.name} must be {wanted[str(field.type)]}, not {value!r}", field.name)
        return value

    def _players(self, found: dict[str, Any]) -> dict[str, str]:
        """Returns the descriptions of players by name; in a list each is its own name."""
        players = found.get("players")
        if not isinstance(players, dict):
            texts = self._texts(found, "players")
            if double := [text for text in texts if texts.count(text) > 1]:
                raise self._wrong(f"{double[0]!r} is there twice: give players names in a table [players]", "players")
            return {text: text for text in texts}
        for name, text in players.items():
            if not isinstance(text, str):
                raise self._wrong(f"the player {name!r} must be a text, such as 'uct', not {text!r}", name)
        return players

    def _texts(self, found: dict[str, Any], name: str) -> list[str]:
        texts = found.get(name)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self._wrong(f"{name} must be a list of texts, not {texts!r}" if texts else f"{name} is missing", name)
        return texts

    def _player(self, name: str, text: str) -> Contestant:
        try:
            return Contestant(name, text, read_player(text, self._path.parent))
        except OptionError as error:
            raise self._wrong(f"{error} ({error.see})", text, name) from error
        except LudensError as error:
            raise self._wrong(str(error), text, name) from error

    def _game(self, text: str) -> TournamentGame:
        inside = self._path.parent / text
        try:
            return self._find(str(inside) if os.path.isfile(inside) else text)  # noqa: PTH113
        except LudensError as error:
            raise self._wrong(str(error), text, "games") from error

    def _wrong(self, reason: str, *words: str) -> PlanError:
        """Returns what is wrong, with the first line that has one of the words as a key or in quotes, if any."""
        for word in filter(None, words):
            pattern = re.compile(rf"^\s*\[?\"?{re.escape(word)}\"?\s*[=\]]|[\"']{re.escape(word)}[\"']")
            for number, line in enumerate(self._lines, start=1):
                if pattern.search(line):
                    return PlanError(f"{self._path}, line {number}: {reason}")
        return PlanError(f"{self._path}: {reason}")
