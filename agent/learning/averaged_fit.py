"""Fits an evaluation round by round; what has been learned is a mean of its weights after all rounds.

Later rounds count more, which is steadier than the last weights alone (Shamir and Zhang, "Stochastic gradient descent
for non-smooth optimization", 2013).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ludens.agent.learning.fit import Learned, Round
from ludens.native.core import EvaluationFit, EvaluationWeights, FitMemory, TrainingSamples

RATE = 0.003  # of learning
_RECENCY = 3  # round t counts t (t + 1) ... (t + _RECENCY - 1) times


TrainedWeights: TypeAlias = Learned[EvaluationWeights]


class FitState(NamedTuple):
    """All that a fit goes on from: the weights after the last round, and what the optimiser remembers; their mean."""

    weights: EvaluationWeights
    memory: FitMemory
    mean: EvaluationWeights
    rounds: int


class AveragedFit:
    """Weights that are being fitted, and their mean."""

    def __init__(self, fit: EvaluationFit, rounds: int = 0, mean: EvaluationWeights | None = None) -> None:
        """Begins with the weights of `fit`, which are the `mean` of so many rounds if no other is given."""
        self._fit, self.rounds, self._mean = fit, rounds, mean or fit.weights
        self.weights = fit.weights  # after the last round
        self._before = 0  # rounds that are not of the mean
        self.history: list[Round] = []  # all that were taken

    @classmethod
    def resumed(cls, state: FitState) -> AveragedFit:
        """Goes on from a state; raises NativeError for one whose parts do not fit together."""
        fit = EvaluationFit(state.weights)
        fit.remember(state.memory)
        return cls(fit, state.rounds, state.mean)

    def take(self, samples: TrainingSamples, seed: int, rate: float) -> None:
        """Fits to the samples of a round."""
        self.history.append(Round(len(samples.features), self._fit.fit(samples, rate, seed), samples.games))
        self.rounds += 1
        self.weights = self._fit.weights
        self._mean = moved(self._mean, self.weights, share_of_round(self.rounds - self._before))

    def begin_mean(self) -> None:
        """Goes on from the mean so far; that of the rounds to come is of them alone.

        For learning before a match: a `state` does not tell since which round the mean is.
        """
        self._fit, self.weights, self._before = EvaluationFit(self._mean), self._mean, self.rounds

    def learned(self) -> TrainedWeights:
        """Returns what has been learned so far."""
        return TrainedWeights(self._mean, self.rounds)

    def state(self) -> FitState:
        """Returns all that the fit goes on from."""
        return FitState(self.weights, self._fit.memory, self._mean, self.rounds)


def share_of_round(number: int) -> float:
    """Returns the share that round `number`, from 1 on, has in the mean of all so far."""
    return (1 + _RECENCY) / (number + _RECENCY)


def moved(weights: EvaluationWeights, towards: EvaluationWeights, share: float) -> EvaluationWeights:
    """Returns weights between two others: for `share` 0 the first, for 1 those of `towards`."""
    return EvaluationWeights(
        towards.control,
        weights.linear + share * (towards.linear - weights.linear),
        weights.inner + share * (towards.inner - weights.inner),
        weights.output + share * (towards.output - weights.output),
    )
