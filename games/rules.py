"""Finds the rules that a user names: those of a built-in game, or of a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.games.view.hints import with_hints_beside
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.file_names import stem
from ludens.propnet.base.suggestions import did_you_mean
from ludens.propnet.gdl.check import faults
from ludens.propnet.gdl.recovery import read
from ludens.propnet.gdl.syntax import RuleSheet

_SHOWN = 2  # rule sheets of a folder


@dataclass(frozen=True, slots=True)
class NamedRules:
    """The text of a rule sheet, and a short name for it."""

    name: str
    text: str

    def sheet(self) -> RuleSheet:
        """Parses and checks the rules; raises `LudensError`, which names the game too."""
        reading = read(self.text)
        for fault in (*reading.faults, *faults(reading.sheet)):
            raise LudensError(f"{self.name}: {fault}; `ludens validate` shows all mistakes")
        return reading.sheet


def find_rules(game: str) -> NamedRules:
    """Finds the rules of a built-in game, or of the file at path `game`.

    Raises `UnknownGameError` for neither, and `LudensError` for a file that cannot be read.
    """
    path = Path(game)
    if game not in games.names() and (path.suffix or len(path.parts) > 1 or os.path.exists(path)):  # noqa: PTH110
        return NamedRules(stem(path), read_rules(path))
    return find_built_in(game)


def find_built_in(game: str) -> NamedRules:
    """Finds the rules of a built-in game; raises `UnknownGameError` if there is none with this name."""
    name = games.resolve_name(game)
    return NamedRules(name, games.read(name))


def read_rules(path: Path) -> str:
    """Reads a file in UTF-8, or in latin-1 as some old sheets are, with hints beside it; raises `LudensError`."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        near = did_you_mean(str(path), [*map(str, path.parent.glob("*" + games.SUFFIX)), *games.names()])
        raise LudensError(f"there is no file {path}{near}") from error
    except IsADirectoryError as error:
        sheets = sorted(map(str, path.glob("*" + games.SUFFIX)))[:_SHOWN]
        among = f", such as {' or '.join(sheets)}" if sheets else f", which usually ends in {games.SUFFIX}"
        raise LudensError(f"{path} is a folder: name a rule sheet{among}") from error
    except OSError as error:
        raise LudensError(f"cannot read {path}: {error.strerror}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    try:
        return with_hints_beside(text, path)
    except OSError as error:
        raise LudensError(f"cannot read {error.filename}: {error.strerror}") from error
