"""What the native tree search takes for proven, and on what grounds."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.native.core import Game, Simulator
from tests.support.search_sheets import COMMONS, DILEMMA, HEAP, LOCK, PENNIES, RARE, WANDERING
from tests.support.searching import facts, network, proven_goals, searching, successor

# Nine ways to a hall that is forgotten at once, from which every way leads to a dead end; or to wander for long.
HALL = f"""
(role p)
(init start)
(door 1) (door 2) (door 3) (door 4) (door 5) (door 6) (door 7) (door 8) (door 9)
{" ".join(f"(follows {n} {n + 1})" for n in range(9))}
(<= (legal p (enter ?d)) (door ?d) (true start))
(<= (legal p go) (true (entered ?d)))
(<= (legal p wander) (true (entered ?d)))
(<= (legal p (turn ?d)) (door ?d) (true (at ?n)))
(<= (legal p left) (true hall))
(<= (legal p right) (true hall))
(<= (next (entered ?d)) (does p (enter ?d)))
(<= (next hall) (does p go))
(<= (next end) (true hall))
(<= (next (at 0)) (does p wander))
(<= (next (at ?m)) (true (at ?n)) (follows ?n ?m))
(<= (next (seen ?n ?d)) (does p (turn ?d)) (true (at ?n)))
(<= (next (seen ?n ?d)) (true (seen ?n ?d)))
(<= terminal (true end))
(<= terminal (true (at 9)))
(<= (goal p 0) (true end))
(<= (goal p 100) (true (at 9)))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_of_moves_as_good_for_itself_the_other_role_is_taken_to_choose_the_worst_for_us(threads: int) -> None:
    """If a dares, b may take all, and could as well open the lock, which leaves a as much as b."""
    net = network(RARE)
    search = searching(RARE, threads=threads, seed=1)
    search.run(playouts=3_000)
    assert proven_goals(net, 0, search) == {"dare": 0, "leave": 20}
    assert search.stats().solved


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_proven_of_ends_that_agreed_is_withdrawn_when_one_does_not(threads: int) -> None:
    net = network(WANDERING)
    search = searching(WANDERING, threads=threads, seed=1)
    search.run(playouts=2_000)
    assert threads > 1 or proven_goals(net, 0, search) == {"dare": 0, "leave": 20, "wander": -1}
    for _ in range(10):
        search.run(playouts=20_000)  # the odd end is one of 19,683
    assert proven_goals(net, 0, search)["dare"] == -1
    assert proven_goals(net, 0, search)["leave"] == 20


def test_a_won_move_tells_what_the_loser_gets_though_no_sum_is_proven() -> None:
    game = Game.from_propnet(network(HEAP))
    assert not game.constant_sum
    search = searching(HEAP, lanes=64, seed=1)
    search.run(playouts=20_000)
    assert search.stats().solved
    known = search.root_moves(0)
    assert known.proven.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["connect_four", "breakthrough_small", "reversi", "nim", "goofspiel", PENNIES])
def test_a_sum_of_goals_that_is_proven_holds_at_the_ends_of_random_games(name: str) -> None:
    game = Game.from_propnet(network(name))
    played = Simulator(game, seed=1).playouts(2_000)
    assert game.constant_sum
    assert played.goal_means.sum() == pytest.approx(100)


@pytest.mark.parametrize("sheet", [RARE, DILEMMA, COMMONS, LOCK, PENNIES.replace("(goal even 0)", "(goal even 10)")])
def test_where_goals_may_have_another_sum_none_is_proven(sheet: str) -> None:
    assert not Game.from_propnet(network(sheet)).constant_sum


def test_no_result_contradicts_what_is_proven_of_a_leaf() -> None:
    """Whoever plays the games from the leaves calls them all won. The hall is known to be lost."""
    net = network(HALL)
    search = searching(HALL, expand_after=0, seed=1)
    entered = successor(net, search.game.initial, ["(enter 1)"])
    hall = successor(net, entered, ["go"])
    search.set_root(hall)
    search.run()
    assert search.root_moves(0).proven.tolist() == [0, 0]
    search.set_root()
    leaves: list[set[str]] = []
    while len(leaves) < 60:
        batch = search.collect(1)
        leaves += [facts(net, state) for state in batch.states]
        search.report(batch.tickets, np.full((len(batch.tickets), 1), 100.0), games=1)
    known = search.root_moves(0)
    lost = leaves.count({"hall"})
    assert lost >= 9
    assert (known.visits * known.values).sum() == pytest.approx(100 * (len(leaves) - lost))


# Six times one of three digits is named, in turn; a 1 at first wins for the first role. One combination in 729 is won
# by neither, so goals do not always sum to 100.
DIGITS = """
(role a) (role b) (init (at 0)) (digit 1) (digit 2) (digit 3)
(follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5) (follows 5 6)
(mover 0 a) (mover 1 b) (mover 2 a) (mover 3 b) (mover 4 a) (mover 5 b)
(<= (legal ?r (name ?d)) (digit ?d) (true (at ?n)) (mover ?n ?r))
(<= (legal ?r wait) (role ?r) (true (at ?n)) (mover ?n ?s) (distinct ?r ?s))
(<= (next (at ?m)) (true (at ?n)) (follows ?n ?m))
(<= (next (named ?n ?d)) (does ?r (name ?d)) (true (at ?n)))
(<= (next (named ?n ?d)) (true (named ?n ?d)))
(<= neither (true (named 0 1)) (true (named 1 2)) (true (named 2 3)) (true (named 3 1)) (true (named 4 2))
    (true (named 5 3)))
(<= first (not neither) (true (named 0 1)))
(<= second (not neither) (not (true (named 0 1))))
(<= terminal (true (at 6)))
(<= (goal a 100) first) (<= (goal b 0) first) (<= (goal a 0) second) (<= (goal b 100) second)
(<= (goal a 0) neither) (<= (goal b 0) neither)
"""


def test_a_search_goes_on_where_what_solved_it_is_refuted_in_the_same_moment() -> None:
    """A root that seems solved by equal sums of goals is none once two have differed: the tree is made anew."""
    search = searching(DIGITS, lanes=64, memory_bytes=1 << 20, seed=2)
    search.run(playouts=4000)
    assert search.stats().root_visits > 0
    known = search.root_moves(0)
    assert search.stats().solved and known.proven[known.best] == 100


def test_a_run_at_the_end_of_a_game_returns_though_all_that_was_proven_is_given_up() -> None:
    """The odd end is met by a visit whose leaf is handed out, so that it is the next run that gives up the tree."""
    net = network(RARE)
    search = searching(RARE, seed=1)
    search.run(playouts=3_000)
    assert search.stats().solved
    state = successor(net, search.game.initial, ["dare", "wait"])
    for _ in range(8):
        state = successor(net, state, ["wait", "(dial 2)"])
    search.set_root(state)
    while search.collect(8).tickets.size:
        pass
    search.set_root(successor(net, state, ["wait", "(dial 2)"]))
    search.run(playouts=10)
    assert search.stats().solved
    assert search.shared_stats(1).tolist()[1] == 2
