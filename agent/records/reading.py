"""Reads match records of several makes, and what is left of damaged ones.

Those are ggp-base's JSON, Dresden's XML, our pages, and notations of games that people write.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens import games
from ludens.agent.records.dresden import read_dresden
from ludens.agent.records.kinds import is_thought
from ludens.agent.records.record import MatchRecord, RecordError, from_json
from ludens.agent.records.salvage import salvage
from ludens.games.recognised_game import Notation
from ludens.games.registry import notation_of_file

PAGE_DATA = '<script type="application/json" id="replay">'
"""What stands in our pages before the data that they show."""

_LEAST: dict[str, Any] = {
    "matchId": "",
    "randomToken": "",
    "startTime": 0,
    "isCompleted": False,
    "states": [],
    "moves": [],
    "stateTimes": [],
    "startClock": 0,
    "playClock": 0,
}


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record, and what is wrong with the file it was read from."""

    record: MatchRecord
    roles: tuple[str, ...] = ()  # as far as the file names them
    notice: str = ""  # empty: nothing


def read_text(path: Path) -> str:
    """Returns the text of a file, in whatever of the usual encodings; raises `RecordError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.end == len(content):  # cut in the middle of a letter
            return content[: error.start].decode("utf-8-sig")
        return content.decode("latin-1")


def read_record(text: str) -> FoundRecord:
    """Returns the record in a text, whichever make it is of; raises `RecordError`."""
    start = text.lstrip()[:200].lower()
    if not start:
        raise RecordError("the file is empty")
    if PAGE_DATA in text:
        return _from_page(text)
    if start.startswith(("<!doctype html", "<html")):
        raise RecordError("this page holds no match: it is none of ours, or it is cut before the match begins")
    if start.startswith("<"):
        found = read_dresden(text)
        notice = f"the record breaks off ({found.cut}): what comes before is shown" if found.cut else ""
        return FoundRecord(found.record, found.roles, notice)
    if start.startswith("{"):
        return _from_json(text)
    raise RecordError("not a match record: neither ggp-base's JSON, Dresden's XML, PDN nor a page of ours")


def written_notation(text: str, name: str) -> Notation | None:
    """Returns the notation of a game that a text is in by the name of its file; None for records of other makes.

    JSON is JSON whatever its file is called; a comment in braces may begin like it, but for a quotation mark.
    """
    return None if re.match(r'\s*{\s*"', text) else notation_of_file(name)


def read_written(text: str, name: str) -> FoundRecord | None:
    """Returns the match in a file with this name, in the notation of its game, by the built-in rules of that game.

    None if there is no notation that can be read without recognising its game. Raises `LudensError`.
    """
    notation = written_notation(text, name)
    if notation is None or notation.usual_match is None:
        return None
    match = notation.usual_match(text)
    players = [name or "someone" for name in match.players]
    moves, rules = [list(joint) for joint in match.moves], games.read(match.game)
    record = MatchRecord("", "", 0, 0, 0, players, scrambled=False, moves=moves, game=match.game, rules=rules)
    return FoundRecord(record, notice=match.notice)


def _from_page(text: str) -> FoundRecord:
    data = text.split(PAGE_DATA, 1)[1].split("</script>", 1)
    whole = len(data) == 2
    fields, notice = _parsed(data[0] if whole else data[0].rstrip())
    record = fields.get("record")
    if not isinstance(record, dict):
        raise RecordError("this page is cut before its match begins")
    match fields.get("view"):
        case {"roles": [*roles]}:
            return FoundRecord(_record(record, bool(notice)), tuple(map(str, roles)), notice)
    return FoundRecord(_record(record, bool(notice)), (), notice)


def _from_json(text: str) -> FoundRecord:
    fields, notice = _parsed(text)
    return FoundRecord(_record(fields, bool(notice)), (), notice)


def _parsed(text: str) -> tuple[dict[str, Any], str]:
    """Returns an object of JSON, or what there is of it and what is wrong."""
    try:
        fields, notice = _loaded(text)
    except RecursionError:
        raise RecordError("not a match record: its JSON is nested too deeply") from None
    except ValueError as error:
        raise RecordError(f"not a match record: {error}") from error
    if not isinstance(fields, dict):
        raise RecordError("not a match record: its JSON is no object")
    return fields, notice


def _loaded(text: str) -> tuple[Any, str]:
    """Returns what JSON says up to its first mistake, and where that is; raises `ValueError` if that is nothing."""
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        notice = f"the record breaks off in line {error.lineno}: what comes before is shown"
        return salvage(text[: error.pos]), notice


def _record(fields: dict[str, Any], cut: bool) -> MatchRecord:
    """Returns a record; one that is cut may lack any field."""
    if not cut:
        return from_json(fields)
    if not fields.keys() & {"matchId", "states", "moves"}:
        raise RecordError("not a match record, or it is cut before the match begins")
    match fields.get("thoughts"):
        case [*_, [*_, last] as thoughts] if not is_thought(last):  # the cut went through it
            thoughts.pop()
    record = from_json(_LEAST | fields)
    record.completed = record.completed and bool(record.goals)
    record.moves = [joint for joint in record.moves if re.search(r"\S", " ".join(map(str, joint)))]
    width = max(map(len, record.moves), default=0)
    while record.moves and len(record.moves[-1]) < width:  # the cut went through it
        record.moves.pop()
    return record
