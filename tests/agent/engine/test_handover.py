"""Who leads and who speaks while a faster machine takes over: nobody's better founded move is lost."""

from __future__ import annotations

import io
import threading
from functools import partial

import pytest

from ludens.agent.engine.engine import Engine
from ludens.agent.engine.handover import AgentHandover
from ludens.agent.engine.match_agent import KnownPlan, MatchAgent, SearchAgent
from ludens.agent.protocol.wire import GoTo, History, Joint, Position, SearchReport
from ludens.agent.settings.options import PlayerOptions
from tests.support.waiting import until


class Dummy(MatchAgent):
    """An agent of a given rank that knows as much as it is told to."""

    def __init__(self, rank: int, weight: int = 0) -> None:
        self.rank = rank
        self.weight = weight
        self.target = GoTo(())
        self.interrupted = False
        self.report: SearchReport | None = None

    def go_to(self, history: History) -> Position:
        self.target = GoTo(history)
        return Position(len(history), ("a", "b"), False)

    def illegal_moves(self, history: History, moves: Joint) -> int:
        return 0

    def known(self) -> SearchReport | None:
        return self.report

    def interrupt(self) -> None:
        self.interrupted = True


def handed_over(known: int, learnt: int) -> tuple[AgentHandover, Dummy, Dummy]:
    """An old agent with `known` visits, and a new one that has taken over and has `learnt` as many by itself."""
    agents, old, new = AgentHandover(), Dummy(1, known), Dummy(2)
    assert agents.enter(old)
    assert agents.enter(new)
    new.weight = learnt
    return agents, old, new


def test_the_first_mind_leads_and_speaks() -> None:
    agents, only = AgentHandover(), Dummy(1)
    assert agents.enter(only)
    assert agents.leader is only
    assert agents.reports(only)


def test_a_new_mind_leads_at_once_and_the_old_one_stops_searching() -> None:
    agents, old, new = handed_over(1000, 0)
    assert agents.leader is new
    assert old.interrupted


@pytest.mark.parametrize(("known", "learnt", "new_reports"), [(1000, 999, False), (1000, 1000, True), (0, 0, True)])
def test_of_two_minds_at_one_position_the_better_founded_speaks(known: int, learnt: int, new_reports: bool) -> None:
    agents, old, new = handed_over(known, learnt)
    assert agents.reports(new) is new_reports
    assert agents.reports(old) is not new_reports


def test_a_mind_speaks_where_the_other_has_not_arrived() -> None:
    agents, old, new = handed_over(1000, 0)
    new.go_to((("a",),))
    assert agents.reports(new)
    old.go_to((("a",),))
    assert not agents.reports(new)
    assert agents.reports(old)


def test_at_the_next_position_whatever_the_leader_has_found_counts() -> None:
    agents, old, new = handed_over(1000, 0)
    for agent in (old, new):
        agent.go_to((("a",),))
    assert agents.reports(old)
    new.weight = 1
    assert agents.reports(new)
    agents.retire()
    assert old not in agents


def test_who_led_for_a_moment_does_not_take_the_place_of_the_old_mind() -> None:
    agents, old, brief = handed_over(1000, 10)
    last = Dummy(3)
    assert agents.enter(last)
    assert brief not in agents
    assert brief.interrupted
    assert agents.reports(old)


def test_who_led_for_long_does() -> None:
    agents, old, long = handed_over(1000, 2000)
    assert agents.enter(Dummy(3))
    assert old not in agents
    assert agents.reports(long)


def test_at_the_next_position_a_proof_still_counts_for_more() -> None:
    agents, old, new = handed_over(1000, 0)
    old.report = SearchReport(1, "a", final=True)
    for agent in (old, new):
        agent.go_to((("a",),))
    new.weight = 1
    assert agents.reports(old)


def test_the_old_mind_goes_when_it_has_been_outdone_and_not_before() -> None:
    agents, old, new = handed_over(1000, 999)
    agents.retire()
    assert old in agents
    new.weight = 1000
    agents.retire()
    assert old not in agents
    assert new in agents
    assert not agents.reports(old)


def test_the_old_mind_stays_while_it_is_at_another_position() -> None:
    agents, old, new = handed_over(10, 1000)
    new.go_to((("a",),))
    agents.retire()
    assert old in agents


def test_a_better_plan_counts_for_more_than_visits() -> None:
    agents, old, new = handed_over(1000, 2000)
    old.plan, new.plan = KnownPlan(80), KnownPlan(20)
    assert agents.reports(old)
    assert not agents.reports(new)
    agents.retire()
    assert old in agents
    new.weight, new.plan = 1, KnownPlan(90)
    assert agents.reports(new)
    agents.retire()
    assert old not in agents


def test_at_the_next_position_a_better_plan_still_counts_for_more() -> None:
    agents, old, new = handed_over(1000, 0)
    old.plan = KnownPlan(80)
    for agent in (old, new):
        agent.go_to((("a",),))
    new.weight = 1
    assert agents.reports(old)
    new.plan = KnownPlan(80)
    assert agents.reports(new)


def test_the_leader_is_offered_a_better_plan_once_at_each_position() -> None:
    agents, old, new = handed_over(1000, 0)
    assert agents.new_offer(new) is None
    old.plan = KnownPlan(80, (("a",), ("b",)))
    assert agents.new_offer(old) is None
    assert agents.new_offer(new) == old.plan
    assert agents.new_offer(new) is None
    new.go_to((("a",),))
    assert agents.new_offer(new) is None
    old.go_to((("a",),))
    assert agents.new_offer(new) == old.plan
    new.plan = old.plan
    old.plan = KnownPlan(60)
    assert agents.new_offer(new) is None


def test_who_takes_over_next_is_offered_the_plan_too() -> None:
    agents, old, new = handed_over(1000, 0)
    old.plan = KnownPlan(80, (("a",),))
    assert agents.new_offer(new) == old.plan
    next_one = Dummy(new.rank + 1)
    agents.enter(next_one)
    assert agents.new_offer(next_one) == old.plan


def test_an_engine_lets_the_leader_have_the_plan_before_it_thinks() -> None:
    class Planner(Dummy, SearchAgent):
        can_search = True
        taken: KnownPlan | None = None

        def take_plan(self, plan: KnownPlan) -> None:
            self.taken = plan

        def think(self, seconds: float) -> SearchReport:
            self.can_search = self.taken is None
            return SearchReport(0, "a")

    it, old, new = Engine(PlayerOptions(), io.BytesIO()), Dummy(1, 1000), Planner(2)
    old.plan = KnownPlan(80, (("a",),))
    for agent in (old, new):
        threading.Thread(target=it._enter, args=(agent,), daemon=True).start()
        until(partial(it._agents.__contains__, agent))
    until(lambda: new.taken == old.plan)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_mind_that_is_no_faster_does_not_take_over(rank: int) -> None:
    agents, leader = AgentHandover(), Dummy(2)
    assert agents.enter(leader)
    late = Dummy(rank)
    assert not agents.enter(late)
    assert agents.leader is leader
    assert late not in agents
    assert not agents.reports(late)


def test_a_leader_that_gives_up_makes_room_for_any_other() -> None:
    agents, leader, last = AgentHandover(), Dummy(1), Dummy(0)
    assert agents.enter(leader)
    agents.leave(leader)
    assert agents.enter(last)
    assert agents.reports(last)
