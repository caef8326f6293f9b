"""Learns what the states of a game are worth, from nothing but its rules, during the start clock or for hours.

First a fit to the ends of random games; then, as long as there is time, rounds of self-play
(agent/learning/self_play_learner.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ludens.agent.learning.averaged_fit import RATE, AveragedFit, FitState, TrainedWeights
from ludens.agent.learning.random_games import few_games
from ludens.agent.learning.self_play_learner import (
    TEMPERATURE,
    LearningPace,
    LearningRate,
    SearchedPlayOptions,
    SelfPlayLearner,
    new_seed,
    random_positions,
)
from ludens.native.core import (
    Evaluation,
    EvaluationFit,
    EvaluationWeights,
    Floats,
    Game,
    SelfPlay,
    TrainingSamples,
    unpack_bits,
)

HIDDEN, MORE_HIDDEN = 30, 62  # units; with the sums of two roles, four and eight vectors of eight numbers
_MANY_POSITIONS = 4_000_000  # from which more units gain: docs/experiments/hidden-units.md
_PROBE_SECONDS = 0.1
RANDOM_PASSES = 2
_LEAST_LONE = 64  # positions in which one role alone chooses, to find out what tells whose turn it is
_RANDOM_RATE = 0.003
_SPREAD = 0.1  # of the weights of hidden units at the beginning


SHORT_ROUNDS = LearningPace()
"""Rounds of self-play before a match."""

SHORT_LEARNING = LearningRate(RATE, half_after=150)
"""The rate of learning before a match from players who look one move ahead."""


class Learner(SelfPlayLearner[EvaluationWeights]):
    """Learns the evaluation of one game by self-play.

    With one worker what is learned follows from the seed and the number of rounds, as long as none of them takes longer
    than its `pace` allows.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        known: TrainedWeights | FitState | None = None,
        workers: int = 1,
        on_samples: Callable[[TrainingSamples, int, float], None] = lambda _samples, _seed, _rate: None,
        pace: LearningPace = SHORT_ROUNDS,
        hidden: int | None = None,
        rate: LearningRate = SHORT_LEARNING,
        searched: SearchedPlayOptions | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begins with `known` weights, which are widened to `hidden` units; else with a fit of so many to random games.

        By default there are as many as are known, or `HIDDEN`. A `FitState` goes on as it is. The fit ends early once
        `stopped` says so.
        """
        rng = np.random.default_rng(seed)
        if isinstance(known, FitState):
            fit = AveragedFit.resumed(known)
        elif known:
            fit = AveragedFit(EvaluationFit(widened(known.weights, game, hidden or 0, rng)), known.rounds)
        else:
            fit = AveragedFit(_fit_to_random_games(game, pace, hidden or HIDDEN, seed, rng, stopped))
        super().__init__(game, fit, seed, rng, workers, pace, rate, searched, on_samples)
        self._averaged = fit

    def search(self, searched: SearchedPlayOptions, *, anew: bool) -> None:
        """Has self-play search from the next round on; with a mean of the weights that begins `anew` if asked.

        For when nobody learns.
        """
        if anew:
            self._averaged.begin_mean()
            self._evaluation = self.weights.evaluation(self._game)
        self.searched = replace(searched, after_rounds=self.rounds)
        for games in self._games:
            games.search(self.searched)


def _fit_to_random_games(
    game: Game, pace: LearningPace, hidden: int, seed: int, rng: np.random.Generator, stopped: Callable[[], bool]
) -> EvaluationFit:
    samples = random_positions(game, pace, rng, stopped)
    fit = EvaluationFit(_blank(game, control_propositions(game, seed), hidden, rng))
    for _ in range(RANDOM_PASSES):
        if not stopped():
            fit.fit(samples, _RANDOM_RATE, new_seed(rng))
    return fit


def hidden_units(game: Game, seconds: float, seed: int = 0, known: TrainedWeights | None = None) -> int:
    """Returns how many hidden units suit an evaluation that is learned for so long in all, on all threads together.

    That goes by the positions that will be learned, which a moment of self-play tells. What is `known` keeps its units.
    """
    least = known.weights.hidden if known else HIDDEN
    if least >= MORE_HIDDEN:
        return least
    games = SelfPlay(game, temperature=TEMPERATURE, seed=seed)
    began = time.thread_time()
    games.play(Evaluation(_blank(game, (), HIDDEN, np.random.default_rng(seed))), 1 << 62, _PROBE_SECONDS)
    taken = max(time.thread_time() - began, 1e-6)
    return MORE_HIDDEN if games.positions / taken * seconds >= _MANY_POSITIONS else least


def control_propositions(game: Game, seed: int = 0) -> tuple[int, ...]:
    """Returns the propositions that tell whose turn it is: one for each role that has turns, but for the last.

    As far as a few random games show, whether or not they end. Positions in which nobody chooses, or several do, show
    nothing; nor do few others, with which much agrees by chance.
    """
    played = few_games(game, seed)
    chooses = played.choices > 1
    alone = chooses.sum(axis=1) == 1
    if alone.sum() < _LEAST_LONE:
        return ()
    bits = unpack_bits(np.concatenate([step.states for step in played.steps])[alone], game.state_bits)
    found = []
    for turns in chooses[alone].T:
        same = np.flatnonzero((bits == turns[:, None]).all(axis=0))
        if len(same) and turns.any() and not turns.all():
            found.append(int(same[0]))
    return tuple(found[:-1])


def _blank(game: Game, control: tuple[int, ...], hidden: int, rng: np.random.Generator) -> EvaluationWeights:
    """Returns weights of zero, but for small random ones that tell hidden units from each other."""
    sets = len(control) + 1
    return EvaluationWeights(
        control,
        np.zeros((sets, game.feature_bits + 1, game.roles), np.float32),
        _small_inner(game, sets, hidden, rng),
        rng.normal(0, _SPREAD, (sets, hidden, game.roles)).astype(np.float32),
    )


def widened(weights: EvaluationWeights, game: Game, hidden: int, rng: np.random.Generator) -> EvaluationWeights:
    """Returns weights that foretell the same, with `hidden` units at least: of what is added nothing is told yet."""
    sets, more = len(weights.control) + 1, hidden - weights.hidden
    if more <= 0:
        return weights
    untold = np.zeros((sets, more, weights.roles), np.float32)
    return weights._replace(
        inner=np.concatenate([weights.inner, _small_inner(game, sets, more, rng)], axis=2),
        output=np.concatenate([weights.output, untold], axis=1),
    )


def _small_inner(game: Game, sets: int, hidden: int, rng: np.random.Generator) -> Floats:
    """Returns small random weights of hidden units, but for what sums up the state, which would drown it."""
    inner = rng.normal(0, _SPREAD, (sets, game.feature_bits + 1, hidden)).astype(np.float32)
    inner[:, game.state_bits : game.feature_bits] = 0
    return inner
