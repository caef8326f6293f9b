"""Records of matches in ggp-base's JSON, so that its tools can read and replay our matches.

Facts and moves are texts in the spelling of the unscrambled rule sheet, as ggp-base keeps them. Times are
milliseconds since 1970, clocks are seconds. A record may hold the rules, so that it can be replayed by itself, and what
players thought of each position: objects as `protocol/thoughts.py` describes them, of each role at most one a position.

Source of the field names: `Match.toJSON` in ggp-base.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ludens.agent.records.kinds import FLAG, JOINT_MOVES, LIST, NUMBER, NUMBERS, TEXT, TEXTS, THOUGHTS, WHOLE, WHOLES
from ludens.agent.settings.strategies import HUMAN
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.owned_files import make_folder
from ludens.propnet.base.whole_file import check_replaceable, replace_file
from ludens.propnet.gdl.parser import Expression, parse_expressions

MISSING_GOAL = 50
"""What counts as the goal of a role whom the rules give none at the end, or several."""

TIMED_OUT, UNREACHABLE, ILLEGAL = "TO", "CE", "IL"
"""What error marks begin with: no answer came in time, the player could not be asked, or it named no legal move."""


class RecordError(LudensError):
    """A match record that cannot be read or written."""


class Ending(StrEnum):
    """How a match ended; the texts stand in records."""

    NONE = ""  # it goes on, or nobody knows
    TERMINAL = "terminal state"
    TURN_LIMIT = "turn limit"
    INTERRUPTED = "interrupted"
    REFUSED = "a player refused to play"
    RULES = "a role had no legal move"
    FAILED = "the match could not go on"  # warnings say why


@dataclass(slots=True)
class MatchRecord:
    """One match as it happened; lists grow by one entry a turn."""

    match_id: str
    random_token: str
    start_time: int
    start_clock: float
    play_clock: float
    players: list[str]
    scrambled: bool
    game_url: str = ""
    preview_clock: int = -1
    tournament: str = ""
    completed: bool = False
    aborted: bool = False
    states: list[list[str]] = field(default_factory=list)  # one more than moves: the first state comes first
    moves: list[list[str]] = field(default_factory=list)  # joint moves, in role order
    state_times: list[int] = field(default_factory=list)  # one for each state
    errors: list[list[str]] = field(default_factory=list)  # START first; in role order, "" for none
    goals: list[int] = field(default_factory=list)  # empty until the match is completed
    ending: str = Ending.NONE
    seed: int = 0  # from which our own players' seeds and all replacements of moves follow
    max_turns: int = 0  # after which the match would be, or has been, stopped; 0: never
    warnings: list[str] = field(default_factory=list)  # what kept players of ours from playing their best, and the like
    remarks: list[str] = field(default_factory=list)  # what our players said of how they play, and why
    game: str = ""  # its name, if it is known
    rules: str = ""  # the rule sheet, in the words of facts and moves
    thoughts: list[list[dict[str, Any]]] = field(default_factory=list)  # of each position, as far as any are known

    def note_thought(self, step: int, thought: dict[str, Any]) -> None:
        """Notes what a role's player thinks of the position after `step` turns, in place of what it thought before."""
        self.thoughts.extend([] for _ in range(len(self.thoughts), step + 1))
        others = [other for other in self.thoughts[step] if other["role"] != thought["role"]]
        self.thoughts[step] = sorted([*others, thought], key=lambda one: int(one["role"]))

    @property
    def error_count(self) -> int:
        """The number of times that a player did not answer, or answered wrongly."""
        return sum(1 for turn in self.errors for error in turn if error)


_FIELDS = {  # ggp-base's names of the fields, ours, and what they hold
    "matchId": ("match_id", TEXT),
    "randomToken": ("random_token", TEXT),
    "startTime": ("start_time", NUMBER),
    "gameMetaURL": ("game_url", TEXT),
    "isCompleted": ("completed", FLAG),
    "isAborted": ("aborted", FLAG),
    "gameName": ("game", TEXT),  # this and other fields are our own, which ggp-base's tools pass over
    "rules": ("rules", TEXT),  # before moves and states: so what a cut leaves of a record can still be replayed
    "moves": ("moves", JOINT_MOVES),
    "states": ("states", TEXTS),
    "stateTimes": ("state_times", NUMBERS),
    "errors": ("errors", LIST),
    "previewClock": ("preview_clock", NUMBER),
    "startClock": ("start_clock", NUMBER),
    "playClock": ("play_clock", NUMBER),
    "playerNamesFromHost": ("players", TEXTS),
    "scrambled": ("scrambled", FLAG),
    "goalValues": ("goals", WHOLES),
    "tournamentNameFromHost": ("tournament", TEXT),
    "ending": ("ending", TEXT),
    "seed": ("seed", WHOLE),
    "maxTurns": ("max_turns", WHOLE),
    "warnings": ("warnings", TEXTS),
    "remarks": ("remarks", TEXTS),
    "thoughts": ("thoughts", THOUGHTS),
}
_OPTIONAL = {
    *("goalValues", "tournamentNameFromHost", "ending", "seed", "maxTurns", "warnings", "remarks"),
    *("gameName", "rules", "thoughts"),
}  # not written while there is nothing in them
_NEEDED = (
    *("matchId", "randomToken", "startTime", "isCompleted", "moves", "states", "stateTimes"),
    *("startClock", "playClock"),
)  # by ggp-base too


