"""Hints of an author about how a game looks, which override what is found.

They are JSON: behind `; View:` in the comment that opens a rule sheet, on one line or on several such lines, or in the
file GAME.view.json beside GAME.kif, which wins.

    ; View: {"pieces": {"w": {"shape": "rook", "owner": "white"}}, "boards": {"cell": {"down": true}}}
    ; View: {"ignore": ["visited"]}

`pieces` says by key what a piece looks like: `shape`, `owner` (a role, or null), `text`. `boards` says by the name of
the relation how a board lies: `swapped` (the first coordinate counts rows), `left` (columns count from right to left),
`down` (rows count from top to bottom), `checkered`. Relations of which `ignore` names are on no board.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ludens.games.view.vocabulary import SHAPES, Piece
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

_MARK = "; View:"
_KINDS: dict[str, dict[str, Any]] = {
    "pieces": {"shape": str, "owner": (str, type(None)), "text": str},
    "boards": {"swapped": bool, "left": bool, "down": bool, "checkered": bool},
}


@dataclass(frozen=True, slots=True)
class Hints:
    """What an author says of the look of a game."""

    pieces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    boards: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    ignore: frozenset[str] = frozenset()

    def piece(self, key: str, found: Piece, roles: tuple[str, ...]) -> Piece:
        """Returns what a piece looks like; raises `LudensError` for a role that there is not."""
        said = dict(self.pieces.get(key, {}))
        if said.get("owner") is not None:
            if said["owner"] not in roles:
                raise LudensError(
                    f"view of piece {key!r}: there is no role {said['owner']!r}{_like(said['owner'], roles)}"
                )
            said["owner"] = roles.index(said["owner"])
        return replace(found, **said)


def read_hints(text: str, path: Path | None = None) -> Hints:
    """Returns the hints of a rule sheet with this text, which may lie in a file; raises `LudensError`."""
    hints: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_MARK):
            _merge(hints, line.removeprefix(_MARK), f"line {number}")
        elif line.strip() and not line.lstrip().startswith(";"):
            break
    beside = path.with_suffix(".view.json") if path else None
    if beside and beside.is_file():
        _merge(hints, beside.read_text(encoding="utf-8"), str(beside))
    return Hints(hints.get("pieces", {}), hints.get("boards", {}), frozenset(hints.get("ignore", ())))


def _merge(hints: dict[str, Any], text: str, where: str) -> None:
    """Adds the hints of a text; raises `LudensError`, which says where, for what means nothing."""
    try:
        said = json.loads(text)
    except json.JSONDecodeError as error:
        raise LudensError(f"{where}: view: {error}") from error
    if not isinstance(said, dict):
        raise LudensError(f"{where}: view: hints are an object in braces, not {text.strip()[:40]}")
    for name, value in said.items():
        if name == "ignore" and isinstance(value, list) and all(isinstance(each, str) for each in value):
            hints["ignore"] = [*hints.get("ignore", ()), *value]
        elif name in _KINDS and isinstance(value, dict):
            for key, each in value.items():
                _check(name, key, each, where)
            hints[name] = hints.get(name, {}) | value
        else:
            known = (*_KINDS, "ignore")
            raise LudensError(f"{where}: view: {name!r} is no hint, or of the wrong kind{_like(name, known)}")


def _check(name: str, key: str, said: object, where: str) -> None:
    for what, value in said.items() if isinstance(said, dict) else [("", said)]:
        kind = _KINDS[name].get(what)
        if kind is None or not isinstance(value, kind):
            raise LudensError(
                f"{where}: view of {key!r}: {what!r} is no hint, or of the wrong kind{_like(what, _KINDS[name])}"
            )
        if what == "shape" and value not in SHAPES:
            raise LudensError(f"{where}: view of {key!r}: there is no shape {value!r}{_like(value, SHAPES)}")


def _like(name: str, known: Any) -> str:
    return did_you_mean(name, known) or f" (one of {', '.join(known)})"
