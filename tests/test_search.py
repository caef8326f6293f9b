"""The native tree search: what it finds, what it keeps, what it reports, and that it never outgrows its memory."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable
from functools import cache, reduce
from itertools import pairwise
from operator import xor

import numpy as np
import pytest

import games
from native.core import (
    Evaluation,
    EvaluationWeights,
    Game,
    RootMoves,
    Search,
    Simulator,
    States,
    pack_bits,
    unpack_bits,
)
from native.strategies import STRATEGIES
from propnet.errors import NativeError
from propnet.loader import load
from propnet.network import Propnet

PENNIES = """
(role even) (role odd)
(init toss)
(<= (legal ?player (show heads)) (role ?player) (true toss))
(<= (legal ?player (show tails)) (role ?player) (true toss))
(<= (next (shown ?player ?side)) (does ?player (show ?side)))
(<= equal (true (shown even ?side)) (true (shown odd ?side)))
(<= terminal (not (true toss)))
(<= (goal even 100) equal)
(<= (goal even 0) (not equal))
(<= (goal odd 0) equal)
(<= (goal odd 100) (not equal))
"""

DILEMMA = """
(role row) (role column)
(init apart)
(<= (legal ?prisoner silent) (role ?prisoner))
(<= (legal ?prisoner betray) (role ?prisoner))
(<= (next (did ?prisoner ?what)) (does ?prisoner ?what))
(<= terminal (not (true apart)))
(other row column) (other column row)
(pay silent silent 60) (pay silent betray 0) (pay betray silent 100) (pay betray betray 20)
(<= (goal ?a ?n) (other ?a ?b) (true (did ?a ?x)) (true (did ?b ?y)) (pay ?x ?y ?n))
"""

# Who keeps has 30 more, who gives has 20 more for all.
COMMONS = """
(role a) (role b) (role c)
(init open)
(<= (legal ?r keep) (role ?r) (true open))
(<= (legal ?r give) (role ?r) (true open))
(<= (next (did ?r ?what)) (does ?r ?what))
(<= terminal (not (true open)))
(three a b c) (three b c a) (three c a b)
(pay keep keep keep 30) (pay keep keep give 50) (pay keep give keep 50) (pay keep give give 70)
(pay give keep keep 20) (pay give keep give 40) (pay give give keep 40) (pay give give give 60)
(<= (goal ?r ?n) (three ?r ?s ?t) (true (did ?r ?x)) (true (did ?s ?y)) (true (did ?t ?z)) (pay ?x ?y ?z ?n))
"""

DICE = """
(role player) (role random)
(init start)
(<= (legal player roll) (true start))
(<= (legal player stay) (true start))
(<= (legal player wait) (not (true start)))
(<= (legal random wait) (true start))
(<= (legal random (side ?n)) (number ?n) (not (true start)))
(number 1) (number 2) (number 3) (number 4)
(<= (next rolling) (does player roll))
(<= (next stayed) (does player stay))
(<= (next (came ?n)) (does random (side ?n)))
(<= over (true (came ?n)))
(<= terminal over)
(<= terminal (true stayed))
(<= (goal player SURE) (true stayed))
(<= (goal player 100) (true (came 1)))
(<= (goal player 0) over (not (true (came 1))))
(<= (goal random 50) (role random))
"""

# One combination in 243 opens the lock.
LOCK = """
(role thief)
(init (at 0))
(follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5)
(digit 1) (digit 2) (digit 3)
(<= (legal thief (turn ?d)) (digit ?d))
(<= (next (at ?m)) (true (at ?n)) (follows ?n ?m))
(<= (next (set ?n ?d)) (does thief (turn ?d)) (true (at ?n)))
(<= (next (set ?n ?d)) (true (set ?n ?d)))
(<= open (true (set 0 2)) (true (set 1 1)) (true (set 2 3)) (true (set 3 3)) (true (set 4 1)))
(<= terminal (true (at 5)))
(<= (goal thief 100) open)
(<= (goal thief 0) (not open))
"""

# Each in turn goes left or right and cares for its own goal only: pay lists the three ways, then the three goals.
THREE = """
(role a) (role b) (role c)
(init (turn a))
(<= (legal a ?side) (true (turn a)) (side ?side))
(<= (legal b ?side) (true (turn b)) (side ?side))
(<= (legal c ?side) (true (turn c)) (side ?side))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(side left) (side right)
(after a b) (after b c) (after c end)
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
(<= (next (took ?r ?side)) (does ?r ?side) (distinct ?side wait))
(<= (next (took ?r ?side)) (true (took ?r ?side)))
(<= terminal (true (turn end)))
(pay left left left 60 40 30) (pay left left right 0 90 70)
(pay left right left 90 50 10) (pay left right right 20 60 20)
(pay right left left 50 10 0) (pay right left right 30 60 40)
(pay right right left 40 90 90) (pay right right right 90 0 20)
(<= (ends ?x ?y ?z) (true (took a ?x)) (true (took b ?y)) (true (took c ?z)))
(<= (goal a ?n) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
(<= (goal b ?m) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
(<= (goal c ?k) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
"""

# Who takes the last of six things, one or two at a time, has won. That only one can win is written nowhere.
HEAP = f"""
(role a) (role b)
(init (left 6)) (init (turn a))
{" ".join(f"(less {n} 1 {n - 1})" for n in range(1, 7))}
{" ".join(f"(less {n} 2 {n - 2})" for n in range(2, 7))}
(other a b) (other b a)
(<= (legal ?r (take ?k)) (true (turn ?r)) (true (left ?n)) (less ?n ?k ?m))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (left ?m)) (does ?r (take ?k)) (true (left ?n)) (less ?n ?k ?m))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= (next (won ?r)) (does ?r (take ?k)) (true (left ?n)) (less ?n ?k 0))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (true (won ?r)))
(<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""

# The two goals sum to 100 at every end but one, which is as good for b as taking is, and better for a.
RARE = f"""
(role a) (role b)
(init start)
(digit 1) (digit 2) (digit 3)
{" ".join(f"(follows {n} {n + 1})" for n in range(9))}
(<= (legal a dare) (true start))
(<= (legal a leave) (true start))
(<= (legal a wait) (not (true start)))
(<= (legal b wait) (true start))
(<= (legal b take) (true (at 0)))
(<= (legal b (dial ?d)) (digit ?d) (true (at ?n)))
(<= (next (at 0)) (does a dare))
(<= (next left) (does a leave))
(<= (next taken) (does b take))
(<= (next (at ?m)) (does b (dial ?d)) (true (at ?n)) (follows ?n ?m))
(<= (next (set ?n ?d)) (does b (dial ?d)) (true (at ?n)))
(<= (next (set ?n ?d)) (true (set ?n ?d)))
(<= open {" ".join(f"(true (set {n} 2))" for n in range(9))})
(<= terminal (true left))
(<= terminal (true taken))
(<= terminal (true (at 9)))
(<= (goal a 20) (true left)) (<= (goal b 80) (true left))
(<= (goal a 0) (true taken)) (<= (goal b 100) (true taken))
(<= (goal a 100) (true (at 9)))
(<= (goal b 100) (true (at 9)) open)
(<= (goal b 0) (true (at 9)) (not open))
"""

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

# Two moves in one step never happen; they would give the goal 100. The last step but one has 81 moves.
FORK = """
(role p)
(init narrow)
(step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 5 6) (step 6 7) (step 7 8)
(digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal p left) (not (true wide)))
(<= (legal p right) (not (true wide)))
(<= (legal p (pick ?x ?y)) (digit ?x) (digit ?y) (true wide))
(<= (next two) (does p left) (does p right))
(<= (next two) (does p left) (does p (pick ?x ?y)))
(<= (next two) (does p right) (does p (pick ?x ?y)))
(<= (next two) (true two))
(<= walking (true (at ?n)))
(<= (next (at 1)) (not walking))
(<= (next (at ?n)) (true (at ?m)) (step ?m ?n))
(<= (next wide) (true (at 6)))
(<= (next (took left ?n)) (does p left) (true (at ?n)))
(<= (next (took ?side ?n)) (true (took ?side ?n)))
(<= terminal (true (at 8)))
(<= lefts (true (took left ?n)))
(<= (goal p 100) (true two))
(<= (goal p 1) lefts (not (true two)))
(<= (goal p 0) (not lefts) (not (true two)))
"""


@cache
def network(name_or_text: str) -> Propnet:
    return load(games.read(name_or_text) if name_or_text in games.names() else name_or_text)


def searching(name_or_text: str, **options: object) -> Search:
    chosen = {"memory_bytes": 1 << 24, "lanes": 64, "exploration": 0.7} | options
    return Search(Game.from_propnet(network(name_or_text)), **chosen)  # type: ignore[arg-type]


def text(net: Propnet, role: int, known: RootMoves) -> str:
    """The move to play."""
    move: str = net.moves[role][known.moves[known.best]]
    return move


def successor(net: Propnet, state: States, texts: list[str]) -> States:
    joint = np.array([[moves.index(move) for moves, move in zip(net.moves, texts, strict=True)]], np.int32)
    after: States = Simulator(Game.from_propnet(net), 64).next(state, joint)[0]
    return after


def facts(net: Propnet, state: States) -> set[str]:
    return {net.propositions[i] for i in np.flatnonzero(unpack_bits(state, net.state_bits))}


def piles(net: Propnet, state: States) -> dict[str, int]:
    found = re.findall(r"\(pile (\w) (\d)\)", " ".join(facts(net, state)))
    return {pile: int(size) for pile, size in found}


def nim_sum(sizes: dict[str, int]) -> int:
    return reduce(xor, sizes.values(), 0)


# ---- What it finds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"playouts_per_leaf": 8}, {"expand_after": 0}, {"threads": 3}])
def test_uct_plays_nim_as_boutons_theorem_says(options: dict[str, int]) -> None:
    net = network("nim")
    search = searching("nim", **options)
    state = successor(net, Game.from_propnet(net).initial, ["(take d 3)", "noop"])
    for mover in (1, 0, 1, 0, 1):
        before = piles(net, state)
        search.set_root(state)
        search.run(playouts=20_000 * options.get("playouts_per_leaf", 1))
        move = text(net, mover, search.root_moves(mover))
        pile, taken = re.findall(r"\(take (\w) (\d)\)", move)[0]
        if nim_sum(before) != 0:
            assert nim_sum(before | {pile: before[pile] - int(taken)}) == 0
        state = successor(net, state, [move, "noop"] if mover == 0 else ["noop", move])


def test_uct_against_itself_draws_tic_tac_toe() -> None:
    net = network("tic_tac_toe")
    search, simulator = searching("tic_tac_toe"), Simulator(Game.from_propnet(net), 64)
    state = simulator.game.initial
    while not simulator.terminal(state)[0]:
        search.set_root(state)
        search.run(playouts=10_000)
        state = successor(net, state, [text(net, role, search.root_moves(role)) for role in (0, 1)])
    assert simulator.goals(state)[0].tolist() == [50, 50]


def test_a_single_player_finds_the_one_way_through_a_puzzle() -> None:
    search = searching(LOCK)
    search.run(playouts=20_000)
    turned = [network(LOCK).moves[0][joint[0]] for joint in search.expected_line()]
    assert turned == [f"(turn {digit})" for digit in (2, 1, 3, 3, 1)]


def test_each_of_three_players_looks_after_itself() -> None:
    search = searching(THREE)
    search.run(playouts=20_000)
    net = network(THREE)
    line = [[net.moves[r][m] for r, m in enumerate(joint)] for joint in search.expected_line()]
    # Backwards: c 70 over 30, 20 over 10, 40 over 0, 90 over 20; b 90 over 60, 90 over 60; a 40 over 0.
    assert line == [["right", "wait", "wait"], ["wait", "right", "wait"], ["wait", "wait", "left"]]


@pytest.mark.parametrize("threads", [1, 2])
def test_matching_pennies_are_shown_half_and_half(threads: int) -> None:
    search = searching(PENNIES, threads=threads)
    search.run(playouts=100_000)
    for role in (0, 1):
        known = search.root_moves(role)
        shares = known.visits / known.visits.sum()
        assert np.abs(shares - 0.5).max() < 0.15
        assert np.abs(known.values - 50).max() < 10


def test_prisoners_who_choose_at_once_betray_each_other() -> None:
    search = searching(DILEMMA)
    search.run(playouts=50_000)
    for role in (0, 1):
        assert text(network(DILEMMA), role, search.root_moves(role)) == "betray"


def test_each_of_three_who_choose_at_once_matches_its_own_regrets() -> None:
    """A coin is worth 30 to who keeps it, 20 to each if given: all keep theirs, though all giving is best."""
    search = searching(COMMONS)
    search.run(playouts=50_000)
    for role in range(3):
        known = search.root_moves(role)
        assert text(network(COMMONS), role, known) == "keep"
        assert known.visits.max() > 0.85 * known.visits.sum()
        assert abs(known.values[known.best] - 30) < 10


@pytest.mark.parametrize(("sure", "chosen"), [(40, "stay"), (10, "roll")])
def test_a_role_that_wins_and_loses_nothing_moves_at_random(sure: int, chosen: str) -> None:
    """A die with four sides, one of which wins: to roll is worth 25."""
    net = network(DICE.replace("SURE", str(sure)))
    search = searching(DICE.replace("SURE", str(sure)))
    search.run(playouts=50_000)
    known = search.root_moves(0)
    values = {net.moves[0][m]: v for m, v in zip(known.moves, known.values, strict=True)}
    assert text(net, 0, known) == chosen
    assert abs(values["roll"] - 25) < 3
    search.set_root(successor(net, Game.from_propnet(net).initial, ["roll", "wait"]))
    search.run(playouts=50_000)
    shares = search.root_moves(1).visits / search.root_moves(1).visits.sum()
    assert np.abs(shares - 0.25).max() < 0.03


@pytest.mark.parametrize("playouts", [1, 200, 5_000])
def test_the_most_visited_move_is_played_and_of_equally_many_visits_the_better_one(playouts: int) -> None:
    search = searching("connect_four")
    search.run(playouts=playouts)
    known = search.root_moves(0)
    merits = list(zip(known.visits, np.nan_to_num(known.values, nan=-1.0), strict=True))
    assert merits[known.best] == max(merits)


def test_flat_search_plays_the_best_mean() -> None:
    search = searching("connect_four", strategy="flat")
    search.run(playouts=5_000)
    known = search.root_moves(0)
    assert known.values[known.best] == known.values.max()


def test_flat_search_shares_playouts_out_equally_and_grows_no_tree() -> None:
    search = searching("tic_tac_toe", strategy="flat")
    search.run(playouts=9_000)
    visits = search.root_moves(0).visits
    assert visits.max() - visits.min() <= 64
    assert search.stats().nodes == 1
    assert search.stats().depth == 1


def test_mcrd_gives_moves_their_share_by_how_far_they_are_from_the_best() -> None:
    # Without positions known below the root the means stand still.
    search = searching("connect_four", strategy="mcrd", exploration=0.5, expand_after=1_000_000)
    search.run(playouts=200_000)
    known = search.root_moves(0)
    assert search.stats().nodes == 1
    unclear = 0.5 * 50 / np.sqrt(known.visits.sum())
    due = 1 / (known.values.max() - known.values + unclear)
    assert known.visits / known.visits.sum() == pytest.approx(due / due.sum(), rel=0.15)
    assert known.visits.max() > 3 * known.visits.min()


def test_mcrd_gives_replies_their_share_as_well_and_so_knows_what_moves_are_worth() -> None:
    net, values = network("connect_four"), {}
    state = Game.from_propnet(net).initial
    for joint in (["(drop 4)", "noop"], ["noop", "(drop 4)"], ["(drop 3)", "noop"]):
        state = successor(net, state, joint)  # two in a row, and room on both sides
    for strategy in ("flat", "mcrd"):
        search = searching("connect_four", strategy=strategy)
        search.set_root(state)
        search.run(playouts=30_000)
        known = search.root_moves(1)
        values[strategy] = known.values
    parries = np.isin([net.moves[1][move] for move in known.moves], ["(drop 2)", "(drop 5)"])
    assert known.visits[parries].sum() > 0.8 * known.visits.sum()
    assert values["mcrd"][~parries].mean() < values["flat"][~parries].mean() - 5


def test_mcrd_solves_what_is_small() -> None:
    search = searching("tic_tac_toe", strategy="mcrd")
    search.run(playouts=500_000)
    assert search.stats().solved
    assert search.root_moves(0).proven.max() == 50


@pytest.mark.parametrize("threads", [1, 2])
def test_of_moves_as_good_for_itself_the_other_role_is_taken_to_choose_the_worst_for_us(threads: int) -> None:
    """If a dares, b may take all, and could as well open the lock, which leaves a as much as b."""
    net = network(RARE)
    search = searching(RARE, threads=threads, seed=1)
    search.run(playouts=3_000)
    known = search.root_moves(0)
    proven = {net.moves[0][move]: goal for move, goal in zip(known.moves, known.proven, strict=True)}
    assert proven == {"dare": 0, "leave": 20}
    assert search.stats().solved


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


@pytest.mark.parametrize(
    "sheet", [RARE, DILEMMA, COMMONS, LOCK, PENNIES.replace("(goal even 0)", "(goal even 10)")]
)
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


# ---- What it keeps -------------------------------------------------------------------------------------------


def test_the_same_seed_and_playouts_give_the_same_search() -> None:
    reports = []
    for _ in range(2):
        search = searching("connect_four", seed=7)
        search.run(playouts=20_000)
        search.run(playouts=20_000)
        known = search.root_moves(0)
        line = search.expected_line().tolist()
        reports.append((known.visits.tolist(), known.values.tolist(), line, search.stats()))
    assert reports[0] == reports[1]


def test_another_seed_gives_another_search() -> None:
    visits = []
    for seed in (1, 2):
        search = searching("connect_four", seed=seed)
        search.run(playouts=5_000)
        visits.append(search.root_moves(0).visits.tolist())
    assert visits[0] != visits[1]


def test_what_threads_tell_each_other_is_counted_once() -> None:
    net = network("breakthrough_small")
    search = searching("breakthrough_small", threads=3)
    for _ in range(4):
        search.run(seconds=0.2)  # they tell each other some hundred times a second
    stats, known, line = search.stats(), search.root_moves(0), search.expected_line()
    assert known.visits.sum() == stats.root_visits == stats.iterations
    state = search.game.initial
    for joint, role in zip(line[:2], (0, 1), strict=True):  # nodes that are shared, below the root
        visits = search.root_moves(role).visits.max()
        state = successor(net, state, [net.moves[r][joint[r]] for r in (0, 1)])
        search.set_root(state)
        assert visits / 2 < search.stats().root_visits <= visits


def test_a_state_reached_in_several_ways_is_one_node() -> None:
    search = searching("nim")
    search.run(playouts=20_000)
    assert 300 < search.stats().nodes <= 2 * 4 * 6 * 8 * 2


def test_what_is_known_of_the_next_root_is_kept() -> None:
    net = network("tic_tac_toe")
    search = searching("tic_tac_toe")
    search.run(playouts=5_000)
    before = search.expected_line()
    visits = search.root_moves(0).visits.max()
    state = successor(net, search.game.initial, [net.moves[r][before[0][r]] for r in (0, 1)])
    search.set_root(state)
    assert 0 < search.stats().root_visits <= 2 * visits
    assert search.expected_line()[0].tolist() == before[1].tolist()
    search.set_root()
    assert search.root_moves(0).visits.max() == visits


def test_all_visits_of_the_root_are_visits_of_its_moves() -> None:
    search = searching("breakthrough_small", threads=2)
    for _ in range(3):
        search.run(playouts=3_000)
        assert search.root_moves(0).visits.sum() == search.stats().root_visits
        assert search.root_moves(1).visits.tolist() == [search.stats().root_visits]
    assert search.stats().root_visits == search.stats().iterations


@pytest.mark.parametrize("name", ["tic_tac_toe", "tron", "breakthrough_small"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_small_memory_is_recycled_and_never_outgrown(name: str, threads: int) -> None:
    search = searching(name, memory_bytes=1 << 16, threads=threads)
    search.run(playouts=30_000)
    stats = search.stats()
    assert stats.recycled > 0
    assert stats.memory_bytes <= 1 << 16
    assert stats.nodes * 64 < 1 << 16
    assert search.root_moves(0).visits.sum() == stats.root_visits > 0


def test_a_whole_game_fits_into_a_small_memory() -> None:
    game = Game.from_propnet(network("connect_four"))
    search = searching("connect_four", memory_bytes=1 << 15)
    simulator = Simulator(game, 64, seed=3)
    state = game.initial
    for joint in simulator.record(max_steps=60)[0]:
        search.set_root(state)
        search.run(playouts=500)
        assert search.stats().root_visits > 0
        state = simulator.next(state, joint)[0]
    search.set_root(state)
    assert simulator.terminal(state)[0]
    assert len(search.root_moves(0).moves) == 0


@pytest.mark.parametrize(
    ("name", "nodes", "best"), [("connect_four", 4483, "(drop 4)"), ("breakthrough_small", 3643, "(move 3 2 3 3)")]
)
def test_the_course_of_a_search_changes_only_on_purpose(name: str, nodes: int, best: str) -> None:
    """The signature of the search: the same on every machine, as the number of lanes is given.

    Whoever changes how a search goes writes the new numbers, which the failure shows, into the list above, and
    into the message of the commit; whoever did not mean to change it has found a mistake.
    """
    search = searching(name, seed=1)
    search.run(playouts=20_000)
    assert (search.stats().nodes, text(network(name), 0, search.root_moves(0))) == (nodes, best)


def test_forgetting_everything_for_a_large_root_forgets_what_lanes_were_about_to_do() -> None:
    net = network(FORK)
    wide = np.zeros(net.state_bits, np.bool_)
    wide[net.propositions.index("wide")] = True
    search = searching(FORK, memory_bytes=6000, seed=1)
    search.run(playouts=500)
    search.set_root(pack_bits(wide))
    search.run(playouts=3_000)
    assert len(search.root_moves(0).moves) == 81
    assert np.nanmax(search.root_moves(0).values) <= 1


def test_python_and_the_core_know_the_same_strategies() -> None:
    net = network("lights_out")  # of one role, which every strategy can play
    linear, inner = (np.zeros((1, net.state_bits + 1, n), np.float32) for n in (1, 0))
    evaluation = Evaluation(EvaluationWeights((), linear, inner, np.zeros((1, 0, 1), np.float32)))
    for name in STRATEGIES:
        searching("lights_out", strategy=name, evaluation=evaluation).run(playouts=10)
    with pytest.raises(NativeError, match="there are: " + ", ".join(STRATEGIES) + "$"):
        searching("tic_tac_toe", strategy="none")


def test_a_search_keeps_its_game_alive() -> None:
    search = searching("tic_tac_toe")
    del search.game
    gc.collect()
    search.run(playouts=1_000)
    assert search.stats().root_visits >= 1_000


# ---- What it reports -----------------------------------------------------------------------------------------


def test_root_moves_are_the_legal_ones() -> None:
    game = Game.from_propnet(network("breakthrough_small"))
    search, simulator = searching("breakthrough_small"), Simulator(game, 64)
    for joint, state in walk(simulator):
        search.set_root(state)
        for role, legal in enumerate(simulator.legal(state)):
            assert search.root_moves(role).moves.tolist() == np.flatnonzero(legal[0]).tolist()
            assert joint[role] in search.root_moves(role).moves


def walk(simulator: Simulator) -> list[tuple[np.ndarray, States]]:
    states = [simulator.game.initial]
    moves = simulator.record(max_steps=200)[0]
    for joint in moves[:-1]:
        states.append(simulator.next(states[-1], joint)[0])
    return list(zip(moves, states, strict=True))


@pytest.mark.parametrize("name", ["connect_four", "tron"])
def test_the_expected_line_can_be_played(name: str) -> None:
    search = searching(name)
    search.run(playouts=20_000)
    simulator = Simulator(search.game, 64)
    state, line = search.game.initial, search.expected_line()
    assert len(line) >= 2
    for joint in line:
        assert not simulator.terminal(state)[0]
        for role, legal in enumerate(simulator.legal(state)):
            assert legal[0][joint[role]]
        state = simulator.next(state, joint)[0]
    assert search.expected_line(1).tolist() == line[:1].tolist()


def test_unvisited_moves_have_no_value() -> None:
    known = searching("tic_tac_toe").root_moves(0)
    assert known.visits.tolist() == [0] * 9
    assert np.isnan(known.values).all()


def test_values_are_the_mean_goals_of_random_games_where_there_is_no_tree() -> None:
    net = network("tic_tac_toe")
    search, simulator = searching("tic_tac_toe", strategy="flat"), Simulator(Game.from_propnet(net), seed=1)
    search.run(playouts=90_000)
    known = search.root_moves(0)
    for move, value in zip(known.moves, known.values, strict=True):
        state = successor(net, search.game.initial, [net.moves[0][move], "noop"])
        assert abs(simulator.playouts(20_000, state=state).goal_means[0] - value) < 3


def test_nothing_happens_at_a_terminal_root() -> None:
    simulator = Simulator(Game.from_propnet(network("nim")), 64)
    joint, state = walk(simulator)[-1]
    search = searching("nim")
    search.set_root(simulator.next(state, joint)[0])
    search.run()
    assert len(search.root_moves(0).moves) == len(search.expected_line()) == search.stats().root_visits == 0
    assert search.root_moves(0).best == -1


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_reported_on_and_stopped_from_another_thread(threads: int) -> None:
    search = searching("tic_tac_toe", threads=threads, memory_bytes=1 << 16)
    seen: list[int] = []
    worker = threading.Thread(target=search.run)
    worker.start()
    while len(seen) < 200 or seen[-1] == 0:
        seen.append(int(search.root_moves(0).visits.sum()))
        search.expected_line()
        search.stats()
    search.stop()
    worker.join(timeout=60)
    assert not worker.is_alive()
    assert all(a <= b for a, b in pairwise(seen))


def test_a_run_ends_with_its_time() -> None:
    search = searching("tic_tac_toe")
    search.run(seconds=0.05)
    assert search.stats().playouts > 0


def test_a_solved_game_ends_its_run_too() -> None:
    search = searching(PENNIES)
    search.run(seconds=0.05)
    search.run(playouts=10_000)
    assert search.stats().iterations >= 10_000


# ---- What it refuses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"strategy": "magic"}, "unknown strategy 'magic'"),
        ({"threads": 0}, "threads"),
        ({"memory_bytes": 100}, "memory_bytes"),
        ({"exploration": -1.0}, "exploration"),
        ({"exploration": float("nan")}, "exploration"),
        ({"playouts_per_leaf": 0}, "playouts_per_leaf"),
        ({"playouts_per_leaf": 65}, "playouts_per_leaf"),
        ({"expand_after": -1}, "expand_after"),
        ({"max_steps": 0}, "max_steps"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(NativeError, match=complaint):
        searching("tic_tac_toe", **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda search: search.run(seconds=-1.0),
        lambda search: search.run(playouts=-1),
    ],
)
def test_a_search_cannot_run_backwards(call: Callable[[Search], None]) -> None:
    with pytest.raises(NativeError):
        call(searching("tic_tac_toe"))


def test_roots_and_roles_that_the_game_does_not_have_are_refused() -> None:
    search = searching("tic_tac_toe")
    for words in (0, search.game.state_words + 1):
        with pytest.raises(NativeError, match="shape"):
            search.set_root(np.zeros(words, np.uint64))
    for role in (-1, 2):
        with pytest.raises(NativeError, match="no role"):
            search.root_moves(role)


def test_a_root_too_large_for_the_memory_is_refused() -> None:
    with pytest.raises(NativeError, match="memory_bytes is too small"):
        searching("gomoku", memory_bytes=1 << 12)
