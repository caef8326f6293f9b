"""Measures how well an evaluation foretells the results of games, and how well random games do.

Positions of games that the evaluation plays against itself are looked at by both; what either says of a position is
compared with how the game went on. Where random games foretell more than an evaluation, searches that play them are
stronger: in hex a learned evaluation that sees no connections reaches a correlation of 0.3 and random games one of
0.6, while in breakthrough it is the other way round (docs/experiments/choice.md).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.self_play_learner import TEMPERATURE, random_moves
from ludens.native.core import Evaluation, Game, SelfPlay, Simulator, States, TrainingSamples

Floats: TypeAlias = npt.NDArray[np.floating[Any]]

_STATES = 1 << 16  # made by self-play at a time,
_RESULTS = 1000  # ... until so many games have ended: those that end first would be the shortest
_SECONDS = 1.5  # at most, for that
_POSITIONS = 4096  # of 300, chance alone moved the difference by 0.05, of these by 0.01 (docs/experiments/choice.md)
_GAMES = 64  # random ones from each position
_FILLED = 2  # times all lanes of the machine with such games, until it is asked whether there is time for more
_GAMES_SECONDS = 0.5  # for all of them
LONGEST = _SECONDS + 2 * _GAMES_SECONDS
"""Seconds that all of it takes at most, but for overtime: what random games are like is found out first."""

_LEAST_POSITIONS, _LEAST_RESULTS = 30, 100
_OVERTIME = 1.0  # seconds by default that may be added for each of both, until these numbers are reached
_MOST = 0.99  # a correlation beyond that is taken for this one


@dataclass(frozen=True, slots=True)
class Foresight:
    """Correlations between what is foretold of a game and how it ends, -1 … 1."""

    evaluation: float
    random_games: float

    def __str__(self) -> str:
        """Says both correlations in words, for the log."""
        return (
            f"the correlation of its evaluation with results is {self.evaluation:.2f} "
            f"and that of random games {self.random_games:.2f}"
        )

    @property
    def gain(self) -> float:
        """How much more the evaluation foretells, on Fisher's scale, on which correlations have equal errors."""
        return _fisher(self.evaluation) - _fisher(self.random_games)


def foresight(
    game: Game,
    evaluation: Evaluation,
    seed: int,
    seconds: float = LONGEST,
    clock: Callable[[], float] = time.monotonic,
    overtime: float = _OVERTIME,
    positions: int = _POSITIONS,
) -> Foresight | None:
    """Measures both in about `seconds` of `clock`; None where too few games end for that, or all end alike.

    Where too few have ended by then, either may take so much `overtime`. Both are means, on Fisher's scale, over the
    roles for which games end differently, from at most so many `positions`. With infinite `seconds` the result follows
    from the seed.
    """
    share = seconds if math.isinf(seconds) else min(1.0, seconds / LONGEST)
    limits = share * _SECONDS, share * _GAMES_SECONDS
    rng = np.random.default_rng(seed)
    simulator = Simulator(game, seed=seed)
    opening = random_moves(game, seed, _native_limit(limits[1]))
    table = SelfPlay(game, random_moves=opening, temperature=TEMPERATURE, lambda_=1.0, seed=seed)
    samples = _played(table, evaluation, limits[0], clock, overtime)
    chosen = rng.permutation(len(samples.features))[:positions]
    features, results = samples.features[chosen], samples.targets[chosen]
    expected = _expected(simulator, samples.states(game)[chosen], limits[1], clock, overtime)
    seen = len(expected)
    if seen < _LEAST_POSITIONS or not (varied := np.ptp(results[:seen], axis=0) > 0).any():
        return None
    foretold = evaluation.values(features[:seen]), expected
    return Foresight(*(_mean_correlation(each[:, varied], results[:seen, varied]) for each in foretold))


def _played(
    table: SelfPlay, evaluation: Evaluation, seconds: float, clock: Callable[[], float], overtime: float
) -> TrainingSamples:
    """Plays until enough games have ended, or time is over."""
    end = clock() + seconds
    parts = [table.play(evaluation, _STATES, _native_limit(seconds))]
    while (games := sum(part.games for part in parts)) < _RESULTS:
        left = end - clock() + (0.0 if games >= _LEAST_RESULTS else overtime)
        if left <= 0:
            break
        parts.append(table.play(evaluation, _STATES, _native_limit(min(left, seconds))))
    return TrainingSamples.joined(parts)


def _expected(
    simulator: Simulator, states: States, seconds: float, clock: Callable[[], float], overtime: float
) -> Floats:
    """Returns what random games from states end with on the mean, from as many states as there is time for."""
    at_once = max(1, _FILLED * simulator.lanes // _GAMES)
    found, end = np.empty((0, simulator.game.roles)), clock() + seconds
    while len(found) < len(states):
        some = states[len(found) : len(found) + at_once]
        sums, _ = simulator.playouts_from(some, np.full(len(some), _GAMES))
        found = np.concatenate([found, sums / _GAMES])
        if clock() >= end + (0.0 if len(found) >= _LEAST_POSITIONS else overtime):
            break
    return found


def _native_limit(seconds: float) -> float:
    """Returns a limit of time as the core takes it, for which 0 is none."""
    return 0.0 if math.isinf(seconds) else seconds


def _mean_correlation(foretold: Floats, results: Floats) -> float:
    """Returns the mean of the correlations of all columns on Fisher's scale."""
    columns = zip(foretold.T, results.T, strict=True)
    return math.tanh(float(np.mean([_fisher(correlation(*column)) for column in columns])))


def correlation(foretold: Floats, results: Floats) -> float:
    """Returns Pearson's correlation; 0 where nothing is told apart."""
    if np.ptp(foretold) == 0:
        return 0.0
    return float(np.corrcoef(foretold, results)[0, 1])


def _fisher(value: float) -> float:
    return math.atanh(max(-_MOST, min(_MOST, value)))
