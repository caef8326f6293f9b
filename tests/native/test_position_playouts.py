"""Random games from many positions: as many as wanted, the means of those from each alone, cut where they must be."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.from_propnet(load(games.read("tic_tac_toe")))


def positions(game: Game) -> np.ndarray:
    """The states of one random game, its end included."""
    simulator = Simulator(game, lanes=64, seed=3)
    states = [game.initial]
    for joint in simulator.record()[0]:
        states.append(simulator.next(states[-1], joint)[0])
    return np.array(states)


def test_means_are_those_of_games_from_each_position_alone(game: Game) -> None:
    states = positions(game)
    wanted = np.full(len(states), 20_000)
    sums, _ = Simulator(game, lanes=64, seed=5).playouts_from(states, wanted)
    for state, means in zip(states, sums / 20_000, strict=True):
        alone = Simulator(game, seed=6).playouts(20_000, state=state)
        assert np.abs(means - alone.goal_means).max() <= 6 * (2 / 20_000) ** 0.5 * alone.goal_deviations.max()


def test_each_position_gets_its_number_of_games(game: Game) -> None:
    """The goals of a game of tic-tac-toe sum to 100, whoever wins."""
    states = positions(game)
    wanted = np.arange(len(states)) ** 3 % 401
    sums, steps = Simulator(game, lanes=64, seed=1).playouts_from(states, wanted)
    assert sums.sum(axis=1).tolist() == (100 * wanted).tolist()
    assert 0 < steps < 9 * wanted.sum()


def test_steps_are_counted_and_long_games_cut(game: Game) -> None:
    for cut in (1, 3, 4):  # nobody has won before the fifth move
        sums, steps = Simulator(game, lanes=64, seed=2).playouts_from(game.initial, np.array([1000]), max_steps=cut)
        assert (steps, sums.sum()) == (1000 * cut, 100 * 1000)


def test_ended_games_take_no_step(game: Game) -> None:
    last = positions(game)[-1:]
    sums, steps = Simulator(game, lanes=64).playouts_from(last, np.array([70]))
    assert steps == 0
    assert (sums / 70).tolist() == Simulator(game).goals(last).tolist()


def test_the_same_seed_plays_the_same_games_with_every_instruction_set(game: Game) -> None:
    states, wanted = positions(game), np.full(10, 50)
    first = Simulator(game, lanes=128, seed=4).playouts_from(states, wanted[: len(states)])
    for name in ("baseline", None):
        again = Simulator(game, lanes=128, seed=4, instruction_set=name).playouts_from(states, wanted[: len(states)])
        assert (again[0].tolist(), again[1]) == (first[0].tolist(), first[1])


def test_what_makes_no_sense_is_refused(game: Game) -> None:
    simulator = Simulator(game)
    with pytest.raises(NativeError, match="games"):
        simulator.playouts_from(game.initial, np.array([-1]))
    with pytest.raises(NativeError, match="shape"):
        simulator.playouts_from(game.initial, np.array([1, 2]))
