"""How strong players are by their results: Bradley–Terry ratings, in Elo, with intervals of 95 %.

A player with rating r beats one with rating s with probability 1 / (1 + 10 ^ ((s - r) / 400)); a draw counts as half a
win. choix fits the ratings. Each pair that has met is given a quarter of a drawn match more, so that a player who has
lost every match has a rating too, if one with a wide interval. Ratings are relative to the mean of all players.

Intervals come from the Fisher information of the fit. Matches of one opening are not independent, and draws tell more
than the model thinks: the information is divided by the dispersion that is measured between openings, less so where
there are few of them, and never below what the measurement allows.

Sources: R. Bradley, M. Terry, "Rank Analysis of Incomplete Block Designs", 1952; P. McCullagh, J. Nelder, "Generalized
Linear Models", 1989 (dispersion); L. Maystre, M. Grossglauser, "Fast and Accurate Inference of Plackett–Luce Models",
2015 (the fit).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.agent.statistics.intervals import TWO_SIDED
from ludens.agent.tournament.result import Comparison

_ELO = 400 / math.log(10)  # of one unit of log-odds
_PRIOR = 0.25  # drawn matches of each pair that has met
_LINK = 1e-3  # of all other pairs: groups that have not met have ratings too, of no certainty
_SHRINKAGE = 10.0  # openings as many as which no dispersion is assumed
_LEAST_DISPERSION = 0.5
_ITERATIONS = 10_000

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of a player in Elo, with its interval."""

    player: str
    elo: float
    half: float  # of the width of the interval; infinite for a player who has met nobody

    @property
    def low(self) -> float:
        """Where the interval begins."""
        return self.elo - self.half

    @property
    def high(self) -> float:
        """Where the interval ends."""
        return self.elo + self.half


def rate(players: Sequence[str], found: Sequence[Comparison]) -> list[Rating]:
    """Returns the ratings of players who have been compared, the best first."""
    met = {name for each in found for name in (each.first, each.second)}
    names = [name for name in players if name in met]
    if not names:
        return []
    place = {name: number for number, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    for each in found:
        first, second = place[each.first], place[each.second]
        wins[first, second] += each.weight * each.score
        wins[second, first] += each.weight * (1 - each.score)
    logits = _fitted(wins)
    covariance = _covariance(wins, logits) * _dispersion(wins, logits, place, found)
    rated = [
        Rating(name, float(_ELO * logits[i]), float(_ELO * TWO_SIDED * math.sqrt(covariance[i, i])))
        for name, i in place.items()
    ]
    return sorted(rated, key=lambda rating: -rating.elo)


def _fitted(wins: Matrix) -> Matrix:
    """Returns the log-odds of the players, of mean 0."""
    import choix  # brings scipy, which takes its time

    with warnings.catch_warnings():  # scipy warns of a singular matrix, as those of Markov chains are meant to be
        warnings.simplefilter("ignore", RuntimeWarning)
        fitted = choix.ilsr_pairwise_dense(_with_prior(wins), max_iter=_ITERATIONS)
    return np.asarray(fitted - np.mean(fitted))


def _with_prior(wins: Matrix) -> Matrix:
    prior = np.where(wins + wins.T > 0, _PRIOR / 2, _LINK / 2)
    np.fill_diagonal(prior, 0)
    return np.asarray(wins + prior)


def _covariance(wins: Matrix, logits: Matrix) -> Matrix:
    """Returns the covariance of the log-odds, if the model holds: the inverse of the information."""
    expected = _expected(logits)
    known = _with_prior(wins)
    weights = (known + known.T) * expected * (1 - expected)
    information = np.diag(weights.sum(axis=1)) - weights
    mean = 1 / len(weights)  # ratings are relative to it, so that it is known
    return np.asarray(np.linalg.inv(information + mean) - mean)


def _expected(logits: Matrix) -> Matrix:
    """Returns with which probability each beats each."""
    return np.asarray(1 / (1 + np.exp(logits[None, :] - logits[:, None])))


def _dispersion(wins: Matrix, logits: Matrix, place: dict[str, int], found: Sequence[Comparison]) -> float:
    """Returns how much more the openings differ than independent matches without draws would, or less."""
    expected = _expected(logits)
    sums: dict[tuple[str, int], Matrix] = {}
    for each in found:
        first, second = place[each.first], place[each.second]
        surplus = each.weight * (each.score - expected[first, second])
        total = sums.setdefault(each.opening, np.zeros(len(place)))
        total[first] += surplus
        total[second] -= surplus
    gradients = np.array(list(sums.values()))
    spread = float(np.einsum("ci,ij,cj->", gradients, _covariance(wins, logits), gradients)) / (len(place) - 1)
    openings = len(gradients)
    return max(_LEAST_DISPERSION, (openings * spread + _SHRINKAGE) / (openings + _SHRINKAGE))
