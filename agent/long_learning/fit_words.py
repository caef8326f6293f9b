"""Turns all that a fit goes on from into words of a checkpoint, uint64, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.averaged_fit import FitState
from ludens.agent.training.checkpoint import TrainingError
from ludens.native.core import EvaluationWeights, FitMemory


def to_words(state: FitState) -> npt.NDArray[np.uint64]:
    """Returns the numbers of weights, their mean, the optimiser's moments and steps, one after the other.

    Two numbers make a word; there is an even number of them, since of moments there are whole vectors.
    """
    arrays = [*state.weights[1:], *state.mean[1:], state.memory.moments]
    numbers = np.concatenate([array.astype("<f4").reshape(-1) for array in arrays])
    return np.concatenate([numbers.view("<u8"), state.memory.steps.view(np.uint64)])


def shape_of(state: FitState) -> dict[str, Any]:
    """Returns what `from_words` must know of a state, as JSON can hold it."""
    weights = state.weights
    return {
        "control": list(weights.control),
        "features": weights.features,
        "roles": weights.roles,
        "hidden": weights.hidden,
        "rounds": state.rounds,
    }


def from_words(words: npt.NDArray[np.uint64], shape: Mapping[str, Any]) -> FitState:
    """Returns the state of a `shape`; raises `TrainingError` where there are not as many words as it has."""
    control, inputs, roles, hidden = tuple(shape["control"]), shape["features"] + 1, shape["roles"], shape["hidden"]
    sets = len(control) + 1
    steps, rest = words[len(words) - sets :], words[: len(words) - sets].view("<f4")
    shapes = [(sets, inputs, roles), (sets, inputs, hidden), (sets, hidden, roles)]
    sizes = [int(np.prod(each)) for each in shapes]
    if len(rest) < 2 * sum(sizes):
        raise TrainingError("the checkpoint has fewer numbers than its evaluation")

    def arrays(numbers: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
        for size, each in zip(sizes, shapes, strict=True):
            yield numbers[:size].reshape(each).astype(np.float32)
            numbers = numbers[size:]

    weights = EvaluationWeights(control, *arrays(rest))
    mean = EvaluationWeights(control, *arrays(rest[sum(sizes) :]))
    moments = rest[2 * sum(sizes) :]
    return FitState(weights, FitMemory(moments.astype(np.float32), steps.view(np.int64)), mean, shape["rounds"])
