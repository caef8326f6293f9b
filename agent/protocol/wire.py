"""Messages between the player and an engine process: one JSON object a line.

Moves and roles are GDL texts in the spelling of the rules; joint moves are in role order; a step counts the
joint moves made since the start of the match.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from ludens.propnet.base.errors import LudensError

Joint: TypeAlias = tuple[str, ...]
History: TypeAlias = tuple[Joint, ...]

Candidate: TypeAlias = tuple[int, str, int, float | None, bool]
"""What a search knows of a legal move: role, move, visits, expected goal of that role (None: unknown), whether that is
proven."""

MACHINES = ("rules", "network")
"""What plays games for a search: the rule machine, which is there at once, and the faster network, or the game
core of what that was recognised as."""


MOST_CANDIDATES = 20
"""As many candidates are told of a position at most: those with the most visits."""

MOST_TOLD = 1000
"""As many legal moves are told of a position at most; where there are more, they are a sample."""


class WireError(LudensError):
    """A line on the pipe that is no message."""


# ---- To the engine ----


@dataclass(frozen=True, slots=True)
class Begin:
    """Read these rules, to play them as `role`; there are so many seconds until the first turn, and for each.

    Without `move_seconds` there are no clocks. Once it thinks, the engine also `tells_states` for a record, or not.
    """

    rules: str
    role: str
    seconds: float = 0.0
    move_seconds: float = 0.0
    tells_states: bool = False


@dataclass(frozen=True, slots=True)
class StandBy:
    """Follow the match without native code: just say what holds at each position."""


@dataclass(frozen=True, slots=True)
class Think:
    """From now on search for the best move as well, on these machines: `MACHINES` or the first few of them."""

    machines: tuple[str, ...] = MACHINES


@dataclass(frozen=True, slots=True)
class GoTo:
    """The match has come this far; the position counts that all these joint moves lead to.

    What a message tells of our own move may be wrong. Then there are others of the same length in which it is as we
    answered it, and the rules are to say which history fits.
    """

    history: History
    others: tuple[History, ...] = ()
    changed: tuple[int, ...] = (0,)  # of each history, `history` first: how many moves are not as they were told
    ticket: int = 0  # is told with all that is found out there, for who goes back and forth between positions

    @property
    def histories(self) -> tuple[History, ...]:
        """All histories."""
        return (self.history, *self.others)


@dataclass(frozen=True, slots=True)
class Rest:
    """Search no further until the next `GoTo`: nobody waits for what would be found."""


# ---- From the engine ----


@dataclass(frozen=True, slots=True)
class Started:
    """The process has imported what it needs: from now on a match would begin at once."""


@dataclass(frozen=True, slots=True)
class RulesRead:
    """The rules make sense; roles in order."""

    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The rules cannot be played, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class NetworkReady:
    """From now on the search runs on the propositional network."""

    gates: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Ready:
    """The start clock is of no more use: the first turn may come."""


@dataclass(frozen=True, slots=True)
class NoNetwork:
    """There will be no network, and why; play goes on without."""

    reason: str


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A line for the log; a warning tells what keeps the player from playing its best.

    A line for experts in search and networks is shown to those who ask for it by `--verbose`.
    """

    text: str
    warning: bool = False
    expert: bool = False


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The engine has received the GoTo to `step`."""

    step: int
    ticket: int = 0  # of the GoTo


@dataclass(frozen=True, slots=True)
class Position:
    """What holds at a step: our legal moves, the end, and at the end the goals by role (None: undefined)."""

    step: int
    legal: tuple[str, ...]  # at most MOST_TOLD
    terminal: bool
    goals: tuple[int | None, ...] = ()
    complete: bool = True  # there are no other legal moves
    fits: tuple[int, ...] = (0,)  # the histories of the GoTo that fit the rules best; the first is where this holds
    ticket: int = 0  # of the GoTo


@dataclass(frozen=True, slots=True)
class StateFacts:
    """What is true after the first `step` joint moves, of which `last` is the last; for the record of a match."""

    step: int
    last: Joint
    facts: tuple[str, ...]  # sorted


@dataclass(frozen=True, slots=True)
class NoStates:
    """No states will be told any more, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The best move at a step so far, and what led to it."""

    step: int
    move: str
    playouts: int = 0  # since the position was reached
    value: float | None = None  # expected goal of our role, or relative goal, 0 … 100; None while nothing is known
    line: tuple[Joint, ...] = ()  # the expected joint moves from here
    machine: str = ""  # what played the games, such as "network"; empty if nothing did
    final: bool = False  # further thinking will not change the move
    proven: bool = False  # whether `value` is the goal that perfect play leads to
    others: float | None = None  # what all other moves are proven to get at most, where that settles the choice
    turns_left: int | None = None  # until the game is over, where `line` goes on to its end
    candidates: tuple[Candidate, ...] = ()  # moves of the roles that have a choice, most visited first
    values: tuple[float | None, ...] = ()  # expected goal of each role; empty while nothing is known
    ticket: int = 0  # of the GoTo


Command: TypeAlias = Begin | StandBy | Think | GoTo | Rest
Event: TypeAlias = (
    Started
    | RulesRead
    | Refused
    | NetworkReady
    | NoNetwork
    | Ready
    | LogMessage
    | Acknowledged
    | Position
    | StateFacts
    | NoStates
    | SearchReport
)

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (*get_args(Command), *get_args(Event))}


def encode(message: Command | Event) -> bytes:
    """The message as one line, with its line end."""
    return json.dumps({"is": type(message).__name__, **dataclasses.asdict(message)}).encode() + b"\n"


def decode(line: bytes) -> Any:
    """The message in a line that `encode` wrote; raises `WireError`."""
    try:
        fields = json.loads(line)
        kind = _KINDS[fields.pop("is")]
        return kind(**{name: _frozen(value) for name, value in fields.items()})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WireError(f"not a message on the pipe: {line[:80]!r}") from error


def _frozen(value: Any) -> Any:
    """Lists, as JSON has them, to tuples; messages nest them two deep."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
