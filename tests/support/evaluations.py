"""Evaluations with learned, random or no weights, and what they say by their formula: an oracle in double precision."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.native.core import Evaluation, EvaluationWeights, Game, States, pack_bits, unpack_bits
from tests.support.searching import network

Array = npt.NDArray[np.float64]


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


def ignorant(of: Game) -> Evaluation:
    """Says fifty of everything."""
    linear, inner = (np.zeros((1, of.state_bits + 1, n), np.float32) for n in (of.roles, 0))
    return Evaluation(EvaluationWeights((), linear, inner, np.zeros((1, 0, of.roles), np.float32)))


def opinionated(of: Game) -> Evaluation:
    """An evaluation that says something else of every state."""
    rng = np.random.default_rng(5)
    linear = rng.normal(0, 0.3, (1, of.state_bits + 1, of.roles)).astype(np.float32)
    inner, output = (np.zeros((1, n, m), np.float32) for n, m in ((of.state_bits + 1, 0), (0, of.roles)))
    return Evaluation(EvaluationWeights((), linear, inner, output))


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
