"""Hints of an author about how a game looks, which override what is found.

They are JSON: behind `; View:` in the comment that opens a rule sheet, on one line or on several such lines, or in the
file GAME.view.json beside GAME.kif, which wins. Whoever reads a sheet from a file adds to its text what that file says,
so that it goes wherever the text goes: into matches, pages, archives and records.

    ; View: {"pieces": {"w": {"shape": "rook", "owner": "white"}}, "boards": {"cell": {"down": true}}}
    ; View: {"ignore": ["visited"]}

`pieces` says by key what a piece looks like: `shape`, `owner` (a role, or null), `text`. `boards` says by the name of
the relation how a board lies: `swapped` (the first coordinate counts rows), `left` (columns count from right to left),
`down` (rows count from top to bottom), `checkered`. Relations of which `ignore` names are on no board.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ludens.games.view.vocabulary import SHAPES, Piece
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

_BESIDE = ".view.json"
_MARK = re.compile(rf"; View(?: of (?P<file>.*?{re.escape(_BESIDE)}))?:(?P<hint>.*)")
_KINDS: dict[str, dict[str, Any]] = {
    "pieces": {"shape": str, "owner": (str, type(None)), "text": str},
    "boards": {"swapped": bool, "left": bool, "down": bool, "checkered": bool},
}


_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s:,]*")  # what separates keys and values


class HintError(LudensError):
    """A hint that means nothing; line and column count from 1, in the file beside the sheet if `file` names one."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(f"{file}{': ' if file else ''}line {line}, column {column}: {message}")
        self.message, self.file, self.line, self.column = message, file, line, column


@dataclass(frozen=True, slots=True)
class Hints:
    """What an author says of the look of a game."""

    pieces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    boards: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    ignore: frozenset[str] = frozenset()

    def piece(self, key: str, found: Piece, roles: tuple[str, ...]) -> Piece:
        """Returns what a piece looks like."""
        said = dict(self.pieces.get(key, {}))
        if said.get("owner") is not None:
            said["owner"] = roles.index(said["owner"])
        return replace(found, **said)


def read_hints(text: str, roles: Sequence[str]) -> Hints:
    """Returns the hints in the text of a rule sheet of these roles; raises `HintError` for what means nothing."""
    hints: dict[str, Any] = {"pieces": {}, "boards": {}, "ignore": []}
    for source in _sources(text):
        for mistake in _mistakes(source, roles):
            raise mistake
        for name, value in json.loads(source.text).items():
            hints[name] = hints[name] + value if name == "ignore" else hints[name] | value
    return Hints(hints["pieces"], hints["boards"], frozenset(hints["ignore"]))


def hint_mistakes(text: str, roles: Sequence[str]) -> list[HintError]:
    """Returns all hints in the text of a rule sheet of these roles that mean nothing."""
    return [mistake for source in _sources(text) for mistake in _mistakes(source, roles)]


def unknown_names(text: str, known: Set[str]) -> list[HintError]:
    """Returns the hints in the text of a rule sheet, all of which mean something, that change nothing.

    They are about names of pieces and relations that are not `known`, as those that occur in the rules are.
    """
    return [
        source.mistake(f"nothing in the rules is called {name!r}{did_you_mean(name, known)}", at)
        for source in _sources(text)
        for name, at in _names(source)
        if not all(word in known or known >= set(word.split("-")) for word in name.split())
    ]


def hint_files(text: str) -> dict[str, list[str]]:
    """Returns the lines of the files beside a rule sheet that were added to its text, by the names of the files."""
    files: dict[str, list[str]] = {}
    for line in text.splitlines():
        if (match := _MARK.fullmatch(line)) and match["file"]:
            files.setdefault(match["file"], []).append(match["hint"])
    return files


def with_hints_beside(text: str, path: Path) -> str:
    """Returns the text of the rule sheet at a path with the hints of the file beside it; raises `OSError`."""
    beside = path.with_suffix(_BESIDE)
    if not os.path.isfile(beside):  # noqa: PTH113 - its name may be too long
        return text
    lines = beside.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join([text.rstrip("\n"), *(f"; View of {beside.name}:{line}" for line in lines), ""])


def with_hints_of(text: str, sheet: str) -> str:
    """Returns rules with the lines of a rule sheet that hold hints before them."""
    lines = [line for line in sheet.splitlines() if _MARK.fullmatch(line)]
    return "\n".join([*lines, text])


# ---- Mistakes ----


