"""Networks of checkers with random weights, and what they say, worked out in Python and numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.parameters import DIRECTIONS, ENGLISH
from ludens.native.core import NetworkWeights
from ludens.native.core.checkers_network import weight_shapes
from tests.support.board_network import FULL, drawn_weights, hidden_units, tower


def random_weights(width: int, blocks: int, seed: int, most: int = 40) -> NetworkWeights:
    """Returns weights with activations that are neither all 0 nor all cut off."""
    return NetworkWeights._make(drawn_weights(weight_shapes(width, blocks), seed, most))


def extreme_weights(width: int, blocks: int) -> NetworkWeights:
    """Returns the largest weights, with which sums are as large as they can be."""
    full = [np.full(model.shape, FULL, model.dtype) for model in weight_shapes(width, blocks)]
    return NetworkWeights._make(full)


def random_words(count: int, seed: int) -> npt.NDArray[np.uint32]:
    """Returns positions of any pieces on any squares, empty boards among them."""
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, 1 << 32, (count, 4), dtype=np.uint32)
    thin = rng.integers(0, 1 << 32, (count, 1), dtype=np.uint32) | np.where(rng.random((count, 1)) < 0.3, 0, 0xFFFFFFFF)
    own, others = draws[:, 0] & thin[:, 0].astype(np.uint32), draws[:, 1] & ~draws[:, 0]
    words = np.stack((own, others & ~own, draws[:, 2] & (own | others)), axis=1).astype(np.uint32)
    words[0] = 0
    return words


def _neighbours() -> npt.NDArray[np.int64]:
    """Returns the squares [5, 32] that a convolution sees, as the rules of the game have them; 32 beyond the edge."""
    ways = [[ENGLISH.neighbour(square, direction) for square in range(32)] for direction in range(len(DIRECTIONS))]
    return np.array([[*range(32)], *([32 if at is None else at for at in way] for way in ways)])


def reference(
    weights: NetworkWeights, words: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns values int64[n] and logits int64[n, 128] in the units of the native core."""
    planes = words[:, None, :] >> np.arange(32, dtype=np.uint32)[:, None] & np.uint32(1)
    seen = FULL * np.concatenate((planes, np.ones((len(words), 32, 1))), axis=2).astype(np.int64)
    seen = tower(seen, _neighbours(), weights.stem, weights.convolutions, weights.biases)
    units = hidden_units(seen, weights.hidden, weights.hidden_biases)
    values = units @ weights.value.astype(np.int64) + weights.value_bias[0]
    logits = seen @ weights.moves.astype(np.int64).T + weights.move_biases
    return values, logits.reshape(len(words), -1)
