"""Reads Portable Draughts Notation: the tags of a game, its moves, and its result.

Comments, variations and annotations are passed over. Of several games in a text the first counts.

Source: as `pdn`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ludens.propnet.base.errors import LudensError

_BLANKS = re.compile(r"\s+")
_TAG = re.compile(r'\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN = re.compile(
    r"\{[^}]*\}|;[^\n]*|^%[^\n]*"  # comments
    r"|(?P<result>1/2-1/2|0\.5-0\.5|[012]-[012](?![\d-])|\*)"
    r"|\$\d+|\d+\.(?:\.\.)?"  # annotations, numbers of moves
    r"|(?P<move>\d{1,4}(?:[-xX:]\d{1,4})+)(?!\d)[!?*]*"  # a star behind a move: it was the only one
    r"|(?P<bracket>[()])|(?P<word>\S+)",
    re.MULTILINE,
)


class PdnError(LudensError):
    """A text that is no PDN, or a game in it that is not understood."""


@dataclass(frozen=True, slots=True)
class WrittenMove:
    """A move as it is written: the squares that it names, and whether it captures."""

    text: str
    squares: tuple[int, ...]
    jump: bool


@dataclass(frozen=True, slots=True)
class PdnGame:
    """A game as it is written."""

    tags: Mapping[str, str]
    moves: tuple[WrittenMove, ...]
    result: str  # empty: the text ends before it


def read_game(text: str) -> PdnGame:
    """Returns the first game in a text; raises `PdnError`."""
    tags = {}
    at = _skip(text, 0)
    while found := _TAG.match(text, at):
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        at = _skip(text, found.end())
    if tags.get("GameType", "21").split(",")[0] not in ("21", ""):
        raise PdnError(f"this is a game of type {tags['GameType']}; only English draughts (21) are known")
    if "FEN" in tags:
        raise PdnError("this game begins in a position of its own (FEN), not in the first one of the rules")
    moves, result = _moves(text, at)
    if not tags and not moves:
        raise PdnError("not a game in PDN: it has neither tags nor moves")
    return PdnGame(tags, tuple(moves), result)


def _skip(text: str, at: int) -> int:
    """Returns where the text goes on behind white space."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _moves(text: str, start: int) -> tuple[list[WrittenMove], str]:
    moves: list[WrittenMove] = []
    depth = 0  # of variations
    at = _skip(text, start)
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None, "a word is any text"
        at = _skip(text, found.end())
        if bracket := found["bracket"]:
            depth += 1 if bracket == "(" else -1
        elif depth > 0:
            continue
        elif found["result"]:
            return moves, found["result"]
        elif written := found["move"]:
            squares = tuple(map(int, re.split("[-xX:]", written)))
            moves.append(WrittenMove(written, squares, "-" not in written))
        elif (word := found["word"]) and at < len(text):
            line = text.count("\n", 0, found.start()) + 1
            raise PdnError(f"line {line}: {word!r} is no move in PDN")
    return moves, ""  # a word at the very end may be a move that is cut
