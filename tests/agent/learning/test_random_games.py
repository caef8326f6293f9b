"""The few random games of which preparation asks several times: played once, changed by nobody, and what they show."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.random_games import few_games, only_places
from ludens.games.checkers.bitboards import native_game as checkers
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.games.gomoku import rules as gomoku
from ludens.games.gomoku.rules import GomokuRules
from ludens.native.core import Game
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.strength.simultaneous_sheets import matrix
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


def test_games_of_placing_alone_are_known_however_they_are_played() -> None:
    rules = parse_rules(games.read("connect_four"))
    assert only_places(Game.from_rules(compile_program(rules)))
    assert only_places(gomoku.native_game(GomokuRules(7, 7, 4)))
    assert not only_places(checkers.native_game(CheckersRules(jumps=Jumps.BY_PLIES)))


def test_games_of_one_step_show_nothing_of_what_moves_do() -> None:
    assert not only_places(Game.from_propnet(load(parse_rules(matrix([[50, 0], [0, 50]])))))
