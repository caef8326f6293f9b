"""Learns two evaluations from the same games, one of which sees more features, and compares what they foretell.

The richer one plays the games. Before each fit both say what they expect of positions that neither has learned from,
so their mean squared errors are those of a test that costs nothing (prequential analysis: A. Dawid, "Statistical
theory: the prequential approach", 1984). In amazons, where territory wins all games, its error is about a quarter of
the other's; where territory does harm it is larger; both show within two seconds (docs/experiments/choice.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludens.agent.learning.averaged_fit import AveragedFit, TrainedWeights
from ludens.agent.learning.learning import HIDDEN, Learner
from ludens.native.core import EvaluationFit, EvaluationWeights, Game, TrainingSamples

_FIRST_ROUNDS = 5  # that do not count: all is guessing there
_WORD_BITS = 64


class FeatureComparison:
    """Two evaluations that are learned side by side; used as a `Learner` is."""

    def __init__(
        self,
        richer: Game,
        features: int,
        seed: int = 0,
        workers: int = 1,
        hidden: int = HIDDEN,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begins with a fit to random games; the plainer evaluation sees the first `features` features alone.

        Both have so many `hidden` units. The fit ends early once `stopped` says so.
        """
        self._features = features
        self._learner = Learner(richer, seed, None, workers, on_samples=self._take, hidden=hidden, stopped=stopped)
        weights = narrowed_weights(self._learner.learned().weights, features)
        self._plainer = AveragedFit(EvaluationFit(weights))

    def learn(self, finished: Callable[[], bool]) -> None:
        """Learns until `finished` says so."""
        self._learner.learn(finished)

    def error_ratio(self) -> float | None:
        """Returns the richer evaluation's mean squared error divided by the plainer one's; None if nothing is known."""
        richer, plainer = (
            sum(each.positions * each.error for each in history[_FIRST_ROUNDS:])
            for history in (self._learner.history, self._plainer.history)
        )
        return richer / plainer if plainer else None

    def learned(self, *, richer: bool) -> TrainedWeights:
        """Returns what one of them has learned so far."""
        return self._learner.learned() if richer else self._plainer.learned()

    def _take(self, samples: TrainingSamples, seed: int, rate: float) -> None:
        self._plainer.take(narrowed_samples(samples, self._features), seed, rate)


def narrowed_weights(weights: EvaluationWeights, features: int) -> EvaluationWeights:
    """Returns the weights of the first `features` features, and the constant ones."""
    rows = [*range(features), weights.features]
    linear, inner = (np.ascontiguousarray(part[:, rows]) for part in (weights.linear, weights.inner))
    return EvaluationWeights(weights.control, linear, inner, weights.output)


def narrowed_samples(samples: TrainingSamples, features: int) -> TrainingSamples:
    """Returns the same positions with their first `features` features alone."""
    words = samples.features[:, : -(-features // _WORD_BITS)].copy()
    if features % _WORD_BITS:
        words[:, -1] &= np.uint64((1 << features % _WORD_BITS) - 1)
    return samples._replace(features=words)
