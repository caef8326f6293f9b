"""Games and evaluations can be sent to other processes, and are the same games there."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from ludens import games
from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import Evaluation, Game, Simulator
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.errors import NativeError
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.rewrite.rule_program import compile_program
from tests.support.evaluations import opinionated
from tests.support.searching import network


def with_symmetries() -> Game:
    net = network("breakthrough_small")
    return Game.from_propnet(net, symmetries(net, seconds=600.0))


GOALS = [[100, 0], [0, 100], [50, 50]]
MADE: dict[str, Callable[[], Game]] = {
    "network": with_symmetries,
    "checkers": lambda: native_game(CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)),
    "tak": lambda: Game.from_tak(4, half_komi=2, ply_limit=60),
    "gomoku": lambda: Game.from_gomoku(9, 10, 5, exact=True, goals=GOALS, first_role=1),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_game_that_was_sent_is_the_same(kind: str) -> None:
    game = MADE[kind]()
    assert game.can_be_sent
    sent = pickle.loads(pickle.dumps(game))
    assert (sent.moves, sent.state_bits, sent.constant_sum) == (game.moves, game.state_bits, game.constant_sum)
    assert (sent.symmetries is None) == (game.symmetries is None)
    one, other = (Simulator(each, 64, seed=3).playouts(200) for each in (game, sent))
    assert np.array_equal(one.goal_means, other.goal_means) and one.mean_length == other.mean_length
    again = pickle.loads(pickle.dumps(sent))
    assert np.array_equal(again.initial, game.initial)


def test_a_game_of_rules_is_not_sent() -> None:
    game = Game.from_rules(compile_program(parse_rules(games.read("tic_tac_toe"))))
    assert not game.can_be_sent
    with pytest.raises(NativeError, match="cannot be sent"):
        pickle.dumps(game)


def test_an_evaluation_that_was_sent_says_the_same() -> None:
    game = Game.from_propnet(network("connect_four"))
    evaluation = opinionated(game)
    sent: Evaluation = pickle.loads(pickle.dumps(evaluation))
    assert np.array_equal(sent.values(game.initial), evaluation.values(game.initial))
