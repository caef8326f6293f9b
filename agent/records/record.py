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
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ludens.agent.settings.strategies import HUMAN
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.whole_file import replace_file
from ludens.propnet.gdl.parser import Expression, parse_expressions

MISSING_GOAL = 50
"""What counts as the goal of a role whom the rules give none at the end, or several."""


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


_NAMES = {  # ggp-base's names of the fields
    "matchId": "match_id",
    "randomToken": "random_token",
    "startTime": "start_time",
    "gameMetaURL": "game_url",
    "isCompleted": "completed",
    "isAborted": "aborted",
    "gameName": "game",  # this and other fields are our own, which ggp-base's tools pass over
    "rules": "rules",  # before moves and states: so what a cut leaves of a record can still be replayed
    "moves": "moves",
    "states": "states",
    "stateTimes": "state_times",
    "errors": "errors",
    "previewClock": "preview_clock",
    "startClock": "start_clock",
    "playClock": "play_clock",
    "playerNamesFromHost": "players",
    "scrambled": "scrambled",
    "goalValues": "goals",
    "tournamentNameFromHost": "tournament",
    "ending": "ending",
    "seed": "seed",
    "maxTurns": "max_turns",
    "warnings": "warnings",
    "thoughts": "thoughts",
}
_OPTIONAL = {
    *("goalValues", "tournamentNameFromHost", "ending", "seed", "maxTurns", "warnings"),
    *("gameName", "rules", "thoughts"),
}


def now() -> int:
    """Returns the time as records have it."""
    return time.time_ns() // 1_000_000


def to_json(record: MatchRecord) -> dict[str, Any]:
    """Returns the record as ggp-base writes it, without optional fields while there is nothing in them."""
    found = {name: getattr(record, field) for name, field in _NAMES.items()}
    found["states"] = [f"( {' '.join(facts)} )" for facts in record.states]
    found["isPlayerHuman"] = [player == HUMAN for player in record.players]
    return {name: value for name, value in found.items() if value or name not in _OPTIONAL}


def from_json(fields: dict[str, Any]) -> MatchRecord:
    """Returns the record that `to_json` wrote; raises `RecordError` when a field is missing or a state is malformed."""
    unsaid = {
        "errors": [],
        "gameMetaURL": "",
        "playerNamesFromHost": [],
    }  # ggp-base leaves them out where there are none
    fields = unsaid | fields
    try:
        found = {field: fields[name] for name, field in _NAMES.items() if name in fields or name not in _OPTIONAL}
        if any(not isinstance(found[field], list) for field in ("moves", "state_times", "errors", "players")):
            raise TypeError("moves, times, errors and players are lists")
        if not all(map(_are_texts, found["moves"])) or not _are_texts(found["players"]):
            raise TypeError("moves and names of players are texts")
        if not _are_thoughts(found.get("thoughts", [])):
            raise TypeError("thoughts are lists of objects, each with the number of its role")
        return MatchRecord(**found | {"states": [_state_facts(text) for text in fields["states"]]})
    except (KeyError, TypeError, AttributeError, LudensError) as error:
        raise RecordError(f"not a match record: {error!r}") from error


def check_folder(folder: Path) -> None:
    """Makes a folder for records unless it is there; raises RecordError if none can be written to it."""
    draft = folder / f".{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise RecordError(f"cannot write records to {folder}: {error.strerror}") from error


def check_writable(path: Path) -> None:
    """Makes the folder of a record unless it is there; raises RecordError if none can be written at `path`."""
    if path.is_dir():
        raise RecordError(f"cannot write {path}: it is a folder")
    check_folder(path.parent)


def write(record: MatchRecord, path: Path) -> None:
    """Writes the record in ggp-base's JSON; see `write_text`."""
    write_text(json.dumps(to_json(record), indent=1), path)


def write_text(text: str, path: Path) -> None:
    """Writes a file so that readers see the old one or the whole new one, never a part; raises RecordError."""
    try:
        replace_file(path, text.encode())
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


def _are_thoughts(value: Any) -> bool:
    """Says whether a value of JSON is a list of lists of thoughts."""
    if not isinstance(value, list) or not all(isinstance(thoughts, list) for thoughts in value):
        return False
    return all(_is_thought(thought) for thoughts in value for thought in thoughts)


def _is_thought(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("role"), int):
        return False
    candidates, line = value.get("candidates", []), value.get("line", [])
    if not isinstance(candidates, list) or not isinstance(line, list) or not all(map(_are_texts, line)):
        return False
    return all(isinstance(one, dict) and isinstance(one.get("move"), str) for one in candidates)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _state_facts(text: str) -> list[str]:
    """Returns the facts of a state's text, whatever white space stands between the symbols."""
    return [_fact_text(fact) for state in parse_expressions(text) for fact in state]


def _fact_text(fact: Expression) -> str:
    return fact if isinstance(fact, str) else f"({' '.join(map(_fact_text, fact))})"


def error_marks(errors: Sequence[Any], roles: int) -> list[list[str]]:
    """Returns what went wrong at each turn, for each role, of a record that may break off or hold something else."""
    turns = [[str(mark or "") for mark in turn[:roles]] if isinstance(turn, list) else [] for turn in errors]
    return [turn + [""] * (roles - len(turn)) for turn in turns]
