"""Reads and writes the messages of both Game Managers; pure functions.

Only the outer two levels of a message are read here, in one linear scan: the words and the bracketed parts of
its first expression, as slices of the text. Rules stay text, since reading them takes long and is the
engine's business; moves are short and are brought into the one spelling that terms print in.

    >>> parse("( PLAY Base.ticTacToe.1479 ((mark 1 1) noop ) )")
    Play(match_id='Base.ticTacToe.1479', moves=('(mark 1 1)', 'noop'))
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.parser import parse_term

READY = "ready"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"
NIL = "nil"


@dataclass(frozen=True, slots=True)
class Info:
    """Asks for the name of the player, and whether it is free."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Stanford's page asks whether anyone is here."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Shows rules before a match."""

    rules: str


@dataclass(frozen=True, slots=True)
class Start:
    """Begins a match; `rules` is the text between the outer brackets, clocks are seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """Asks for a move; `moves` is the last joint move in role order, None for NIL."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the match with this last joint move."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Abort:
    """Calls the match off."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A text that is no message: what is wrong with it, and what to answer."""

    reason: str
    reply: str


Message: TypeAlias = Info | Ping | Preview | Start | Play | Stop | Abort | Malformed


def parse(text: str) -> Message:
    """Returns the message that `text` holds; never raises. Ignores what follows the first expression."""
    try:
        words = split(text)
    except GdlError as error:
        return Malformed(str(error), NIL)
    if not words:
        return Info() if not text.strip() else Malformed("an empty message", "error: empty message")
    verb, *arguments = words
    if verb.lower() not in _READERS:
        return Malformed(f"unknown message {verb[:40]!r}", f"error: unknown message {verb[:40]}")
    count, read, refusal = _READERS[verb.lower()]
    try:
        if len(arguments) < count:
            raise GdlError(f"{count} arguments are needed, {len(arguments)} are there")
        return read(arguments)
    except (GdlError, ValueError) as error:
        return Malformed(f"{verb.upper()}: {error}", refusal)


def info_reply(name: str, available: bool) -> str:
    """Returns the answer to INFO, in lower case, since managers keep players pending that answer in upper case."""
    return f"( ( name {name} ) ( status {'available' if available else 'busy'} ) )"


def split(text: str) -> list[str]:
    """Returns the parts of the first expression in `text`, as slices; a lone word is its own only part.

    Raises `GdlError` when its brackets do not balance.
    """
    parts: list[str] = []
    depth = begin = 0
    for token in _TOKEN.finditer(text):
        match token[0][0]:
            case ";":
                continue
            case "(":
                depth += 1
                begin = token.start() if depth == 2 else begin
            case ")":
                depth -= 1
                if depth == 1:
                    parts.append(text[begin : token.end()])
            case _ if depth <= 1:
                parts.append(token[0])
        if depth <= 0:
            break
    if depth != 0:
        raise GdlError("the brackets of the message do not balance")
    return parts


_TOKEN = re.compile(r";[^\r\n]*|[()]|[^\s();]+")


def _start(arguments: list[str]) -> Message:
    match_id, role, rules, start_clock, play_clock = arguments[:5]
    return Start(match_id, role, _rules(rules), _clock(start_clock), _clock(play_clock))


def _rules(text: str) -> str:
    if not text.startswith("("):
        raise GdlError(f"the rules are no list but {text[:40]!r}")
    return text[1:-1]


def _clock(text: str) -> float:
    seconds = float(text)
    if not math.isfinite(seconds):
        raise ValueError(f"a clock of {text} seconds")
    return seconds


def _moves(arguments: list[str]) -> tuple[str, ...] | None:
    """Returns the joint move behind the match id.

    A lone word that is not NIL counts as one move. Of GDL-II's four arguments none is a joint move: they give
    an empty one, which fits no game.
    """
    if len(arguments) == 4:
        return ()
    if len(arguments) < 2 or arguments[1].lower() == NIL:
        return None
    return tuple(str(parse_term(move)) for move in split(arguments[1]))


# For each verb: how many arguments it has at least, as some managers send more; how they are read; and what is
# answered when they make no sense.
_READERS: dict[str, tuple[int, Callable[[list[str]], Message], str]] = {
    "info": (0, lambda _: Info(), BUSY),
    "ping": (0, lambda _: Ping(), BUSY),
    "preview": (1, lambda arguments: Preview(_rules(arguments[0])), BUSY),
    "start": (5, _start, BUSY),
    "play": (1, lambda arguments: Play(arguments[0], _moves(arguments)), NIL),
    "stop": (1, lambda arguments: Stop(arguments[0], _moves(arguments)), DONE),
    "abort": (1, lambda arguments: Abort(arguments[0]), BUSY),
}
