"""What the native tree search tells whoever asks, and when a run ends."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from ludens.native.core import Game, Search, Simulator, States
from tests.support.search_sheets import PENNIES
from tests.support.searching import network, searching, successor
from tests.support.waiting import PATIENCE


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


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_expected_of_a_solved_game_begins_with_the_best_move(threads: int) -> None:
    """Several first moves are as good, and threads may have proven different ones."""
    game = Game.from_gomoku(3, 3, 3, exact=False, goals=[[100, 0], [0, 100], [50, 50]])
    for seed in range(60):
        search = Search(game, lanes=64, threads=threads, seed=seed, memory_bytes=1 << 26)
        while not search.stats().solved:
            search.run(playouts=20_000)
        known = search.root_moves(0)
        assert known.proven[known.best] == 50
        assert search.expected_line(1).tolist() == [[known.moves[known.best], 9]]


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
    search = searching("connect_four", threads=threads)
    seen: list[int] = []
    worker = threading.Thread(target=search.run, daemon=True)
    worker.start()
    while len(seen) < 200 or seen[-1] == 0:
        seen.append(int(search.root_moves(0).visits.sum()))
        search.expected_line()
        search.stats()
    assert worker.is_alive()
    search.stop()
    worker.join(PATIENCE)
    assert not worker.is_alive()
    assert all(a <= b for a, b in pairwise(seen))


def test_a_run_ends_with_its_time() -> None:
    search = searching("connect_four")
    while not search.stats().playouts:  # nothing, if all the time is taken from it by others
        run = threading.Thread(target=search.run, kwargs={"seconds": 0.05}, daemon=True)
        run.start()
        run.join(PATIENCE)
        assert not run.is_alive()
    assert not search.stats().solved


def test_a_solved_game_ends_its_run_too() -> None:
    search = searching(PENNIES)
    search.run(seconds=0.05)
    search.run(playouts=10_000)
    assert search.stats().iterations >= 10_000
