"""What the native tree search would play, in games whose best play is known."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

import numpy as np
import pytest

from ludens.native.core import Game, States
from ludens.propnet.network.propnet import Propnet
from tests.support.search_sheets import COMMONS, DILEMMA, LOCK, PENNIES, THREE
from tests.support.searching import facts, goals_against_itself, network, searching, successor, text

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


def piles(net: Propnet, state: States) -> dict[str, int]:
    found = re.findall(r"\(pile (\w) (\d)\)", " ".join(facts(net, state)))
    return {pile: int(size) for pile, size in found}


def nim_sum(sizes: dict[str, int]) -> int:
    return reduce(xor, sizes.values(), 0)


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
    assert goals_against_itself("tic_tac_toe", searching("tic_tac_toe")) == [50, 50]


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
