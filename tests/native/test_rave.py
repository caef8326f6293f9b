"""RAVE: which moves a random game made, as machines note them; and a search that learns from moves made later."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludens import games
from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import Game, Search, Simulator, instruction_sets, unpack_bits
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.rewrite.rule_program import compile_program
from tests.support.search_sheets import FORK, LOCK, PENNIES, THREE
from tests.support.searching import goals_against_itself, network, searching, successor

# Twenty of forty switches are pressed, one after the other; one game in 42 presses the five that matter. Which to
# begin with hardly shows in the games that began so, and soon in all those in which it was pressed at any time.
SWITCHES = """
(role p)
(init (left 20))
{numbers}
(<= (legal p (press ?n)) (switch ?n) (not (true (on ?n))))
(<= (next (on ?n)) (does p (press ?n)))
(<= (next (on ?n)) (true (on ?n)))
(<= (next (left ?m)) (true (left ?n)) (after ?m ?n))
(<= terminal (true (left 0)))
(<= lit (true (on 7)) (true (on 11)) (true (on 19)) (true (on 28)) (true (on 36)))
(<= (goal p 100) lit)
(<= (goal p 0) (not lit))
""".format(
    numbers=" ".join(f"(switch {n})" for n in range(1, 41)) + " ".join(f"(after {n} {n + 1})" for n in range(20))
)
MATTER = {f"(press {n})" for n in (7, 11, 19, 28, 36)}


def made(simulator: Simulator, length: int) -> None:
    """Compares what the machine noted of random games with the games themselves."""
    counts = simulator.game.moves
    firsts = np.cumsum([0, *counts[:-1]])
    recorded = simulator.record(max_steps=length)
    simulator.playouts(100)  # of which nothing is noted
    noted = unpack_bits(simulator.noted(), sum(counts))
    assert len({len(moves) for moves in recorded}) > 1 or length < 100
    for moves, bits in zip(recorded, noted, strict=True):
        expected = np.zeros(sum(counts), np.bool_)
        expected[(moves + firsts)[moves >= 0]] = True
        assert np.array_equal(bits, expected)


@pytest.mark.parametrize("isa", instruction_sets())
@pytest.mark.parametrize("name", ["breakthrough", "tron", "hex_small", "connect_four"])
def test_networks_note_the_moves_of_each_lane(name: str, isa: str) -> None:
    simulator = Simulator(Game.from_propnet(network(name)), instruction_set=isa, seed=4)
    made(simulator, 300)
    simulator.playouts(2000)  # lanes are loaded at different times
    made(simulator, 9)


def test_networks_with_a_policy_that_learns_note_the_moves_of_each_lane() -> None:
    made(Simulator(Game.from_propnet(replace(network("breakthrough"), machine_policy="mast")), seed=4), 300)


def test_interpreted_rules_note_the_moves_of_each_lane() -> None:
    game = Game.from_rules(compile_program(parse_rules(games.read("tic_tac_toe"))))
    made(Simulator(game, 64, seed=4), 300)


@pytest.mark.parametrize("jumps", [Jumps.BY_PLIES, Jumps.UP_TO_THREE])
def test_checkers_boards_note_the_moves_of_each_lane(jumps: Jumps) -> None:
    simulator = Simulator(native_game(CheckersRules(jumps=jumps, idle_limit=40)), seed=4)
    made(simulator, 400)
    made(simulator, 30)


@pytest.mark.parametrize("lanes", [64, 512])
def test_moves_made_later_tell_which_to_make_first(lanes: int) -> None:
    net = network(SWITCHES)
    search = Search(Game.from_propnet(net), strategy="rave", lanes=lanes, memory_bytes=1 << 24, seed=2)
    search.run(playouts=20_000)
    line = [net.moves[0][joint[0]] for joint in search.expected_line()]
    assert set(line[:5]) == MATTER


def test_a_promising_move_becomes_an_edge_before_all_others_were_tried() -> None:
    net = network(SWITCHES)
    search = Search(Game.from_propnet(net), strategy="rave", lanes=64, memory_bytes=1 << 24, seed=2)
    search.run(playouts=4_000)
    state = Game.from_propnet(net).initial
    known = search.root_moves(0)
    press = net.moves[0][known.moves[known.best]]
    before = search.stats().playouts
    search.set_root(successor(net, state, [press]))
    below = search.root_moves(0)
    assert search.stats().playouts == before
    assert below.visits.sum() > 100
    assert (below.visits == 0).any()
    assert net.moves[0][below.moves[below.best]] in MATTER


def test_it_proves_what_uct_proves() -> None:
    search = searching(LOCK, strategy="rave")
    search.run(playouts=20_000)
    turned = [network(LOCK).moves[0][joint[0]] for joint in search.expected_line()]
    assert turned == [f"(turn {digit})" for digit in (2, 1, 3, 3, 1)]
    three = searching(THREE, strategy="rave")
    three.run(playouts=20_000)
    assert three.stats().solved


@pytest.mark.parametrize("options", [{}, {"playouts_per_leaf": 4}, {"threads": 2}, {"memory_bytes": 60_000}])
def test_it_draws_tic_tac_toe_against_itself(options: dict[str, int]) -> None:
    search = searching("tic_tac_toe", strategy="rave", **options)
    assert goals_against_itself("tic_tac_toe", search) == [50, 50]


def test_two_who_choose_at_once_stay_unpredictable() -> None:
    search = searching(PENNIES, strategy="rave")
    search.run(playouts=20_000)
    visits = search.root_moves(0).visits
    assert 0.4 < visits[0] / visits.sum() < 0.6


def test_it_stays_within_its_memory_and_finds_its_way_when_it_is_full() -> None:
    search = searching("breakthrough", strategy="rave", memory_bytes=1 << 20)
    search.run(playouts=30_000)
    stats = search.stats()
    assert stats.recycled > 0
    assert stats.memory_bytes <= 1 << 20
    assert search.root_moves(0).visits.sum() > 0


def test_a_root_that_takes_all_room_makes_it_forget() -> None:
    search = searching(FORK, strategy="rave", memory_bytes=8000, seed=1)
    search.run(playouts=3_000)
    assert np.nanmax(search.root_moves(0).values) <= 1


def test_the_same_seed_takes_the_same_course() -> None:
    courses = []
    for _ in range(2):
        search = searching("hex_small", strategy="rave", seed=7)
        search.run(playouts=8_000)
        courses.append((search.stats().nodes, search.root_moves(0).visits.tolist()))
    assert courses[0] == courses[1]


def test_what_it_tells_of_its_memory_includes_its_statistics_of_all_moves() -> None:
    """An eighth of the memory, rounded down to a power of two of tables, is for those."""
    memory_bytes = 1 << 24
    search = searching("connect_four", strategy="rave", memory_bytes=memory_bytes)
    assert memory_bytes * 0.93 < search.stats().memory_bytes <= memory_bytes
