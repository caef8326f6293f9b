"""The two ways to solve puzzles, against a breadth-first search on the reference interpreter."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from ludens.agent.search.planning import NotAPuzzleError, Plan, plan, solve
from ludens.games.rules import find_rules
from ludens.native.core import Game, Search, Simulator
from ludens.propnet.base.child import ExceededError, Limits
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from tests.support.agreement import earned_by
from tests.support.processor import in_own_process, resident_bytes
from tests.support.waiting import PATIENCE, until

PUZZLES = ("lights_out", "towers_of_hanoi", "peg_solitaire", "eight_puzzle")

# Two doors: behind the near one is 60 at once, behind the far one 90 after two steps; nothing earns more.
DOORS = """
(role robot) (init (at start))
(<= (legal robot left) (true (at start))) (<= (legal robot right) (true (at start)))
(<= (legal robot on) (true (at corridor)))
(<= (next (at near)) (does robot left)) (<= (next (at corridor)) (does robot right))
(<= (next (at far)) (does robot on))
(<= terminal (true (at near))) (<= terminal (true (at far)))
(<= (goal robot 60) (true (at near))) (<= (goal robot 90) (true (at far)))
(<= (goal robot 0) (not (true (at near))) (not (true (at far))))
"""

# Three times one of 400 pairs is picked, never one twice in a row; the goal counts those that are right.
WIDE = f"""
(role r) (init (at 0)) (follows 0 1) (follows 1 2) (follows 2 3)
{" ".join(f"(number {n})" for n in range(20))}
(<= (legal r (pick ?x ?y)) (number ?x) (number ?y) (not (true (last ?x ?y))))
(<= (next (at ?n)) (true (at ?m)) (follows ?m ?n))
(<= (next (right ?n)) (does r (pick ?n 7)) (true (at ?n)))
(<= (next (right ?n)) (true (right ?n)))
(<= (next (last ?x ?y)) (does r (pick ?x ?y)))
(<= terminal (true (at 3)))
(<= (goal r 0) (not (true (right 0)))) (<= (goal r 40) (true (right 0)) (not (true (right 2))))
(<= (goal r 70) (true (right 0)) (true (right 2)))
"""

# Round and round between two rooms; out of the first is worth 60, out of the second 90.
RING = """
(role robot) (init (at first)) (beside first second) (beside second first)
(<= (legal robot on) (true (at ?x))) (<= (legal robot out) (true (at ?x)))
(<= (next (at ?y)) (does robot on) (true (at ?x)) (beside ?x ?y))
(<= (next (left ?x)) (does robot out) (true (at ?x)))
(<= terminal (true (left ?x)))
(<= (goal robot 60) (true (left first))) (<= (goal robot 90) (true (left second)))
(<= (goal robot 0) (true (at ?x)))
"""

# So many steps, each of them to one of two sides; all ends are equal.
STEPS = 300
LONG = f"""
(role robot) (init (at 0)) (legal robot left) (legal robot right)
{" ".join(f"(follows {n} {n + 1})" for n in range(STEPS))}
(<= (next (at ?n)) (true (at ?m)) (follows ?m ?n))
(<= (next (right ?n)) (does robot right) (true (at ?n)))
(<= (next (right ?n)) (true (right ?n)))
(<= terminal (true (at {STEPS}))) (goal robot 50)
"""

# A binary counter that goes up by either move, so that every position has one new position after it.
BITS = 16
DEEP = """
(role robot) (init on) (<= (next on) (true on)) (legal robot left) (legal robot right) (goal robot 50)
"""
for bit in range(BITS):
    DEEP += f"""
    (<= (carry {bit}) (true on) {" ".join(f"(true (bit {lower}))" for lower in range(bit))})
    (<= (next (bit {bit})) (true (bit {bit})) (not (carry {bit})))
    (<= (next (bit {bit})) (not (true (bit {bit}))) (carry {bit}))
    """
DEEP += f"""(<= terminal {" ".join(f"(true (bit {bit}))" for bit in range(BITS))})"""
SHEETS = {"doors": DOORS, "wide": WIDE, "ring": RING, "long": LONG, "deep": DEEP}

LANES = 64
AT_ONCE = 1e-9  # seconds that are over before the clock is first looked at


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(SHEETS[name]) if name in SHEETS else find_rules(name).sheet()


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


def puzzle(name: str, **options: Any) -> Search:
    return Search(
        Game.from_propnet(network(name)), strategy="puzzle", **{"seed": 1, "memory_bytes": 64 << 20, **options}
    )


def earned(name: str, moves: Sequence[int]) -> int:
    return earned_by(sheet(name), network(name), moves)


@cache
def best_possible(name: str) -> int:
    """The best goal of all ends, by visiting every state."""
    rules = Interpreter(sheet(name))
    frontier, seen, best = {rules.initial()}, set(), 0
    while frontier:
        seen |= frontier
        found = set()
        for state in frontier:
            if rules.terminal(state):
                best = max(best, rules.goals(state)[0] or 0)
            else:
                found |= {rules.next(state, [move]) for move in rules.legal(state, rules.roles[0])}
        frontier = found - seen
    return best


@pytest.mark.parametrize("name", PUZZLES)
def test_the_search_solves_puzzles_with_plans_that_the_oracle_accepts(name: str) -> None:
    search = puzzle(name)
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    line = search.expected_line(500)[:, 0].tolist()
    assert earned(name, line) == 100
    known = search.root_moves(0)
    assert known.moves[known.best] == line[0]
    assert known.proven[known.best] == 100


@pytest.mark.parametrize("name", ["doors"])
def test_an_exhausted_search_knows_the_best_goal_there_is(name: str) -> None:
    search = puzzle(name)
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    assert earned(name, search.expected_line(500)[:, 0].tolist()) == best_possible(name) == 90


@pytest.mark.parametrize("name", ["doors", "towers_of_hanoi"])
def test_plans_earn_what_is_possible(name: str) -> None:
    found = solve((network(name), network(name).initial, math.inf), lambda _text: None)
    assert found is not None
    assert found.goal == earned(name, list(found.moves)) == best_possible(name)


def test_where_nothing_ends_there_is_no_plan() -> None:
    net = load(
        parse_rules(
            "(role robot) (init p) (legal robot wait) (<= (next p) (true p))"
            "(goal robot 100) (<= terminal (not (true p)))"
        )
    )
    with pytest.raises(ExceededError):
        plan(net, net.initial, Limits(seconds=1))


def test_a_plan_comes_from_a_child_process() -> None:
    net = network("doors")
    right, on = net.moves[0].index("right"), net.moves[0].index("on")
    assert plan(net, net.initial, Limits(seconds=PATIENCE)) == Plan((right, on), 90)


def test_a_planner_does_not_try_what_is_known_to_earn_too_much() -> None:
    net, tried = network("doors"), list[int]()
    for most in (90, 89):
        found = plan(net, net.initial, Limits(seconds=PATIENCE), most, tried.append)
        assert found is not None
        assert found.goal == tried[-1] <= most
    assert tried == [90, 60]


def test_only_puzzles_are_planned_for() -> None:
    net = network("tic_tac_toe")
    with pytest.raises(NotAPuzzleError):
        plan(net, net.initial, Limits(seconds=PATIENCE))
    with pytest.raises(NativeError, match="one role"):
        puzzle("tic_tac_toe")


def test_a_search_depends_on_nothing_but_its_seed() -> None:
    reports = []
    for _ in range(2):
        search = puzzle("peg_solitaire")
        search.run(playouts=2_000)
        reports.append((search.expected_line(100).tolist(), search.stats()))
    assert str(reports[0]) == str(reports[1])


@pytest.mark.parametrize("limit", [{"seconds": AT_ONCE}, {"playouts": 1}])
def test_a_run_ends_within_a_round_of_the_machine_though_positions_have_more_moves(limit: dict[str, Any]) -> None:
    search = puzzle("wide", lanes=LANES)
    done = search.stats()
    for _ in range(100):
        search.run(**limit)
        now = search.stats()
        assert done.state_changes < now.state_changes
        assert now.playouts <= done.playouts + LANES
        done = now


@pytest.mark.parametrize(
    ("name", "options"), [("wide", {}), ("peg_solitaire", {}), ("eight_puzzle", {"memory_bytes": 64 << 10})]
)
def test_many_short_runs_find_what_one_long_run_finds(name: str, options: dict[str, Any]) -> None:
    whole, pieces = puzzle(name, lanes=LANES, **options), puzzle(name, lanes=LANES, **options)
    whole.run(playouts=8_000)
    while pieces.stats().playouts < whole.stats().playouts:
        changes = pieces.stats().state_changes
        pieces.run(seconds=AT_ONCE)
        assert changes < pieces.stats().state_changes <= changes + 2 * LANES  # a step, and the end of a round
    assert pieces.stats() == whole.stats()
    assert pieces.expected_line(500).tolist() == whole.expected_line(500).tolist()
    assert str(pieces.root_moves(0)) == str(whole.root_moves(0))


def test_an_interrupted_round_is_forgotten_with_its_root() -> None:
    net, search = network("wide"), puzzle("wide", lanes=LANES)
    for _ in range(3):
        search.run(seconds=AT_ONCE)
    wrong = net.moves[0].index("(pick 5 5)")
    state = Simulator(Game.from_propnet(net), LANES).next(search.game.initial, np.array([[wrong]], np.int32))[0]
    search.set_root(state)
    assert search.stats().nodes == 1
    search.run(playouts=2_000)
    rest = search.expected_line(500)[:, 0].tolist()
    known = search.root_moves(0)
    assert earned("wide", [wrong, *rest]) == known.values[known.best] == 0


def test_the_plan_is_followed_and_kept() -> None:
    game = Game.from_propnet(network("towers_of_hanoi"))
    search = puzzle("towers_of_hanoi")
    search.run(seconds=PATIENCE)
    line = search.expected_line(500)
    state = Simulator(game, 64).next(game.initial, line[:1])[0]
    search.set_root(state)
    assert search.stats().solved
    assert np.array_equal(search.expected_line(500), line[1:])


def test_another_position_than_planned_begins_anew() -> None:
    game = Game.from_propnet(network("doors"))
    search = puzzle("doors")
    search.run(seconds=PATIENCE)
    left = network("doors").moves[0].index("left")
    search.set_root(Simulator(game, 64).next(game.initial, np.array([[left]], np.int32))[0])
    assert len(search.root_moves(0).moves) == 0
    search.set_root()
    assert not search.stats().solved
    search.run(seconds=PATIENCE)
    assert search.stats().solved


def test_a_plan_from_elsewhere_is_taken_if_it_is_better() -> None:
    net, search = network("doors"), puzzle("doors")
    left, right, on = (net.moves[0].index(move) for move in ("left", "right", "on"))
    for line, goal in (([left], 60), ([right, right], 60), ([right], 60), ([right, on], 90), ([left], 90)):
        search.suggest(np.array([line], np.int32).T)
        known = search.root_moves(0)
        assert known.values[known.best] == goal
    assert search.expected_line()[:, 0].tolist() == [right, on]
    assert not search.stats().solved


def test_new_plans_lose_what_leads_round_in_circles() -> None:
    net, search = network("ring"), puzzle("ring")
    on, out = (net.moves[0].index(move) for move in ("on", "out"))
    for line, left in (([on, on, out], [out]), ([on, on, on, out], [on, out])):
        search.suggest(np.array([line], np.int32).T)
        assert search.expected_line()[:, 0].tolist() == line
        search.run(seconds=AT_ONCE)
        assert search.expected_line()[:, 0].tolist() == left


def test_a_run_takes_no_time_for_a_plan_of_runs_before() -> None:
    """Ten runs take less than playing the plan once: tried until they do, as other work may slow one of both."""
    search = puzzle("long", lanes=LANES)
    search.run(playouts=1)
    line = search.expected_line(STEPS + 1)
    assert len(line) == STEPS

    def are_quicker() -> bool:
        began = time.thread_time()
        search.suggest(line)
        played = time.thread_time()
        for _ in range(10):
            search.run(seconds=AT_ONCE)
        return time.thread_time() - played < played - began

    until(are_quicker)


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(NativeError, match="memory_bytes must be at least 4096, not 4095"):
        puzzle("doors", memory_bytes=4095)


def test_full_memory_begins_anew_and_stays_within_bounds() -> None:
    search = puzzle("eight_puzzle", memory_bytes=64 << 10)
    search.run(playouts=200_000)
    stats = search.stats()
    assert stats.recycled > 0
    assert stats.nodes * stats.bytes_per_node <= 64 << 10


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told as Linux shows it")
def test_deep_puzzles_stay_within_bounds() -> None:
    assert in_own_process(bytes_of_a_deep_search) < 4 << 20


def bytes_of_a_deep_search() -> int:
    search = puzzle("deep", lanes=LANES, memory_bytes=4 << 20, max_steps=1)
    before = resident_bytes()
    search.run(playouts=50_000)
    assert search.stats().depth > 20_000
    return resident_bytes() - before


def test_several_threads_share_what_they_find() -> None:
    search = puzzle("peg_solitaire", threads=3)
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    assert earned("peg_solitaire", search.expected_line(500)[:, 0].tolist()) == 100


def test_a_search_that_begins_again_counts_its_root() -> None:
    """There is room for few positions: it forgets them again and again, but for the root."""
    search = puzzle("long", lanes=LANES, memory_bytes=1 << 14)
    while search.stats().recycled < 20_000:
        search.run(playouts=500)
        assert search.stats().nodes >= 1