def now() -> int:
    """Returns the time as records have it."""
    return time.time_ns() // 1_000_000


def to_json(record: MatchRecord) -> dict[str, Any]:
    """Returns the record as ggp-base writes it, without optional fields while there is nothing in them."""
    found = {name: getattr(record, field) for name, (field, _) in _FIELDS.items()}
    found["states"] = [f"( {' '.join(facts)} )" for facts in record.states]
    found["isPlayerHuman"] = [player == HUMAN for player in record.players]
    return {name: value for name, value in found.items() if value or name not in _OPTIONAL}


def from_json(fields: Mapping[str, Any]) -> MatchRecord:
    """Returns the record in ggp-base's JSON, where null counts as missing; raises `RecordError` for what is none."""
    said = {name: value for name, value in fields.items() if name in _FIELDS and value is not None}
    if missing := [name for name in _NEEDED if name not in said]:
        raise RecordError(f"not a match record: it lacks {missing[0]}")
    for name, value in said.items():
        kind = _FIELDS[name][1]
        if not kind.has(value):
            raise RecordError(f"not a match record: its {name} must be {kind.name}")
    found: dict[str, Any] = {"players": [], "scrambled": False}
    found |= {_FIELDS[name][0]: value for name, value in said.items()}
    try:
        found["states"] = list(map(_state_facts, said["states"]))
    except LudensError as error:
        raise RecordError(f"not a match record: {error}") from error
    return MatchRecord(**found)


def check_folder(folder: Path) -> None:
    """Makes a folder for records unless it is there; raises RecordError if none can be written to it."""
    draft = folder / f".{os.getpid()}"
    try:
        make_folder(folder)
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise RecordError(f"cannot write records to {folder}: {error.strerror}") from error


def check_writable(path: Path) -> None:
    """Makes the folder of a record unless it is there; raises RecordError if none can be written at `path`."""
    try:
        check_replaceable(path)
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror}") from error
    check_folder((Path(os.path.realpath(path)) if path.is_symlink() else path).parent)


def write(record: MatchRecord, path: Path) -> None:
    """Writes the record in ggp-base's JSON; see `write_text`."""
    write_text(json.dumps(to_json(record), indent=1), path)


def write_text(text: str, path: Path) -> None:
    """Writes a file so that readers see the old one or the whole new one, never a part; raises RecordError."""
    try:
        replace_file(path, text.encode(errors="replace"))  # JSON may hold what no encoding has
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror}") from error


def read(path: Path) -> MatchRecord:
    """Reads what `write` wrote; raises `RecordError`."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise RecordError(f"{path} is not JSON: {error}") from error
    except RecursionError:
        raise RecordError(f"{path} is not a match record: its JSON is nested too deeply") from None
    if not isinstance(fields, dict):
        raise RecordError(f"{path} is not a match record")
    return from_json(fields)


def _state_facts(text: str) -> list[str]:
    """Returns the facts of a state's text, whatever white space stands between the symbols."""
    return [_fact_text(fact) for state in parse_expressions(text) for fact in state]


def _fact_text(fact: Expression) -> str:
    return fact if isinstance(fact, str) else f"({' '.join(map(_fact_text, fact))})"


def counted_goals(goals: Iterable[int | None]) -> list[int]:
    """Returns goals as they count at the end of a match."""
    return [MISSING_GOAL if goal is None else goal for goal in goals]


def illegal_mark(answer: str) -> str:
    """Returns the error mark for an answer that is no legal move."""
    return f"{ILLEGAL} {answer}"


def error_marks(errors: Sequence[Any], roles: int) -> list[list[str]]:
    """Returns what went wrong at each turn, for each role, of a record that may break off or hold something else."""
    turns = [[str(mark or "") for mark in turn[:roles]] if isinstance(turn, list) else [] for turn in errors]
    return [turn + [""] * (roles - len(turn)) for turn in turns]
