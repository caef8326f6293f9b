"""Images of positions that are learned: held to the symmetries, and to what the network's evaluator finds in them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.features import with_features
from ludens.native.core import Game, PositionImages, TrainingSamples, pack_bits, unpack_bits
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


def test_positions_of_another_game_are_refused() -> None:
    game, other = Game.from_propnet(network("tron"), found_in("tron")), positions("tic_tac_toe", 1)
    assert other.features.shape[1] != game.feature_words
    with pytest.raises(NativeError, match="an array of shape"):
        PositionImages(game).drawn(other)


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


def test_a_game_without_propositions() -> None:
    rules = "(role a) (role b) (legal a x) (legal b x) terminal (goal a 50) (goal b 50)"
    game = Game.from_propnet(load(rules), np.empty((3, 0), np.int32))
    assert game.state_bits == 0
    before = TrainingSamples(np.zeros((5, game.state_words), np.uint64), np.zeros((5, 2), np.float32), 5)
    np.testing.assert_array_equal(PositionImages(game).drawn(before).features, before.features)


def test_no_symmetries() -> None:
    before, net = positions("tron", 1), network("tron")
    game = Game.from_propnet(net, np.empty((0, net.state_bits), np.int32))
    np.testing.assert_array_equal(PositionImages(game).drawn(before).features, before.features)
