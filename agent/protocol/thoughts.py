"""What a player thinks of a position, as pages and match records have it: one JSON object.

`role` is whose player it is, by number. `move` is the best move so far, `playouts` the games that led to it, `value`
the expected goal of the role (0 to 100, or the relative goal if it plays for that; null while nothing is known), and
`proven` says whether perfect play leads to it. `candidates` are moves of any role that has a choice, most visited
first, and `line` the joint moves that are expected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NotRequired, TypedDict

from ludens.agent.protocol.wire import SearchReport

_MOST_CANDIDATES = 10
_MOST_OF_LINE = 12


class CandidateThought(TypedDict):
    """A move that is considered."""

    role: int
    move: str
    visits: int
    value: float | None  # the expected goal of its role
    proven: bool


class Thought(TypedDict):
    """What a player thinks of a position."""

    role: int
    move: str
    playouts: int
    value: float | None
    proven: bool
    candidates: list[CandidateThought]
    line: list[list[str]]
    values: NotRequired[list[float | None]]  # the expected goal of each role


def thought(report: SearchReport, role: int, rename: Callable[[str], str] = str) -> Thought:
    """Returns what a report of the player of a role says, each move renamed, as where the rules were scrambled."""
    told = Thought(
        role=role,
        move=rename(report.move),
        playouts=report.playouts,
        value=_rounded(report.value),
        proven=report.proven,
        candidates=[
            CandidateThought(role=mover, move=rename(move), visits=visits, value=_rounded(value), proven=proven)
            for mover, move, visits, value, proven in report.candidates[:_MOST_CANDIDATES]
        ],
        line=[list(map(rename, joint)) for joint in report.line[:_MOST_OF_LINE]],
    )
    if report.values:
        told["values"] = list(map(_rounded, report.values))
    return told


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
