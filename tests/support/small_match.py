"""A match at the page of a small game without rules: two roles move in turn, and the fourth move ends it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens.agent.manager.referee import MatchState
from ludens.agent.play.match import Pace, PlayMatch
from ludens.agent.play.seats import read_seats
from ludens.agent.play.tree import MatchTree

LENGTH = 4
PASS = "noop"


def position(history: tuple[tuple[str, ...], ...], together: bool = False) -> tuple[MatchState, dict[str, Any]]:
    """The position after a history, and what it looks like; the role whose turn it is has two moves, or both have."""
    step = len(history)
    if step >= LENGTH:
        return MatchState((), ((), ()), True, (100, 0)), {}
    choice, waits = (f"m{step}", f"n{step}"), (PASS,)
    legal = (choice, choice) if together else (choice, waits) if step % 2 == 0 else (waits, choice)
    return MatchState((), legal, False, (0, 0)), {}


def small_game(together: bool = False) -> Any:
    """The game as a match sees it; `together`: both roles choose at every turn."""
    facts = {"name": "small", "text": "(rules)", "plain_rules": "(rules)", "key": "k", "roles": ("a", "b")}
    return SimpleNamespace(position=partial(position, together=together), warning="", **facts)


def small_tree() -> MatchTree:
    """The first position."""
    return MatchTree(*position(()))


def small_match(clock: Clock, *players: str) -> PlayMatch:
    """A match that has begun."""
    seats = read_seats(players, ("a", "b"))
    match = PlayMatch(clock, "abc", small_game(), small_tree(), seats, Pace(think=1), ignore, ignore)
    match.begin()
    return match


def ignore(*_: object) -> None:
    """Takes what nobody wants."""


def at_once(_reactor: Any, work: Any, *arguments: Any) -> Deferred[Any]:
    """Stands in for a thread: works where it is called."""
    done: Deferred[Any] = Deferred()
    done.callback(work(*arguments))
    return done
