"""Images of positions that are learned: held to the symmetries, and to what the network's evaluator finds in them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.features import with_features
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningGames, LearningPace, random_positions
from ludens.native.core import Evaluation, Game, PositionImages, TrainingSamples, pack_bits, unpack_bits
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states

_MANY = 600.0  # seconds: no machine is too slow
_NAMES = ["breakthrough_small", "knightthrough", "tic_tac_toe", "tron"]


@cache
def network(name: str) -> Propnet:
    """A network with features, if there are any: with counts, so that words hold both a state and features."""
    return with_features(load(games.read(name)), "mobility", _MANY).net


@cache
def found_in(name: str) -> Int32Array:
    return symmetries(network(name), seconds=_MANY)


def positions(name: str, copies: int) -> TrainingSamples:
    """States of random games, each so many times."""
    net = network(name)
    states = np.repeat(sample_states(net, 4, seconds=_MANY)[0][:40], copies, axis=0)
    bits = np.concatenate([states, Evaluator(net).features(states)], axis=1)
    return TrainingSamples(pack_bits(bits), np.zeros((len(states), len(net.roles)), np.float32), 1)


@pytest.mark.parametrize("name", _NAMES)
def test_positions_become_images_of_themselves(name: str) -> None:
    net, found, before = network(name), found_in(name), positions(name, 60)
    game = Game.from_propnet(net, found)
    after = PositionImages(game, 3).drawn(before)
    states = unpack_bits(before.features, game.feature_bits)[:, : net.state_bits]
    drawn = unpack_bits(after.features, game.feature_bits)
    np.testing.assert_array_equal(drawn[:, net.state_bits :], Evaluator(net).features(drawn[:, : net.state_bits]))
    np.testing.assert_array_equal(after.targets, before.targets)
    images = [states]
    for row in found:
        images.append(np.zeros_like(states))
        images[-1][:, row] = states
    different = [i for i in range(len(states)) if len({image[i].tobytes() for image in images}) == len(images)]
    same = np.array([(drawn[:, : net.state_bits] == image).all(axis=1) for image in images])[:, different]
    assert same.any(axis=0).all() and len(different) > 600
    assert (abs(same.mean(axis=1) - 1 / len(images)) < 0.1).all()


def test_what_is_drawn_follows_from_the_seed_and_leaves_the_samples_alone() -> None:
    game, before = Game.from_propnet(network("tron"), found_in("tron")), positions("tron", 2)
    kept = before.features.copy()
    first, same, other = (PositionImages(game, seed).drawn(before) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.features, same.features)
    assert (first.features != other.features).any()
    np.testing.assert_array_equal(before.features, kept)


def test_a_game_without_known_symmetries_keeps_its_positions() -> None:
    before = positions("tron", 1)
    np.testing.assert_array_equal(
        PositionImages(Game.from_propnet(network("tron"))).drawn(before).features, before.features
    )


def test_no_positions() -> None:
    game, some = Game.from_propnet(network("tron"), found_in("tron")), positions("tron", 1)
    none = TrainingSamples(some.features[:0], some.targets[:0], 0)
    assert len(PositionImages(game).drawn(none).features) == 0


@pytest.mark.parametrize("damage", [-1, 10**6, 0])
def test_what_is_no_permutation_is_refused(damage: int) -> None:
    rows = found_in("tron").copy()
    rows[0, :2] = damage
    with pytest.raises(NativeError, match="a symmetry is no permutation"):
        PositionImages(Game.from_propnet(network("tron"), rows))


def test_rounds_of_self_play_are_learned_as_images() -> None:
    net, found = network("tron"), found_in("tron")
    plain, imaged = Game.from_propnet(net), Game.from_propnet(net, found)
    pace = LearningPace(1000, 0.0, 1 << 17, 0.0)
    evaluation = Evaluation(Learner(plain, 1, workers=0, pace=pace).weights)
    expected, learned = (LearningGames(game, 4, 1, pace).play(evaluation, 0) for game in (plain, imaged))
    assert expected is not None and learned is not None
    expected = PositionImages(imaged, 1).drawn(expected)
    np.testing.assert_array_equal(learned.features, expected.features)
    np.testing.assert_array_equal(learned.targets, expected.targets)


def test_random_games_are_learned_as_images() -> None:
    net, found = network("tron"), found_in("tron")
    plain, imaged = (
        random_positions(game, LearningPace(1000, 0.0), np.random.default_rng(1))
        for game in (Game.from_propnet(net), Game.from_propnet(net, found))
    )
    states, images = (unpack_bits(each.features, net.state_bits) for each in (plain, imaged))
    assert 0.5 < (states != images).any(axis=1).mean() < 0.9  # of four images one is the position itself


def test_one_symmetry_alone_is_not_learned_from() -> None:
    net, found = network("breakthrough_small"), found_in("breakthrough_small")
    assert len(found) == 1
    plain, same = (
        random_positions(game, LearningPace(1000, 0.0), np.random.default_rng(1))
        for game in (Game.from_propnet(net), Game.from_propnet(net, found))
    )
    np.testing.assert_array_equal(plain.features, same.features)