class _Source(NamedTuple):
    """An object of hints in JSON, and where it begins."""

    text: str
    file: str  # beside the sheet; empty: the sheet itself
    line: int = 1
    column: int = 1

    def mistake(self, message: str, at: int) -> HintError:
        """Makes the error of a mistake at a position of the text."""
        before = self.text[:at].split("\n")
        column = len(before[-1]) + (self.column if len(before) == 1 else 1)
        return HintError(f"view: {message}", self.file, self.line + len(before) - 1, column)


class _Entry(NamedTuple):
    """A key of an object in JSON and its value, with the positions where they begin."""

    key: str
    key_at: int
    value: Any
    value_at: int


def _sources(text: str) -> Iterator[_Source]:
    """Yields the hints in the comment that opens a sheet, then those of files beside it."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(";"):
            break
        if (match := _MARK.fullmatch(line)) and not match["file"]:
            yield _Source(match["hint"], "", number, match.start("hint") + 1)
    for file, lines in hint_files(text).items():
        yield _Source("\n".join(lines), file)


def _mistakes(source: _Source, roles: Sequence[str]) -> Iterator[HintError]:
    start = _past(source.text, 0)
    try:
        said = json.loads(source.text)
    except json.JSONDecodeError as error:
        yield source.mistake(f"hints are JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.pos)
        return
    except (ValueError, RecursionError):
        yield source.mistake("hints are JSON that is not nested so deeply, with numbers that are not so long", start)
        return
    if not isinstance(said, dict):
        yield source.mistake(f"hints are an object in braces, not {source.text.strip()[:40]}", start)
        return
    for entry in _entries(source.text, start):
        if entry.key in _KINDS and isinstance(entry.value, dict):
            for each in _entries(source.text, entry.value_at):
                yield from _mistakes_of(source, _KINDS[entry.key], each, roles)
        elif entry.key == "ignore":
            if not isinstance(entry.value, list) or not all(isinstance(name, str) for name in entry.value):
                yield source.mistake("'ignore' is a list of names of relations", entry.value_at)
        else:
            yield _unfit(source, "", entry, (*_KINDS, "ignore"))


def _mistakes_of(source: _Source, kinds: Mapping[str, Any], thing: _Entry, roles: Sequence[str]) -> Iterator[HintError]:
    """Yields the mistakes of what is said about one piece or board."""
    of = f" of {thing.key!r}"
    if not isinstance(thing.value, dict):
        yield source.mistake(f"what is said{of} is an object in braces: {', '.join(kinds)}", thing.value_at)
        return
    for entry in _entries(source.text, thing.value_at):
        known = {"shape": SHAPES, "owner": roles}.get(entry.key)
        what = {"shape": "shape", "owner": "role"}.get(entry.key)
        if not isinstance(entry.value, kinds.get(entry.key, ())):
            yield _unfit(source, of, entry, kinds)
        elif known is not None and entry.value is not None and entry.value not in known:
            near = _like(entry.value, known)
            yield source.mistake(f"{entry.key}{of}: there is no {what} {entry.value!r}{near}", entry.value_at)


def _names(source: _Source) -> Iterator[tuple[str, int]]:
    """Yields the names of pieces and relations in hints that mean something, with where each stands."""
    for entry in _entries(source.text, _past(source.text, 0)):
        if entry.key == "ignore":
            yield from ((name, entry.value_at) for name in entry.value)
        else:
            yield from ((each.key, each.key_at) for each in _entries(source.text, entry.value_at))


def _unfit(source: _Source, of: str, entry: _Entry, known: Any) -> HintError:
    """Makes the error of a hint that there is not, or whose value is of the wrong kind."""
    if entry.key in known:
        return source.mistake(f"{entry.key!r}{of} is of the wrong kind", entry.value_at)
    return source.mistake(f"there is no hint {entry.key!r}{of}{_like(entry.key, known)}", entry.key_at)


def _entries(text: str, at: int) -> Iterator[_Entry]:
    """Yields the entries of the object in JSON, which is well formed, that begins at a position."""
    at = _past(text, at + 1)
    while text[at] == '"':
        key, end = _DECODER.raw_decode(text, at)
        start = _past(text, end)
        value, end = _DECODER.raw_decode(text, start)
        yield _Entry(key, at, value, start)
        at = _past(text, end)


def _past(text: str, at: int) -> int:
    """Returns the position of the next key, value or brace."""
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _like(name: str, known: Any) -> str:
    return did_you_mean(name, known) or f" (one of {', '.join(known)})"
