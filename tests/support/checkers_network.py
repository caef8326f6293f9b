"""Networks of checkers with random weights, and what they say, worked out square by square in Python and numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.parameters import DIRECTIONS, ENGLISH
from ludens.native.core import NetworkWeights
from ludens.native.core.checkers_network import weight_shapes

FULL = 127


def random_weights(width: int, blocks: int, seed: int, most: int = 40) -> NetworkWeights:
    """Returns weights with activations that are neither all 0 nor all cut off."""
    rng = np.random.default_rng(seed)
    drawn = []
    for model in weight_shapes(width, blocks):
        bound = most if model.dtype == np.int8 else 40 * most
        drawn.append(rng.integers(-bound, bound + 1, model.shape).astype(model.dtype))
    return NetworkWeights._make(drawn)


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


def _neighbours(square: int) -> list[int | None]:
    """Returns the squares that a convolution sees, as the rules of the game have them."""
    return [square, *(ENGLISH.neighbour(square, direction) for direction in range(len(DIRECTIONS)))]


def _cut(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.clip((sums + 64) // 128, 0, FULL)


def _convolved(
    seen: npt.NDArray[np.int64], weights: npt.NDArray[np.int8], biases: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Returns sums int64[n, 32, outputs] of activations [n, 32, inputs]."""
    sums = np.zeros((len(seen), 32, len(weights)), np.int64) + biases
    for square in range(32):
        for tap, at in enumerate(_neighbours(square)):
            if at is not None:
                sums[:, square] += seen[:, at] @ weights[:, tap].astype(np.int64).T
    return sums


def reference(
    weights: NetworkWeights, words: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns values int64[n] and logits int64[n, 128] in the units of the native core."""
    planes = words[:, None, :] >> np.arange(32, dtype=np.uint32)[:, None] & np.uint32(1)
    seen = FULL * np.concatenate((planes, np.ones((len(words), 32, 1))), axis=2).astype(np.int64)
    seen = _cut(_convolved(seen, weights.stem, weights.biases[0]))
    for block in range(weights.blocks):
        inner = seen
        first, second = 2 * block, 2 * block + 1
        inner = _cut(_convolved(inner, weights.convolutions[first], weights.biases[1 + first]))
        sums = _convolved(inner, weights.convolutions[second], weights.biases[1 + second])
        seen = np.clip(seen + (sums + 64) // 128, 0, FULL)
    hidden = np.einsum("nsc,usc->nu", seen, weights.hidden.astype(np.int64)) + weights.hidden_biases
    values = _cut(hidden) @ weights.value.astype(np.int64) + weights.value_bias[0]
    logits = seen @ weights.moves.astype(np.int64).T + weights.move_biases
    return values, logits.reshape(len(words), -1)
