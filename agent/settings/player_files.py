"""Players of the user's own, as users write them: `my_player.py:Cautious`, a file and a class in it.

Whether there is such a class is found out by reading the file: nothing in it runs in this process.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

_FORM = re.compile(r"(?P<path>.+\.py)(?::(?P<name>[^\W\d]\w*))?(?::(?P<settings>.*))?")


def names_file(text: str) -> bool:
    """Says whether a text names a player of the user's own, be there such a file or not."""
    return _FORM.fullmatch(text) is not None


def with_full_path(text: str) -> str:
    """Returns a text that names a player of the user's own with the full path of its file; any other as it is."""
    form = _FORM.fullmatch(text)
    return text if form is None else f"{Path(form['path']).absolute()}{text[form.end('path') :]}"


class PlayerFileError(LudensError):
    """A file or a class that is no player."""


@dataclass(frozen=True, slots=True)
class PlayerFile:
    """The class of a player in a file."""

    path: Path  # absolute
    name: str

    @classmethod
    def of_text(cls, text: str, folder: Path | None = None) -> tuple[Self, str] | None:
        """Returns the player that `FILE.py:CLASS` names, and the text of settings after another colon.

        A file in `folder` counts before one in the working directory. None for a text that names no such file. Raises
        `PlayerFileError` if there is no such file, or class in it.
        """
        if (form := _FORM.fullmatch(text)) is None:
            return None
        path = Path(form["path"])
        if folder is not None and os.path.isfile(folder / path):  # noqa: PTH113
            path = folder / path
        defined = list(_defined(path))
        if form["name"] is None:
            example = next((name for name in defined if name[0].isupper()), "MyPlayer")
            raise PlayerFileError(f"{text} names no class: write {text}:{example}")
        if form["name"] not in defined and "*" not in defined:
            near = did_you_mean(form["name"], defined)
            raise PlayerFileError(f"{path} defines no class {form['name']}{near}")
        return cls(path.resolve(), form["name"]), form["settings"] or ""

    def __str__(self) -> str:
        return f"{self.path}:{self.name}"


def _defined(path: Path) -> Iterator[str]:
    """Yields the names that a file defines, among them `*` if it imports all names of another."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except FileNotFoundError:
        near = did_you_mean(str(path), map(str, path.parent.glob("*.py")) if path.parent.is_dir() else ())
        raise PlayerFileError(f"there is no file {path}{near}") from None
    except OSError as error:
        raise PlayerFileError(f"cannot read {path}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise PlayerFileError(f"{path}{place}: {getattr(error, 'msg', error)}") from error
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
