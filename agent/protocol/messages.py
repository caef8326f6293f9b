"""Reads and writes the messages of both Game Managers; pure functions.

Only the outer two levels of a message are read here, in one linear scan: the words and the bracketed parts of
its first expression, as slices of the text. Rules stay text, since reading them takes long and is the
engine's business; moves are short and are brought into the one spelling that terms print in. What is longer than
any match needs is not read at all, so that no message takes much longer than its bytes take to arrive.

    >>> parse("( PLAY Base.ticTacToe.1479 ((mark 1 1) noop ) )")
    Play(match_id='Base.ticTacToe.1479', moves=('(mark 1 1)', 'noop'))
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ludens.agent.protocol.clock import clock_text
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.parser import MAX_NESTING

READY = "ready"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"
NIL = "nil"

GRACE_SECONDS = 1.0
"""How long a manager waits for an answer beyond the clock."""

COURTESY_SECONDS = 1.0
"""How long a manager waits for the answers to STOP and ABORT, which change nothing."""


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


_MOST_PARTS = 16  # of a message, of which START needs six; what comes behind them is not read
_MOST_ROLES = 1000  # of a game; joint moves of more are none
_LONGEST_JOINT = 1 << 18  # characters

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


def start_text(start: Start) -> str:
    """Returns START as managers send it, in one line."""
    rules = start.rules.replace("\n", " ")
    clocks = f"{clock_text(start.start_clock)} {clock_text(start.play_clock)}"
    return f"( START {start.match_id} {start.role} ({rules}) {clocks} )"


def play_text(match_id: str, moves: Sequence[str]) -> str:
    """Returns PLAY with the last joint move, or with NIL where there is none yet."""
    return f"( PLAY {match_id} {_joint_text(moves)} )"


def stop_text(match_id: str, moves: Sequence[str]) -> str:
    """Returns STOP with the last joint move."""
    return f"( STOP {match_id} {_joint_text(moves)} )"


def abort_text(match_id: str) -> str:
    """Returns ABORT, as managers send it."""
    return f"( ABORT {match_id} )"


def info_reply(name: str, available: bool) -> str:
    """Returns the answer to INFO, in lower case, since managers keep players pending that answer in upper case."""
    return f"( ( name {name} ) ( status {'available' if available else 'busy'} ) )"


def split(text: str, most: int = _MOST_PARTS) -> list[str]:
    """Returns the first `most` parts of the first expression in `text`, as slices; a lone word is its own only part.

    Raises `GdlError` when its brackets do not balance, as far as it is read, or are nested too deeply.
    """
    parts: list[str] = []
    at, within = 0, False
    while (token := _TOKEN.search(text, at)) and len(parts) < most:
        at = token.end()
        match token[0][0]:
            case ";":
                continue
            case "(" if within:
                at = _closing(text, token.start())
                parts.append(text[token.start() : at])
            case "(":
                within = True
            case ")":
                break
            case _:
                parts.append(token[0])
                if not within:
                    break
    unclosed = within and token is None
    unopened = not within and token is not None and token[0] == ")"
    if unclosed or unopened:
        raise GdlError(_UNBALANCED)
    return parts


_TOKEN = re.compile(r";[^\r\n]*|[()]|[^\s\ufeff\0();]+")
_BRACKET = re.compile(r";[^\r\n]*|\([^();]*\)|[()]")  # innermost pairs as a whole
_UNBALANCED = "the brackets of the message do not balance"


def _closing(text: str, opening: int) -> int:
    """Returns the place behind the bracket that closes the one at `opening`; raises `GdlError`."""
    depth = 0
    for found in _BRACKET.finditer(text, opening):
        first, last = text[found.start()], text[found.end() - 1]
        depth += (first == "(") - (last == ")") if first != ";" else 0
        if depth == 0:
            return found.end()
        if depth > MAX_NESTING:
            raise GdlError(f"parentheses are nested deeper than {MAX_NESTING}")
    raise GdlError(_UNBALANCED)


def spelled(move: str) -> str:
    """Returns a move in the spelling of terms: `( mark 1  (noop) )` as `(mark 1 noop)`; raises `GdlError`."""
    words = [word for word in _TOKEN.findall(move) if word[0] != ";"]
    text = " ".join(words).replace("( ", "(").replace(" )", ")")
    if not words or _NO_TERM.search(text):
        raise GdlError(f"{move[:40]!r} is no move")
    return _NO_ARGUMENTS.sub(r"\1", text)


_NO_TERM = re.compile(r"\([()?]|(?<![^ (])(?:\?|<=)(?![^ )])")
_NO_ARGUMENTS = re.compile(r"\(([^ ()]+)\)")


def _joint_text(moves: Sequence[str]) -> str:
    return f"({' '.join(moves)})" if moves else NIL.upper()


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
    """Returns the joint move behind the match id; None for NIL, and an empty one, which fits no game, for what is none.

    A lone word that is not NIL counts as one move. Of GDL-II's four arguments none is a joint move.
    """
    if len(arguments) < 2 or arguments[1].lower() == NIL:
        return None
    if len(arguments) == 4 or len(arguments[1]) > _LONGEST_JOINT:
        return ()
    moves = split(arguments[1], _MOST_ROLES + 1)
    try:
        return tuple(map(spelled, moves)) if len(moves) <= _MOST_ROLES else ()
    except GdlError:
        return ()


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
