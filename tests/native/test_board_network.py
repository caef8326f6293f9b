"""Networks over boards in the native core: the same to the last bit as a reference in numpy, and of use to searches."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens.native.core import (
    BoardEvaluation,
    BoardNetwork,
    BoardNetworkWeights,
    Game,
    Search,
    board_weight_shapes,
    random_samples,
    unpack_bits,
)
from ludens.native.core.board_network import ONE
from ludens.propnet.base.errors import NativeError
from tests.support.board_network import (
    FULL,
    MOST_BIAS,
    compiled_sets,
    extreme_weights,
    neighbours,
    random_weights,
    reference,
    written_planes,
)
from tests.support.searching import network as propnet

pytestmark = pytest.mark.lanes
ALL_AROUND = [(0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
STRAIGHT = [(0, 0), (-1, 0), (0, -1), (0, 1), (1, 0)]
HEXAGONS = [(0, 0), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
# Rows, columns, steps, planes, width, blocks, outputs.
BOARDS: dict[str, tuple[int, int, list[tuple[int, int]], int, int, int, int]] = {
    "one square": (1, 1, [(0, 0)], 1, 32, 0, 1),
    "one square with blocks": (1, 1, [(0, 0)], 2, 128, 2, 3),
    "3 x 3": (3, 3, ALL_AROUND, 3, 64, 1, 2),
    "8 x 8": (8, 8, ALL_AROUND, 12, 32, 3, 2),
    "19 x 19": (19, 19, STRAIGHT, 5, 32, 1, 2),
    "hexagons": (11, 11, HEXAGONS, 6, 96, 2, 3),
    "connect four": (6, 7, ALL_AROUND, 40, 128, 1, 16),
    "track": (1, 24, [(0, 0), (0, 2), (0, -7)], 7, 64, 3, 1),
    "the most": (20, 20, ALL_AROUND, 255, 128, 0, 1),
}


@cache
def weights_of(name: str, seed: int = 1) -> BoardNetworkWeights:
    rows, columns, steps, planes, width, blocks, outputs = BOARDS[name]
    return random_weights(neighbours(rows, columns, steps), planes, width, blocks, outputs, seed)


def random_planes(weights: BoardNetworkWeights, count: int, seed: int = 1) -> npt.NDArray[np.uint8]:
    """Returns positions of any activations, one with none and one with all of them among them."""
    shape = (count, weights.planes, weights.squares)
    rng = np.random.default_rng(seed)
    planes = rng.integers(0, FULL + 1, shape, dtype=np.uint8) * (rng.random(shape) < rng.random((count, 1, 1)))
    planes[0], planes[-1] = 0, FULL
    return planes


@pytest.mark.parametrize("name", BOARDS)
def test_every_instruction_set_says_what_the_reference_says(name: str) -> None:
    drawn = weights_of(name)
    planes = random_planes(drawn, 5)
    mixed = np.random.default_rng(3)
    signs = [np.where(mixed.random(w.shape) < 0.5, w, -w).astype(w.dtype) for w in extreme_weights(drawn, 1)]
    at_random = BoardNetworkWeights._make(signs)._replace(seen=drawn.seen)
    for weights in (drawn, extreme_weights(drawn, 1), extreme_weights(drawn, -1), at_random):
        wanted = reference(weights, planes).tolist()
        for instruction_set in compiled_sets():
            assert BoardNetwork(weights, instruction_set).evaluate(planes).tolist() == wanted


def test_outputs_of_drawn_weights_tell_positions_apart() -> None:
    """Or the test above would test little."""
    for name in BOARDS:
        weights = weights_of(name)
        assert len(np.unique(reference(weights, random_planes(weights, 5)), axis=0)) >= 3


def test_many_positions_are_worth_what_each_is_alone() -> None:
    weights = weights_of("3 x 3")
    network, planes = BoardNetwork(weights), random_planes(weights, 600)
    alone = [network.evaluate(each[None])[0].tolist() for each in planes]
    assert network.evaluate(planes).tolist() == alone


def test_sums_may_be_as_large_as_sizes_and_biases_allow() -> None:
    """Hidden units see 20 * 20 * 128 activations of 127, and are cut off at 127 unless the sum has overflowed."""
    largest = extreme_weights(weights_of("the most"), 1)
    units = 32 * FULL * FULL
    for sign in (1, -1):
        weights = largest._replace(value=sign * largest.value, value_biases=sign * largest.value_biases)
        outputs = BoardNetwork(weights).evaluate(random_planes(weights, 2))
        assert (outputs == sign * (units + MOST_BIAS)).all()


def bad_weights() -> list[tuple[dict[str, Any], str]]:
    good = weights_of("3 x 3")
    beyond = good.seen.copy()
    beyond[2, 3] = 10
    return [
        ({"stem": good.stem.astype(np.int16)}, "int16"),
        ({"stem": good.stem.tolist()}, "dimensions"),
        ({"stem": good.stem[0]}, "dimensions"),
        ({"stem": good.stem[:, :8]}, "shape"),
        ({"stem": np.where(good.stem == good.stem[0, 0, 0], -128, good.stem).astype(np.int8)}, "-128"),
        ({"value": np.full_like(good.value, -128)}, "-128"),
        ({"convolutions": good.convolutions[:1]}, "shape"),
        ({"hidden": good.hidden[:, :8]}, "shape"),
        ({"hidden_biases": good.hidden_biases.astype(np.int64)}, "int64"),
        ({"hidden_biases": good.hidden_biases + np.int32(MOST_BIAS + 5000)}, "too large"),
        ({"biases": np.full_like(good.biases, -MOST_BIAS - 1)}, "too large"),
        ({"value_biases": np.full_like(good.value_biases, MOST_BIAS + 1)}, "too large"),
        ({"value_biases": good.value_biases[:1]}, "shape"),
        ({"seen": beyond}, "sees a square"),
        ({"seen": -beyond}, "sees a square"),
        ({"seen": good.seen.astype(np.float32)}, "whole numbers"),
        ({"seen": good.seen.astype(np.int64) + (1 << 32)}, "out of range"),
        ({"seen": good.seen[:8]}, "shape"),
        ({"seen": good.seen.ravel()}, "dimensions"),
    ]


@pytest.mark.parametrize(("change", "message"), bad_weights())
def test_weights_that_make_no_network_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(NativeError, match=message):
        BoardNetwork(weights_of("3 x 3")._replace(**change))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 1, 1, 32, 0, 1), "squares"),
        ((401, 1, 1, 32, 0, 1), "squares"),
        ((1, 0, 1, 32, 0, 1), "taps"),
        ((1, 10, 1, 32, 0, 1), "taps"),
        ((1, 1, 0, 32, 0, 1), "planes"),
        ((1, 1, 256, 32, 0, 1), "planes"),
        ((1, 1, 1, 48, 0, 1), "width"),
        ((1, 1, 1, 160, 0, 1), "width"),
        ((1, 1, 1, 32, 17, 1), "blocks"),
        ((1, 1, 1, 32, 0, 0), "outputs"),
        ((1, 1, 1, 32, 0, 17), "outputs"),
    ],
)
def test_sizes_out_of_range_are_refused(sizes: tuple[int, int, int, int, int, int], message: str) -> None:
    with pytest.raises(NativeError, match=message):
        BoardNetwork(board_weight_shapes(*sizes))


def test_positions_that_are_none_are_refused() -> None:
    weights = weights_of("3 x 3")
    network = BoardNetwork(weights)
    planes = random_planes(weights, 3)
    assert network.evaluate(planes[:0]).shape == (0, 2)
    for bad, message in (
        (planes[:, :2], "shape"),
        (planes[:, :, :8], "shape"),
        (planes[0], "shape"),
        (planes.astype(np.int32), "int32"),
        (planes + np.uint8(1), "more than 127"),
    ):
        with pytest.raises(NativeError, match=message):
            network.evaluate(bad)  # type: ignore[arg-type]
    with pytest.raises(NativeError, match="not available"):
        BoardNetwork(weights, "mmx")


# Rows, columns, planes, width, blocks.
GAMES = {"tic_tac_toe": (3, 3, 4, 64, 2), "breakthrough_small": (6, 6, 5, 32, 1), "connect_four": (6, 7, 9, 32, 1)}


class Described:
    """A game, with planes that say of its propositions what chance has it, and a network over these."""

    def __init__(self, name: str, seed: int = 1) -> None:
        self.game = Game.from_propnet(propnet(name))
        rows, columns, planes, width, blocks = GAMES[name]
        squares, bits = rows * columns, self.game.state_bits
        rng = np.random.default_rng(seed)
        drawn = np.concatenate([rng.permutation(bits) for _ in range(-(-planes * squares // bits))])
        self.columns = drawn[: planes * squares].reshape(planes, squares).astype(np.int32)
        self.columns[rng.random(self.columns.shape) < 0.3] = -1
        self.fills = [
            (int(rng.integers(bits)), int(rng.integers(planes)), int(rng.integers(FULL + 1))) for _ in range(12)
        ]
        self.weights = random_weights(
            neighbours(rows, columns, ALL_AROUND), planes, width, blocks, self.game.roles, seed
        )

    def evaluation(self, instruction_set: str | None = None) -> BoardEvaluation:
        return BoardEvaluation(BoardNetwork(self.weights, instruction_set), self.game, self.columns, self.fills)


@cache
def described(name: str) -> Described:
    return Described(name)


@pytest.mark.parametrize("name", GAMES)
def test_states_are_worth_what_the_network_says_of_their_planes(name: str) -> None:
    here = described(name)
    states = random_samples(here.game, 37, seed=2).features
    outputs = reference(
        here.weights, written_planes(unpack_bits(states, here.game.state_bits), here.columns, here.fills)
    )
    goals = 100 / (1 + np.exp(-2 * outputs / ONE))
    assert len(np.unique(outputs, axis=0)) > 10
    for instruction_set in compiled_sets():
        assert here.evaluation(instruction_set).values(states) == pytest.approx(goals, abs=1e-3)


def test_planes_may_be_of_features_that_the_game_adds_to_its_propositions() -> None:
    net = propnet("tic_tac_toe")
    game, weights = Game.from_propnet(replace(net, features=net.legal)), described("tic_tac_toe").weights
    columns = np.random.default_rng(5).integers(net.state_bits, game.feature_bits, (4, 9)).astype(np.int32)
    states = random_samples(game, 20, seed=3).features
    outputs = reference(weights, written_planes(unpack_bits(states, game.feature_bits), columns, []))
    goals = BoardEvaluation(BoardNetwork(weights), game, columns).values(states)
    assert len(np.unique(outputs, axis=0)) > 5
    assert goals == pytest.approx(100 / (1 + np.exp(-2 * outputs / ONE)), abs=1e-3)


def test_no_planes_at_all_are_all_the_same() -> None:
    here = described("tic_tac_toe")
    states = random_samples(here.game, 10, seed=2).features
    goals = BoardEvaluation(BoardNetwork(here.weights), here.game, np.full_like(here.columns, -1)).values(states)
    nothing = reference(here.weights, np.zeros((1, *here.columns.shape), np.uint8))
    assert goals == pytest.approx(np.repeat(100 / (1 + np.exp(-2 * nothing / ONE)), len(states), axis=0), abs=1e-3)


def test_threads_share_networks_of_all_sizes() -> None:
    networks = [BoardNetwork(weights_of(name)) for name in BOARDS]
    planes = [random_planes(network.weights, 8) for network in networks]
    alone = [network.evaluate(each).tolist() for network, each in zip(networks, planes, strict=True)]
    here = described("connect_four")
    evaluation, states = here.evaluation(), random_samples(here.game, 60, seed=4).features
    goals = evaluation.values(states).tolist()

    def evaluate_all(first: int) -> bool:
        for at in range(first, first + 2 * len(networks)):
            which = at % len(networks)
            if networks[which].evaluate(planes[which]).tolist() != alone[which]:
                return False
        return bool(evaluation.values(states).tolist() == goals)

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(evaluate_all, range(6)))


def test_what_does_not_fit_the_game_is_refused() -> None:
    here = described("tic_tac_toe")
    network, bits = BoardNetwork(here.weights), here.game.state_bits
    assert BoardEvaluation(network, here.game, np.full_like(here.columns, bits - 1)).values(here.game.initial).size == 2
    for columns, fills, message in (
        (np.full_like(here.columns, bits), (), "not a bit"),
        (np.full_like(here.columns, np.iinfo(np.int32).max), (), "not a bit"),
        (np.full_like(here.columns, -2), (), "not a bit"),
        (here.columns[:, :8], (), "shape"),
        (here.columns.astype(np.float64), (), "whole numbers"),
        (here.columns.astype(np.int64) + (1 << 40), (), "out of range"),
        (here.columns, [(bits, 0, 1)], "not a bit"),
        (here.columns, [(-1, 0, 1)], "not a bit"),
        (here.columns, [(0, 4, 1)], "plane"),
        (here.columns, [(0, -1, 1)], "plane"),
        (here.columns, [(0, 0, 128)], "127"),
        (here.columns, [(0, 0, -1)], "127"),
        (here.columns, [(0, 0)], "shape"),
        (here.columns, [0, 0, 1], "shape"),
        (here.columns, [(0, 0, 0.5)], "whole numbers"),
    ):
        with pytest.raises(NativeError, match=message):
            BoardEvaluation(network, here.game, columns, fills)
    one_output = BoardNetwork(random_weights(here.weights.seen, 4, 32, 0, 1, 1))
    with pytest.raises(NativeError, match="role"):
        BoardEvaluation(one_output, here.game, here.columns)
    other = Game.from_propnet(propnet("connect_four"))
    with pytest.raises(NativeError, match="another game"):
        Search(other, strategy="guided", evaluation=here.evaluation())
    with pytest.raises(NativeError, match="shape"):
        here.evaluation().values(other.initial)


def test_networks_are_pickled_by_their_weights() -> None:
    weights = weights_of("hexagons")
    planes = random_planes(weights, 4)
    again = pickle.loads(pickle.dumps(BoardNetwork(weights)))
    assert again.evaluate(planes).tolist() == reference(weights, planes).tolist()


def guided(evaluation: BoardEvaluation, game: Game) -> list[list[float]]:
    search = Search(game, strategy="guided", evaluation=evaluation, lanes=64, memory_bytes=1 << 22)
    search.run(playouts=500)
    known = search.root_moves(0)
    return [known.moves.tolist(), known.visits.tolist(), known.values.tolist(), [known.best]]


@pytest.mark.parametrize("name", GAMES)
def test_a_search_by_a_network_is_the_same_every_time_and_with_every_instruction_set(name: str) -> None:
    here = described(name)
    found = [guided(here.evaluation(instruction_set), here.game) for instruction_set in compiled_sets()]
    found.append(guided(pickle.loads(pickle.dumps(here.evaluation())), here.game))
    assert all(each == found[0] for each in found)
    assert sum(found[0][1]) > 0
    assert guided(Described(name, seed=2).evaluation(), here.game) != found[0]
