"""A search with a solver at its side: the solver speaks when it knows, and stays out of the way before."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Search, Simulator, States
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.solved_game import SolvedGame
from tests.support.waiting import PATIENCE

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
