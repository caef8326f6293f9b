"""A search with a solver at its side: the solver speaks when it knows, and stays out of the way before."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Search, Simulator, States
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.search_sheets import DILEMMA, HEAP
from tests.support.searching import network, proven_goals, successor
from tests.support.solved_game import SolvedGame
from tests.support.waiting import PATIENCE, until

NET = load(games.read("connect_four"))
GAME = Game.from_propnet(NET)


def _late_state(plies_left: int) -> States:
    """From the longest of some random games."""
    simulator = Simulator(GAME, lanes=512, seed=5)
    state = GAME.initial[None]
    for joint in max(simulator.record(), key=len)[:-plies_left]:
        state = simulator.next(state, joint[None])
    return state


@pytest.mark.parametrize("strategy", ["uct", "flat"])
def test_near_the_end_the_proven_move_is_played(strategy: str) -> None:
    state = _late_state(12)
    search = Search(GAME, strategy=strategy, solver_share=0.5)
    search.set_root(state[0])
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    simulator = Simulator(GAME)
    legal = simulator.legal(state)
    mover = int(legal[0].sum() <= 1)
    found = search.root_moves(mover)
    joint = np.array([[legal[0][0].argmax(), legal[1][0].argmax()]], np.int32)
    joint[0, mover] = found.moves[found.best]
    solved = SolvedGame(NET, state)
    child = solved.values[solved.number[simulator.next(state, joint)[0].tobytes()]]
    assert child == solved.values[0]


def test_far_from_the_end_the_search_is_as_it_was() -> None:
    net = load(games.read("breakthrough"))
    game = Game.from_propnet(net)

    def found(share: float) -> list[int]:
        search = Search(game, solver_share=share)
        search.run(playouts=5_000)
        return list(search.root_moves(0).visits)

    assert found(0.0) == found(0.5)


def test_a_share_that_leaves_nothing_for_the_search_is_refused() -> None:
    with pytest.raises(NativeError, match="solver_share"):
        Search(GAME, solver_share=1.0)


@pytest.mark.parametrize("memory_bytes", [1 << 16, 1 << 22])
def test_a_search_and_its_solver_share_the_memory(memory_bytes: int) -> None:
    assert Search(GAME, solver_share=0.5, memory_bytes=memory_bytes).stats().memory_bytes <= memory_bytes


def test_too_little_memory_is_refused_with_a_solver_too() -> None:
    with pytest.raises(NativeError, match="memory_bytes must be at least 4096"):
        Search(GAME, solver_share=0.5, memory_bytes=4095)


def test_the_search_has_the_time_that_the_solver_does_not_use() -> None:
    """Where both choose at once, and both may gain, nothing is to be solved, so the run goes on until it is stopped."""
    search = Search(Game.from_propnet(network(DILEMMA)), solver_share=0.9)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(search.run, seconds=PATIENCE)
        try:
            until(lambda: search.stats().playouts > 0)
            assert not run.done()
        finally:
            search.stop()
        run.result()


def test_a_report_is_of_one_root_also_while_the_root_changes() -> None:
    """Of four things one is to be taken, of two both: never are both moves won."""
    net = network(HEAP)
    search = Search(Game.from_propnet(net), strategy="flat", solver_share=0.5, memory_bytes=1 << 20)
    four = successor(net, successor(net, search.game.initial, ["(take 1)", "wait"]), ["wait", "(take 1)"])
    two = successor(net, successor(net, four, ["(take 1)", "wait"]), ["wait", "(take 1)"])
    for root in (four, two):
        search.set_root(root)
        search.run(playouts=1_000)
        assert sorted(proven_goals(net, 0, search).values())[1] == 100
    over = threading.Event()

    def change_roots() -> None:
        while not over.is_set():
            search.set_root(four)
            search.set_root(two)

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change_roots)
        reports = [search.root_moves(0).proven.tolist() for _ in range(100_000)]
        over.set()
        changing.result()
    assert [100, 100] not in reports
