"""Plans of sets of moves, replayed by the reference interpreter and compared with solvers that know the puzzles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from ludens.agent.search.parallel_planning import NoParallelPlanError, ParallelPlanner
from ludens.agent.search.planning import plan, solve
from ludens.propnet.analysis.interference import Interference
from ludens.propnet.base.child import Limits
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.agreement import earned_by
from tests.support.waiting import PATIENCE

Grid = tuple[tuple[int, ...], ...]

# A sudoku of 4 × 4 with one solution; 0 is empty.
SMALL: Grid = ((0, 0, 0, 0), (0, 3, 4, 0), (1, 0, 0, 2), (0, 0, 0, 0))

# One of 9 × 9 with many solutions: what is missing can be marked in 61! orders.
LARGE: Grid = (
    (0, 0, 0, 0, 3, 0, 0, 0, 9),
    (0, 0, 0, 0, 4, 0, 0, 0, 0),
    (0, 0, 0, 9, 6, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 8),
    (0, 3, 0, 0, 9, 0, 4, 0, 0),
    (8, 0, 0, 0, 0, 0, 0, 2, 1),
    (6, 0, 0, 0, 8, 0, 7, 5, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 6),
    (3, 0, 5, 0, 1, 0, 0, 0, 0),
)

# Every number may be marked that stands in no row, column or box yet; over when none may be.
SUDOKU = """
(role pen)
(<= (legal pen (mark ?r ?c ?n)) (true (cell ?r ?c empty)) (number ?n) (not (seen ?r ?c ?n)))
(<= (seen ?r ?c ?n) (true (cell ?r ?d ?n)) (square ?r ?c))
(<= (seen ?r ?c ?n) (true (cell ?q ?c ?n)) (square ?r ?c))
(<= (seen ?r ?c ?n) (true (cell ?q ?d ?n)) (box ?q ?d ?b) (box ?r ?c ?b))
(<= (next (cell ?r ?c ?n)) (does pen (mark ?r ?c ?n)))
(<= (next (cell ?r ?c ?x)) (true (cell ?r ?c ?x)) (does pen (mark ?q ?d ?n)) (or (distinct ?q ?r) (distinct ?d ?c)))
(<= open (true (cell ?r ?c empty)))
(<= movable (legal pen ?m))
(<= terminal (not movable))
(<= (goal pen 100) (not open)) (<= (goal pen 0) open)
"""

# Three lamps: each switch turns one on, and any of them ends the game after so many moves.
LAMPS = """
(role hand) (init (time 0)) (lamp a) (lamp b) (lamp c) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal hand (light ?l)) (lamp ?l)) (legal hand wait)
(<= (next (lit ?l)) (does hand (light ?l))) (<= (next (lit ?l)) (true (lit ?l)))
(<= (next (time ?t)) (true (time ?s)) (after ?s ?t))
(<= terminal (true (time ENDS)))
(<= (goal hand 100) (true (lit a)) (true (lit b)) (true (lit c))) (<= (goal hand 0) (not (true (lit c))))
"""

# The fuse ends the game, so it must be lit last: the bags must be dropped first.
FUSE = """
(role hand) (bag a) (bag b)
(<= (legal hand fuse) (not (true lit))) (<= (legal hand (drop ?b)) (bag ?b) (not (true (dropped ?b))))
(<= (next lit) (does hand fuse)) (<= (next lit) (true lit))
(<= (next (dropped ?b)) (does hand (drop ?b))) (<= (next (dropped ?b)) (true (dropped ?b)))
(<= terminal (true lit))
(<= (goal hand 100) (true lit) (true (dropped a)) (true (dropped b)))
(<= (goal hand 0) (not (true (dropped a)))) (<= (goal hand 0) (not (true (dropped b))))
"""

# As soon as one bag alone is dropped the game is over: both together cannot be.
TRAP = """
(role hand) (bag a) (bag b)
(<= (legal hand (drop ?b)) (bag ?b) (not (true (dropped ?b))))
(<= (next (dropped ?b)) (does hand (drop ?b))) (<= (next (dropped ?b)) (true (dropped ?b)))
(<= terminal (true (dropped ?b)))
(<= (goal hand 100) (true (dropped a)) (true (dropped b)))
(<= (goal hand 40) (true (dropped a)) (not (true (dropped b)))) (<= (goal hand 10) (not (true (dropped a))))
"""

# The key opens the door, behind which are two coins; all must be had.
DOOR = """
(role thief) (coin a) (coin b)
(<= (legal thief turn) (not (true open))) (<= (legal thief (take ?c)) (coin ?c) (true open) (not (true (has ?c))))
(<= (next open) (does thief turn)) (<= (next open) (true open))
(<= (next (has ?c)) (does thief (take ?c))) (<= (next (has ?c)) (true (has ?c)))
(<= rich (true (has a)) (true (has b))) (<= terminal rich)
(<= (goal thief 100) rich) (<= (goal thief 0) (not rich))
"""


def sudoku(grid: Grid) -> str:
    size, side = len(grid), math.isqrt(len(grid))
    facts = [f"(number {n})" for n in range(1, size + 1)]
    for r, c in product(range(size), repeat=2):
        facts += [f"(init (cell {r} {c} {grid[r][c] or 'empty'}))", f"(square {r} {c})"]
        facts.append(f"(box {r} {c} b{r // side}{c // side})")
    return SUDOKU + "\n".join(facts)


def solutions(grid: Grid) -> Iterator[Grid]:
    """All ways to fill a sudoku, by trying everything."""
    size, side = len(grid), math.isqrt(len(grid))
    for r, c in product(range(size), repeat=2):
        if not grid[r][c]:
            seen = {*grid[r], *(row[c] for row in grid)}
            top, left = r - r % side, c - c % side
            seen |= {grid[q][d] for q in range(top, top + side) for d in range(left, left + side)}
            for n in {*range(1, size + 1)} - seen:
                row = (*grid[r][:c], n, *grid[r][c + 1 :])
                yield from solutions((*grid[:r], row, *grid[r + 1 :]))
            return
    yield grid


@cache
def network(rules: str) -> Propnet:
    return load(rules)


def planner(rules: str, goal: int = 100) -> ParallelPlanner:
    net = network(rules)
    return ParallelPlanner(net, Interference(net, math.inf), net.initial, goal)


def earned(rules: str, moves: tuple[int, ...]) -> int:
    return earned_by(parse_rules(rules), network(rules), moves)


def test_all_marks_of_a_sudoku_are_one_set_of_moves() -> None:
    rules = sudoku(SMALL)
    moves = planner(rules).sweep(PATIENCE)
    assert moves is not None
    assert earned(rules, moves) == 100
    [solution] = solutions(SMALL)
    marked = {f"(mark {r} {c} {solution[r][c]})" for r, c in product(range(4), repeat=2) if not SMALL[r][c]}
    assert {network(rules).moves[0][move] for move in moves} == marked


def test_a_large_sudoku_is_planned_for_in_the_child_process() -> None:
    rules = sudoku(LARGE)
    found = plan(network(rules), network(rules).initial, Limits(seconds=PATIENCE))
    assert found is not None
    assert (len(found.moves), found.goal) == (61, 100)
    assert earned(rules, found.moves) == 100


def test_a_sudoku_without_a_solution_has_no_plan() -> None:
    grid: Grid = ((1, 2, 3, 0), (0, 0, 0, 4), (0, 3, 0, 0), (0, 0, 0, 2))
    assert not [*solutions(grid)]
    assert planner(sudoku(grid)).sweep(PATIENCE) is None


@pytest.mark.parametrize(("ends", "length"), [(3, 3), (4, None), (2, None)])
def test_a_clock_that_ends_the_game_says_how_many_moves_there_are(ends: int, length: int | None) -> None:
    rules = LAMPS.replace("ENDS", str(ends))
    if ends == 2:
        assert planner(rules).sweep(PATIENCE) is None
        return
    moves = planner(rules).sweep(PATIENCE)
    assert moves is not None
    assert earned(rules, moves) == 100
    assert len(moves) == ends
    assert length is None or {network(rules).moves[0][move] for move in moves} == {f"(light {x})" for x in "abc"}


def test_a_move_that_ends_the_game_before_its_time_is_not_part_of_a_plan() -> None:
    rules = (
        LAMPS.replace("ENDS", "3").replace("(goal hand 100)", "(goal hand 100) (true (time 3))")
        + """
        (legal hand drop) (<= (next broken) (does hand drop)) (<= (next broken) (true broken))
        (<= terminal (true broken))
    """
    )
    moves = planner(rules).sweep(PATIENCE)
    assert moves is not None
    assert earned(rules, moves) == 100


@pytest.mark.parametrize(("rules", "length"), [(FUSE, 3), (DOOR, 3)])
def test_moves_of_a_set_are_put_in_an_order_that_can_be_played(rules: str, length: int) -> None:
    moves = planner(rules).sweep(PATIENCE)
    assert moves is not None
    assert len(moves) == length
    assert earned(rules, moves) == 100


def test_a_set_that_cannot_be_played_in_any_order_is_no_plan() -> None:
    assert planner(TRAP).sweep(PATIENCE) is None
    moves = planner(TRAP, goal=40).sweep(PATIENCE)
    assert moves is not None
    assert earned(TRAP, moves) == 40


def test_there_are_no_sets_where_the_end_depends_on_every_tick_of_a_clock() -> None:
    ticks = " ".join(f"(after {t} {t + 1})" for t in range(40))
    rules = f"""
        (role hand) (init (time 0)) {ticks} (legal hand a) (legal hand b)
        (<= (next did_a) (does hand a)) (<= (next did_a) (true did_a))
        (<= (next did_b) (does hand b)) (<= (next did_b) (true did_b))
        (<= (next (time ?t)) (true (time ?s)) (after ?s ?t)) (<= (next odd) (not (true odd)))
        (<= both (true did_a) (true did_b)) (<= terminal both (true odd)) (<= terminal (true (time 40)))
        (<= (goal hand 100) both) (<= (goal hand 0) (not both))
    """
    with pytest.raises(NoParallelPlanError):
        planner(rules)
    found = solve((network(rules), network(rules).initial, math.inf), lambda _text: None)
    assert found is not None
    assert found.goal == earned(rules, found.moves) == 100
