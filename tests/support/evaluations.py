"""Evaluations with random or learned weights, and what they say by their formula: an oracle in double precision."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from ludens import games
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.native.core import EvaluationWeights, Game, States, pack_bits, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

Array = npt.NDArray[np.float64]


@cache
def network(name: str) -> Propnet:
    return load(games.read(name))


def game(name: str) -> Game:
    return Game.from_propnet(network(name))


def learned_weights(of: Game, rounds: int) -> EvaluationWeights:
    """What is learned of a game in so many rounds, however slow or busy the machine is."""
    learner = Learner(of, seed=1, pace=LearningPace(20_000, 0.0, 1 << 16, 0.0))
    for _ in range(rounds):
        learner.round()
    return learner.learned().weights


def random_weights(
    bits: int, roles: int, hidden: int, control: tuple[int, ...] = (), seed: int = 1
) -> EvaluationWeights:
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> npt.NDArray[np.float32]:
        return rng.normal(0, 0.3, (len(control) + 1, *shape)).astype(np.float32)

    return EvaluationWeights(control, normal(bits + 1, roles), normal(bits + 1, hidden), normal(hidden, roles))


def random_states(bits: int, count: int, seed: int = 2) -> States:
    return pack_bits(np.random.default_rng(seed).random((count, bits)) < 0.4)


def set_of(weights: EvaluationWeights, x: npt.NDArray[np.bool_]) -> int:
    return next((i for i, p in enumerate(weights.control) if x[p]), len(weights.control))


def logistic(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-x))
    return result


def told(weights: EvaluationWeights, states: States) -> Array:
    """The oracle: one state after the other, in double precision."""
    rows = []
    for x in unpack_bits(states, weights.features):
        k, inputs = set_of(weights, x), np.append(x, True).astype(np.float64)
        hidden = np.maximum(inputs @ weights.inner[k], 0)
        rows.append(100 * logistic(inputs @ weights.linear[k] + hidden @ weights.output[k]))
    return np.array(rows)
