"""Measures how a game goes by what its players expect: who leads, how often that changes, and when it is settled.

A role leads where it expects a goal that is higher than all others by a margin. The measures are means over games.

Source: C. Browne, "Automatic Generation and Evaluation of Recombination Games", thesis, Queensland University of
Technology, 2008: lead change, drama (how far the winner was behind), and decisiveness and uncertainty (how late it is
settled who wins). There the expectations are those of a search too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ludens.agent.analysis.balance import Goals, Share

_LEAD = 20.0  # points of a goal, by which a leader is ahead: 60 to 40
_NEAR = 25.0  # ... by which an expectation may be wrong that is called right

Expected: TypeAlias = Sequence[Sequence[float]]
"""The goal that each role expects, [steps][roles]; nothing before the first step at which somebody has thought."""


@dataclass(frozen=True, slots=True)
class GameCourse:
    """How one game went."""

    lead_changes: int  # from one role to another
    behind: float  # points by which the winner was behind at worst; 0 if never, or if nobody won
    settled: float  # share of its steps after which all expectations stayed near the goals, 0 … 1


@dataclass(frozen=True, slots=True)
class Course:
    """How several games went."""

    games: int
    lead_changes: float  # in a game
    comebacks: Share  # games that were won from behind
    drama: float  # points by which winners were behind at worst
    settled: tuple[float, ...]  # see `GameCourse`, of each game, the earliest first

    @property
    def mean_settled(self) -> float:
        """When games are settled, as a share of their steps."""
        return sum(self.settled) / self.games


def course_of(expected: Expected, goals: Goals) -> GameCourse:
    """Returns how a game went that ended with these goals."""
    leaders = [leader for values in expected if (leader := _leader(values)) is not None]
    changes = sum(before != after for before, after in pairwise(leaders))
    winner = _leader(goals)
    behind = 0.0 if winner is None else max((_behind(values, winner) for values in expected), default=0.0)
    return GameCourse(changes, behind if behind >= _LEAD else 0.0, _settled(expected, goals))


def summary(courses: Iterable[GameCourse]) -> Course | None:
    """Returns the means; None without games."""
    found = list(courses)
    if not found:
        return None
    games = len(found)
    return Course(
        games,
        sum(course.lead_changes for course in found) / games,
        Share(sum(course.behind > 0 for course in found), games),
        sum(course.behind for course in found) / games,
        tuple(sorted(course.settled for course in found)),
    )


def _leader(values: Sequence[float]) -> int | None:
    """Returns the role that expects most, by a margin."""
    best = max(range(len(values)), key=values.__getitem__)
    others = [value for role, value in enumerate(values) if role != best]
    return best if others and values[best] - max(others) >= _LEAD else None


def _behind(values: Sequence[float], role: int) -> float:
    return max(value for other, value in enumerate(values) if other != role) - values[role]


def _settled(expected: Expected, goals: Goals) -> float:
    """Returns the share of the steps after which the expectations are near the goals for good."""
    step = len(expected)
    while step and all(abs(value - goal) <= _NEAR for value, goal in zip(expected[step - 1], goals, strict=True)):
        step -= 1
    return step / len(expected) if expected else 0.0
