"""Networks over boards with random weights, and what they say, worked out in plain numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ludens.native.core import BoardNetwork, BoardNetworkWeights, board_weight_shapes
from tests.support.instruction_sets import sets_of

FULL = 127
MOST_BIAS = 1 << 24

Sums = npt.NDArray[np.int64]
Weights = TypeVar("Weights", bound=tuple[npt.NDArray[np.generic], ...])


def compiled_sets() -> list[str]:
    """Returns the instruction sets for which networks are compiled and which this process may use."""
    weights = board_weight_shapes(1, 1, 1, 32, 0, 1)
    return sets_of(lambda name: BoardNetwork(weights, name))


def neighbours(rows: int, columns: int, steps: Sequence[tuple[int, int]]) -> npt.NDArray[np.int32]:
    """Returns the squares int32[steps, squares] that steps by rows and columns lead to; `squares` beyond the edge."""
    seen = np.full((len(steps), rows, columns), rows * columns, np.int32)
    for tap, (down, right) in enumerate(steps):
        for row in range(rows):
            for column in range(columns):
                if 0 <= row + down < rows and 0 <= column + right < columns:
                    seen[tap, row, column] = (row + down) * columns + column + right
    return seen.reshape(len(steps), -1)


def drawn_weights(
    models: Sequence[npt.NDArray[np.generic]], seed: int, most: int = 40
) -> list[npt.NDArray[np.generic]]:
    """Returns weights in the shapes of models, with activations that are neither all 0 nor all cut off."""
    rng = np.random.default_rng(seed)
    bounds = [most if model.dtype == np.int8 else 40 * most for model in models]
    return [
        rng.integers(-bound, bound + 1, model.shape).astype(model.dtype)
        for bound, model in zip(bounds, models, strict=True)
    ]


def random_weights(
    seen: npt.NDArray[np.int32], planes: int, width: int, blocks: int, outputs: int, seed: int
) -> BoardNetworkWeights:
    """Returns a network of random weights over a board."""
    models = board_weight_shapes(seen.shape[1], len(seen), planes, width, blocks, outputs)
    return BoardNetworkWeights._make(drawn_weights(models, seed))._replace(seen=seen)


def extreme_weights(weights: BoardNetworkWeights, sign: int) -> BoardNetworkWeights:
    """Returns the largest weights and biases in these shapes, those of outputs with the sign."""
    full = [np.full(model.shape, FULL if model.dtype == np.int8 else MOST_BIAS, model.dtype) for model in weights]
    extreme = BoardNetworkWeights._make(full)._replace(seen=weights.seen)
    return extreme._replace(value=sign * extreme.value, value_biases=sign * extreme.value_biases)


def cut(sums: Sums) -> Sums:
    """Returns the activations of sums."""
    return np.clip((sums + 64) // 128, 0, FULL)


def convolved(seen: Sums, weights: npt.NDArray[np.int8], biases: npt.NDArray[np.int32], taps: Sums) -> Sums:
    """Returns sums [n, squares, outputs] of activations [n, squares, inputs]; `taps` are [taps, squares]."""
    edge = np.zeros((len(seen), 1, seen.shape[2]))
    around = np.concatenate((seen, edge), axis=1)[:, taps.T]
    sums = np.tensordot(around, weights.astype(np.float64), axes=([2, 3], [1, 2]))  # exact below 2^53
    return sums.astype(np.int64) + biases


def tower(
    planes: Sums,
    taps: Sums,
    stem: npt.NDArray[np.int8],
    convolutions: npt.NDArray[np.int8],
    biases: npt.NDArray[np.int32],
) -> Sums:
    """Returns the activations [n, squares, width] after all blocks, of planes [n, squares, planes]."""
    seen = cut(convolved(planes, stem, biases[0], taps))
    for first in range(0, len(convolutions), 2):
        inner = cut(convolved(seen, convolutions[first], biases[first + 1], taps))
        sums = convolved(inner, convolutions[first + 1], biases[first + 2], taps)
        seen = np.clip(seen + (sums + 64) // 128, 0, FULL)
    return seen


def hidden_units(seen: Sums, hidden: npt.NDArray[np.int8], biases: npt.NDArray[np.int32]) -> Sums:
    """Returns the activations [n, units] of hidden units, which see all squares."""
    return cut(np.tensordot(seen, hidden.astype(np.int64), axes=([1, 2], [1, 2])) + biases)


def reference(weights: BoardNetworkWeights, planes: npt.NDArray[np.uint8]) -> Sums:
    """Returns outputs [n, outputs], in the units of the native core, of planes [n, planes, squares]."""
    taps = weights.seen.astype(np.int64)
    whole = planes.transpose(0, 2, 1).astype(np.int64)
    seen = tower(whole, taps, weights.stem, weights.convolutions, weights.biases)
    units = hidden_units(seen, weights.hidden, weights.hidden_biases)
    return units @ weights.value.astype(np.int64).T + weights.value_biases


def written_planes(
    bits: npt.NDArray[np.bool_], columns: npt.NDArray[np.int32], fills: Sequence[tuple[int, int, int]]
) -> npt.NDArray[np.uint8]:
    """Returns the planes [n, planes, squares] of states bool[n, bits], cell by cell."""
    written = np.zeros((len(bits), *columns.shape), np.uint8)
    for state, planes in zip(bits, written, strict=True):
        for bit, plane, value in fills:
            if state[bit]:
                planes[plane] = np.maximum(planes[plane], value)
        for plane, square in np.argwhere(columns >= 0):
            if state[columns[plane, square]]:
                planes[plane, square] = FULL
    return written
