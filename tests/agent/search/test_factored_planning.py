"""Plans put together from factors, against a breadth-first search of the whole game on the interpreter."""

from __future__ import annotations

import heapq
import threading
from functools import cache
from typing import Any

import numpy as np
import pytest

from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search import factored_planning
from ludens.agent.search.factored_planning import FactoredPlanner, TooLargeError
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Game, Simulator, unpack_bits
from ludens.propnet.analysis.factors import factorise
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from tests.support.agreement import earned_by
from tests.support.factored_sheets import PUZZLES
from tests.support.waiting import until

SECONDS = 60.0


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(PUZZLES[name])


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


def planner(name: str) -> FactoredPlanner:
    net = network(name)
    return FactoredPlanner(net, factorise(net, SECONDS), net.initial)


def best_and_shortest(rules: Interpreter, start: State) -> tuple[int, int]:
    """The most that can be earned from a state."""
    role, best, seen, level, depth = rules.roles[0], (-1, 0), {start}, [start], 0
    while level:
        following = []
        for state in level:
            if rules.terminal(state):
                goal = rules.goals(state)[0]
                best = max(best, (-1 if goal is None else goal, -depth))
                continue
            for move in rules.legal(state, role):
                after = rules.next(state, [move])
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        level, depth = following, depth + 1
    return best[0], -best[1]


@pytest.mark.parametrize("name", PUZZLES)
def test_the_best_plan_is_found_and_plays_on_the_oracle(name: str) -> None:
    rules = Interpreter(sheet(name))
    most, shortest = best_and_shortest(rules, rules.initial())
    found = planner(name)
    found.run(SECONDS)
    assert found.done
    assert found.found is not None
    assert found.found.goal == earned_by(sheet(name), network(name), found.found.moves) == most
    assert len(found.found.moves) >= shortest


def test_what_cannot_be_earned_is_proven_so() -> None:
    found = planner("barred walkers")
    found.run(SECONDS)
    assert found.done
    assert found.found is not None
    assert found.found.goal == 40
    assert 100 in network("barred walkers").goal_value


@pytest.mark.parametrize("name", PUZZLES)
def test_plans_are_as_good_from_any_position(name: str) -> None:
    net, rules = network(name), Interpreter(sheet(name))
    game = Game.from_propnet(net)
    simulator = Simulator(game, 64, seed=4)
    for joint_moves in simulator.record(max_steps=3)[:6]:
        state = game.initial
        for joint in joint_moves:
            state = simulator.next(state, joint)[0]
        if simulator.terminal(state)[0]:
            continue
        bits = unpack_bits(state, net.state_bits)
        facts = frozenset({parse_term(net.propositions[p]) for p in np.flatnonzero(bits)})
        found = FactoredPlanner(net, factorise(net, SECONDS), bits)
        found.run(SECONDS)
        most, _ = best_and_shortest(rules, facts)
        assert (found.found.goal if found.found else -1) == most


def test_a_little_at_a_time_comes_to_the_same() -> None:
    found = planner("dials")
    rounds = 0
    while not found.done:
        found.run(1e-9)
        rounds += 1
        assert rounds < 10_000
    assert rounds > 2
    assert found.found is not None
    assert found.found.goal == 100


@pytest.mark.parametrize(("cap", "most"), [("_MOST_NODES", 3), ("_MOST_SUCCESSORS", 4), ("_MOST_POSITIONS", 12)])
def test_too_many_positions_are_refused(cap: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factored_planning, cap, most)
    with pytest.raises(TooLargeError):
        planner("dials").run(SECONDS)


def test_positions_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(factored_planning, "_MOST_SUCCESSORS", 0)
    monkeypatch.setattr(Simulator, "next", lambda _self, states, _moves: made.append(len(states)))
    with pytest.raises(TooLargeError):
        planner("dials").run(SECONDS)
    assert not made


def test_a_planner_stops_within_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def pop(queue: list[Any]) -> Any:
        opened.append(heapq.heappop(queue))
        return opened[-1]

    monkeypatch.setattr(factored_planning, "heappop", pop)
    found = planner("dials")
    rounds = 0
    while not found.done:
        found.run(1e-9)
        rounds += 1
    assert 1 < len(opened) < rounds


def test_other_threads_run_while_rows_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not always, as the system may let none of them run: it is tried until they did."""
    rows = np.random.default_rng(1).integers(0, 4, (200_000, 8)).astype(np.uint64)
    assert np.array_equal(factored_planning._distinct(rows), np.unique(rows, axis=0))
    sort, sorting, done, turns = np.lexsort, threading.Event(), threading.Event(), list[bool]()

    def noted_sort(keys: Any) -> Any:
        sorting.set()
        order = sort(keys)
        sorting.clear()
        return order

    def take_turns() -> None:
        while not done.wait(0.001):
            turns.append(sorting.is_set())

    def ran_meanwhile() -> bool:
        """More often than just before and just after."""
        turns.clear()
        factored_planning._distinct(rows)
        return sum(turns) > 4

    monkeypatch.setattr(np, "lexsort", noted_sort)
    other = threading.Thread(target=take_turns)
    other.start()
    try:
        until(ran_meanwhile)
    finally:
        done.set()
        other.join()


def test_a_puzzle_whose_factors_take_too_much_memory_is_planned_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_rows: object) -> None:
        raise MemoryError

    monkeypatch.setattr(factored_planning, "_distinct", fail)
    net, options, told = network("walkers"), PlayerOptions(seed=1, nodes_mb=64), list[str]()
    agent = prepared_agent(net, prepare(net, options, TimeBudget(SECONDS, 1.0)), None, "robot", options, told.append)
    agent.go_to(())
    while agent.can_search:
        report = agent.think(0.1)
    assert report.value == earned_best(Interpreter(sheet("walkers")))
    assert "as a whole" in told[0]
    assert "memory" in told[0]


@pytest.mark.parametrize("factored", ["on", "off"])
@pytest.mark.parametrize("name", ["walkers", "barred walkers"])
def test_the_player_earns_it_with_factors_and_without(name: str, factored: str) -> None:
    net, options, told = network(name), PlayerOptions(seed=1, factored=factored, nodes_mb=64), list[str]()
    config = prepare(net, options, TimeBudget(SECONDS, 1.0))
    assert (config.factoring is not None) == (factored == "on")
    agent = prepared_agent(net, config, None, "robot", options, told.append)
    rules = Interpreter(sheet(name))
    state, history = rules.initial(), list[tuple[str, ...]]()
    while not rules.terminal(state):
        agent.go_to(tuple(history))
        report = agent.known()
        while agent.can_search:
            report = agent.think(0.1)
        assert report is not None
        state = rules.next(state, [parse_term(report.move)])
        history.append((report.move,))
    assert rules.goals(state) == (earned_best(rules),)
    assert not told


def earned_best(rules: Interpreter) -> int:
    return best_and_shortest(rules, rules.initial())[0]
