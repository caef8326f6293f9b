"""What the agent for puzzles makes of what its planners prove."""

from __future__ import annotations

import math
import time

import pytest

from ludens.agent.engine import puzzle_agent
from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.waiting import PATIENCE

# Every one of 30 moves is remembered. For 100, all would have to be `one`, and none ever have been.
IMPOSSIBLE = f"""
(role r) (init (at 0)) (legal r one) (legal r two)
{" ".join(f"(follows {n} {n + 1})" for n in range(30))}
(<= (next (at ?n)) (true (at ?m)) (follows ?m ?n))
(<= (next (set ?n ?c)) (does r ?c) (true (at ?n)))
(<= (next (set ?n ?c)) (true (set ?n ?c)))
(<= (next one_made) (does r one))
(<= (next one_made) (true one_made))
(<= open (not (true one_made)) {" ".join(f"(true (set {n} one))" for n in range(30))})
(<= terminal (true (at 30)))
(<= (goal r 100) open)
(<= (goal r 50) (not open))
"""


class FakePlanning:
    """A planner that has refuted every goal above 50 by the time that it is cancelled."""

    begun: list[float]  # what was known of the best goal when each began

    def __init__(self, _net: object, _state: object, _limits: object, most: float) -> None:
        self.found = None
        self.most = 50
        self.begun.append(most)

    def cancel(self) -> None:
        """Needs to do nothing."""


def test_a_goal_that_was_refuted_is_not_tried_again_behind_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePlanning, "begun", [], raising=False)
    monkeypatch.setattr(puzzle_agent, "Planning", FakePlanning)
    net = load(parse_rules(IMPOSSIBLE))
    options = PlayerOptions(seed=1, threads=1, factored="off", nodes_mb=64)
    agent = prepared_agent(net, prepare(net, options, TimeBudget(0.0, 1.0)), None, "r", options, lambda _text: None)
    for history in ((), (("one",),), (("one",), ("two",)), (("two",),)):  # the last one by another move
        agent.go_to(history)
    assert FakePlanning.begun == [math.inf, 50, 50, math.inf]


def test_a_planner_settles_that_nothing_earns_more_than_its_plan() -> None:
    net = load(parse_rules(IMPOSSIBLE))
    options = PlayerOptions(seed=1, threads=1, factored="off", nodes_mb=64)
    agent = prepared_agent(net, prepare(net, options, TimeBudget(0.0, 1.0)), None, "r", options, lambda _text: None)
    agent.go_to(())
    report, begun = agent.think(0.1), time.monotonic()
    while agent.can_search and time.monotonic() < begun + PATIENCE:
        report = agent.think(0.1)
    assert report.final
    assert report.value == 50
    assert not report.proven  # the search, which would have to try 2^30 ways, does not know
    history: tuple[tuple[str, ...], ...] = ()
    for joint in agent.plan.moves[:3]:  # nor need it be proven again
        history = (*history, joint)
        agent.go_to(history)
        known = agent.known()
        assert not agent.can_search and known is not None and (known.final, known.value) == (True, 50)
