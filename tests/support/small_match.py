"""A match at the page of a small game without rules: two roles move in turn, and the fourth move ends it."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens.agent.manager.referee import MatchState
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.seats import read_seats
from ludens.agent.play.tree import MatchTree

LENGTH = 4
PASS = "noop"


def position(
    history: tuple[tuple[str, ...], ...], together: bool = False, forced: Collection[int] = (), waits: str = PASS
) -> tuple[MatchState, dict[str, Any]]:
    """The position after a history in a `small_game`, and whose turn it is as a page is told."""
    step = len(history)
    if step >= LENGTH:
        return MatchState((), ((), ()), True, (100, 0)), {"turn": []}
    choice = (f"m{step}",) if step in forced else (f"m{step}", f"n{step}")
    turn = [0, 1] if together else [step % 2]
    legal = tuple(choice if role in turn else (waits,) for role in range(2))
    return MatchState((), legal, False, (0, 0)), {"turn": turn}


def small_game(together: bool = False, forced: Collection[int] = (), waits: str = PASS) -> Any:
    """The game as a match sees it: whose turn it is has two moves, or one at the `forced` steps; the other one `waits`.

    `together`: it is the turn of both at every step.
    """
    facts = {"name": "small", "text": "(rules)", "plain_rules": "(rules)", "key": "k", "roles": ("a", "b")}
    see = partial(position, together=together, forced=forced, waits=waits)
    return SimpleNamespace(position=see, warning="", **facts)


def small_tree() -> MatchTree:
    """The first position."""
    return MatchTree(*position(()))


def small_match(clock: Clock, *players: str, pace: Pace | None = None) -> PlayMatch:
    """A match that has begun."""
    seats = read_seats(players, ("a", "b"))
    match = PlayMatch(clock, "abc", small_game(), small_tree(), seats, pace or Pace(think=1))
    match.begin()
    return match


def at_once(_reactor: Any, work: Any, *arguments: Any) -> Deferred[Any]:
    """Stands in for a thread: works where it is called."""
    done: Deferred[Any] = Deferred()
    done.callback(work(*arguments))
    return done
