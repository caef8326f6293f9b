"""How long a move may take, as the command `go` of the Tak engine interface says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.games.tak.notation.faults import shown
from ludens.games.tak.rules.parameters import TakError

_CLOCKS = (("wtime", "winc"), ("btime", "binc"))  # of both players: what is left, and what each move adds
_NUMBERS = {"movetime", "nodes", "depth", *(name for names in _CLOCKS for name in names)}
_MOVES_LEFT = 20  # that the rest of the game has to do for
_INCREMENT_SHARE = 0.8  # of what a move adds, that it may take
_MARGIN, _MARGIN_SHARE = 0.02, 0.03  # seconds kept free for the answer to arrive, and this share of the time
_MOST_SHARE = 0.3  # of the time, that is kept free
_LAG_KEPT = 0.9  # of what is known of it, from move to move
_MOST_LAG_SHARE = 0.5  # of the time of a move, that is kept free for it


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one move; a move with none is thought about until it is told to stop."""

    seconds: float | None = None
    nodes: int = 0  # 0: no limit
    depth: int = 0  # 0: no limit

    @property
    def endless(self) -> bool:
        """Whether only `stop` ends the thought."""
        return self.seconds is None and not self.nodes and not self.depth


class Lag:
    """How late moves come on this machine: a busy one runs threads late. It is kept free of the time of later moves."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def less(self, seconds: float) -> float:
        """Returns how long a move may be thought about that should come after so many seconds."""
        return seconds - min(self._seconds, _MOST_LAG_SHARE * seconds)

    def note(self, late: float) -> None:
        """Takes by how much a move came after the end of its thought was due; older ones are forgotten by and by."""
        self._seconds = max(late, _LAG_KEPT * self._seconds)


def read_limits(words: Sequence[str], turn: int) -> Limits:
    """Returns the limits behind `go` for a player who is to move; raises `TakError`."""
    found: dict[str, int] = {}
    rest = iter(words)
    for word in rest:
        if word in _NUMBERS:
            found[word] = _number(word, next(rest, ""))
        elif word != "infinite":
            raise TakError(f"go does not know {shown(word)}: it takes infinite, {', '.join(sorted(_NUMBERS))}")
    return Limits(_seconds(found, turn), found.get("nodes", 0), found.get("depth", 0))


def _number(name: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,15}", text, re.ASCII):
        raise TakError(f"go {name} takes a whole number, not {shown(text)}")
    least = 1 if name in ("nodes", "depth") else 0
    if int(text) < least and (least or name == "movetime"):
        raise TakError(f"go {name} takes a whole number from {least} on, not {text}")
    return max(0, int(text))  # clocks may have run out


def _seconds(found: dict[str, int], turn: int) -> float | None:
    """Returns the least of what limits the time, in seconds, less what the answer takes to arrive."""
    limits = []
    if "movetime" in found:
        limits.append(found["movetime"] / 1000)
    left, added = _CLOCKS[turn]
    if left in found:
        increment = _INCREMENT_SHARE * found.get(added, 0)
        limits.append(min(found[left], found[left] / _MOVES_LEFT + increment) / 1000)
    elif any(name in found for names in _CLOCKS for name in names):
        raise TakError(f"go needs {left}, the time that is left to who is to move")
    if not limits:
        return None
    limit = min(limits)
    return limit - min(_MARGIN + _MARGIN_SHARE * limit, _MOST_SHARE * limit)
