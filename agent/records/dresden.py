"""Reads the match records of Dresden's GameController: XML, one file for each state, each with all moves before it.

A file has one state, the last; `rules` are needed for the others. Names are in capitals there, whatever the rules have.

Source of the names of elements: `XMLGameStateWriter` in GameController.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from ludens.agent.records.record import Ending, MatchRecord, RecordError
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import Expression, parse_expressions

_PIECE = 65_536  # characters, as which a text is fed to the parser


@dataclass(frozen=True, slots=True)
class DresdenMatch:
    """What a file says of a match."""

    record: MatchRecord
    roles: tuple[str, ...]
    cut: str = ""  # where the text breaks off, if it does


def read_dresden(text: str) -> DresdenMatch:
    """Returns the match in a text, or what there is of it; raises `RecordError` if the text is no such record."""
    if re.search(r"<!ENTITY", text, re.IGNORECASE):
        raise RecordError("not a match record: no record declares XML entities")
    elements, cut = _elements(text)
    if not any(element.tag in ("match-id", "role", "step") for element in elements):
        raise RecordError(f"not a match record of Dresden's GameController{f': {cut}' if cut else ''}")
    players, rewards = ([_text(element) for element in elements if element.tag == tag] for tag in ("player", "reward"))
    roles = tuple(_lowered(_text(element)) for element in elements if element.tag == "role")
    moves = [_moves(step) for step in elements if step.tag == "step"]
    whole = [joint for joint in moves if len(joint) == len(roles)] if roles else moves
    goals = [int(reward) for reward in rewards if reward.isdecimal()]
    over = len(goals) == len(roles) > 0
    record = MatchRecord(
        match_id=_first(elements, "match-id"),
        random_token="",
        start_time=_number(_first(elements, "timestamp")),
        start_clock=_number(_first(elements, "startclock")),
        play_clock=_number(_first(elements, "playclock")),
        players=players or [""] * len(roles),
        scrambled=False,
        completed=over,
        moves=whole,
        goals=goals if over else [],
        ending=Ending.TERMINAL if over else Ending.NONE,
        states=[] if whole or cut else [_facts(state) for state in elements if state.tag == "state"],
    )
    return DresdenMatch(record, roles, cut)


def _elements(text: str) -> tuple[list[ElementTree.Element], str]:
    """Returns all whole elements in the order of their ends, and what is wrong behind them."""
    parser: Any = ElementTree.XMLPullParser(["end"])
    found: list[ElementTree.Element] = []
    cut = ""
    content = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)  # the text is decoded already
    try:
        for start in range(0, len(content), _PIECE):
            parser.feed(content[start : start + _PIECE])
        parser.close()
    except ElementTree.ParseError as error:
        cut = str(error)
    try:
        found.extend(element for _, element in parser.read_events())
    except ElementTree.ParseError as error:
        cut = str(error)
    return found, cut


def _moves(step: ElementTree.Element) -> list[str]:
    return [_lowered(_text(move)) for move in step.iter("move")]


def _facts(state: ElementTree.Element) -> list[str]:
    return [_term(fact) for fact in state.findall("fact")]


def _term(element: ElementTree.Element) -> str:
    """Returns a fact or argument as a term: `prop-f` with arguments, or a word."""
    name = element.find("prop-f")
    if name is None:
        return _lowered(_text(element))
    arguments = [_term(argument) for argument in element.findall("arg")]
    words = [_lowered(_text(name)), *arguments]
    return f"({' '.join(words)})" if arguments else words[0]


def _first(elements: list[ElementTree.Element], tag: str) -> str:
    return next((_text(element) for element in elements if element.tag == tag), "")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _text(element: ElementTree.Element) -> str:
    return "".join(element.itertext()).strip()


def _lowered(text: str) -> str:
    """Returns a term as rule sheets usually write it: in small letters, with single blanks."""
    try:
        terms = parse_expressions(text.lower())
    except LudensError as error:
        raise RecordError(f"not a match record: {text!r} is no term") from error
    return " ".join(map(_spelled, terms))


def _spelled(term: Expression) -> str:
    return term if isinstance(term, str) else f"({' '.join(map(_spelled, term))})"
