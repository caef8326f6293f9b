"""Numbers of moves as features: those a state would have at each turn, in the network and in native code."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.agent.learning.features import whole_games, with_features
from ludens.native.core import Game, random_samples, unpack_bits
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.features.mobility import with_mobility
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states
from tests.support.evaluations import learned_weights


@cache
def network(name: str) -> Propnet:
    return load(parse_rules(games.read(name)))


@cache
def mobile(name: str) -> Propnet:
    return with_mobility(network(name), 60_000, 600.0, whole_games(network(name), math.inf))


def some_states(net: Propnet) -> BoolArray:
    states, _ = sample_states(net, seconds=60.0)
    return states[:: max(1, len(states) // 300)]


def at_turn(net: Propnet, states: BoolArray, turn: dict[str, bool]) -> BoolArray:
    """The states, but for whose turn it is."""
    changed = states.copy()
    for text, holds in turn.items():
        changed[:, net.propositions.index(text)] = holds
    return changed


def choices(net: Propnet, states: BoolArray, role: int) -> list[int]:
    return [int(n) for n in Evaluator(net).legal_by_role(states)[role].sum(axis=1)]


def bounds(column: npt.NDArray[np.bool_], counts: list[int]) -> bool:
    """Whether the feature says that the count reaches some bound, and not always the same."""
    reach = [n for n, holds in zip(counts, column, strict=True) if holds]
    miss = [n for n, holds in zip(counts, column, strict=True) if not holds]
    return bool(reach) and bool(miss) and max(miss) < min(reach)


@pytest.mark.parametrize("name", ["breakthrough", "reversi", "mini_chess"])
def test_both_roles_are_counted_whosever_turn_it_is(name: str) -> None:
    net = network(name)
    states = some_states(net)
    features = Evaluator(mobile(name)).features(states)
    counts = []
    for role, mover in enumerate(net.roles):
        turn = {f"(control {other})": other == mover for other in net.roles}
        counts.append(choices(net, at_turn(net, states, turn), role))
    told = [sum(bounds(column, of_role) for column in features.T) for of_role in counts]
    assert min(told) >= 5
    assert all(any(bounds(column, of_role) for of_role in counts) for column in features.T)


def test_where_control_does_not_come_round_the_moves_of_the_state_count() -> None:
    net = network("english_draughts")
    states = some_states(net)
    features = Evaluator(mobile("english_draughts")).features(states)
    counts = [choices(net, states, role) for role in range(2)]
    assert all(any(bounds(column, of_role) for of_role in counts) for column in features.T)
    assert len(features.T) >= 4


@pytest.mark.parametrize("name", ["gomoku", "tic_tac_toe", "pentago"])
def test_counts_that_follow_from_the_step_are_left_out(name: str) -> None:
    assert mobile(name) is network(name)


@pytest.mark.parametrize("name", ["breakthrough", "reversi", "english_draughts"])
def test_native_code_reads_what_the_network_says(name: str) -> None:
    net = mobile(name)
    game = Game.from_propnet(net)
    assert game.feature_bits == net.state_bits + len(net.features)
    samples = random_samples(game, 2_000, seed=3)
    bits = unpack_bits(samples.features, game.feature_bits)
    states = unpack_bits(samples.states(game), net.state_bits)
    np.testing.assert_array_equal(bits[:, : net.state_bits], states)
    np.testing.assert_array_equal(bits[:, net.state_bits :], Evaluator(net).features(states))


def test_the_game_is_the_same_with_features() -> None:
    name = "breakthrough"
    states = some_states(network(name))
    plain, counted = Evaluator(network(name)), Evaluator(mobile(name))
    assert network(name).propositions == mobile(name).propositions
    assert network(name).moves == mobile(name).moves
    np.testing.assert_array_equal(plain.legal(states), counted.legal(states))
    np.testing.assert_array_equal(plain.goals(states), counted.goals(states))
    np.testing.assert_array_equal(plain.terminal(states), counted.terminal(states))


def test_what_is_learned_uses_the_numbers_of_moves() -> None:
    game = Game.from_propnet(mobile("breakthrough"))
    weights = learned_weights(game, 1)
    assert weights.features == game.feature_bits
    assert np.abs(weights.linear[:, game.state_bits : -1]).max() > 0


def test_a_game_that_is_over_at_once_has_no_numbers() -> None:
    over = load(parse_rules(games.read("breakthrough_small") + "\n(<= terminal (true (control white)))"))
    assert with_mobility(over, 60_000, 600.0, whole_games(over, math.inf)) is over


def test_too_many_moves_and_loops_are_left_out() -> None:
    with pytest.raises(CompositionError):
        with_mobility(network("amazons"), 100, 10.0, ())
    assert with_features(network("breakthrough"), "state").net is network("breakthrough")
