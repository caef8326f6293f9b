"""The few random games of which preparation asks several times: played once, and changed by nobody."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

from ludens.agent.learning.random_games import few_games, only_places
from ludens.native.core import Game
from tests.support.searching import network


def tic_tac_toe() -> Game:
    return Game.from_propnet(network("tic_tac_toe"))


def test_they_are_played_once_for_a_seed() -> None:
    game = tic_tac_toe()
    played = few_games(game)
    assert few_games(game, 0) is few_games(game, seed=0) is played
    other = few_games(game, 1)
    assert not np.array_equal(other.steps[0].joint, played.steps[0].joint)
    assert few_games(tic_tac_toe()) is not played


def test_nobody_can_change_them() -> None:
    played = few_games(tic_tac_toe())
    step = played.steps[0]
    of_step = (step.games, step.states, step.choices, step.joint, step.following)
    for array in (*of_step, played.lengths, played.ended, played.terminal, played.goals, played.movable):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_they_do_not_keep_their_game() -> None:
    game = tic_tac_toe()
    few_games(game)
    left = ref(game)
    del game
    gc.collect()
    assert left() is None


@pytest.mark.parametrize(
    ("name", "placing"),
    [
        ("hex_small", True),
        ("connect_four", True),
        ("connect_four_three", True),
        ("tic_tac_toe", True),
        ("breakthrough_small", False),
        ("pentago", False),  # whose moves also turn a quarter of the board
        ("reversi", False),
        ("eight_puzzle", False),
    ],
)
def test_games_of_placing_alone_are_known(name: str, placing: bool) -> None:
    assert only_places(Game.from_propnet(network(name))) == placing
