"""Estimates how strong players will be in a match, from games in which moves had less time.

Strength depends on the time for a move: what was learned of a game may win where there is no time to search, and
lose where there is. With x = ln(iterations of a move / iterations of a move in the match), a player's strength is
a + b x, and i beats j with probability 1 / (1 + exp(-(strength of i - strength of j))) (R. Bradley, M. Terry,
"Rank analysis of incomplete block designs", 1952). a and b have normal priors, and what games say of them is taken
for normal around its mode (Laplace's approximation). So short games tell something about long ones, and how little
that is belongs to the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)  # standard deviations on both sides of the mean, of an interval at 95 %
_NEWTON_STEPS = 20
_CERTAIN = 1e-9  # a step that changes no parameter by more is the last


def expected_score(strength: float, spread: float) -> float:
    """Returns the mean score of a player whose strength is normal with this standard deviation, in logits.

    Nearly so: the less is known, the nearer to one half (D. MacKay, "The evidence framework applied to classification
    networks", 1992).
    """
    return 1 / (1 + math.exp(-strength / math.sqrt(1 + math.pi / 8 * spread**2)))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players and the logarithm of the length of their moves, 0 being that of the match."""

    first: int
    second: int
    x: float


@dataclass(frozen=True, slots=True)
class StrengthPrior:
    """What is expected of a player before any game: its strength in the match, and how that grows with length.

    Both have standard deviations, in logits: by 1.2 most score between 23 and 77 %.
    """

    strength: float = 0.0
    slope: float = 0.0  # for e times the iterations
    spread: float = 1.2
    slope_spread: float = 0.3

    @property
    def score(self) -> float:
        """The share of the points that it can expect against the baseline."""
        return expected_score(self.strength, self.spread)


class Ratings:
    """The players' strengths in the match; player 0 is the baseline, whose strength is 0 at any length."""

    def __init__(self, priors: Sequence[StrengthPrior]) -> None:
        """`priors` has one for each player but the baseline."""
        self._players = len(priors) + 1
        self._prior = np.array([*(p.strength for p in priors), *(p.slope for p in priors)])  # every a, every b
        spreads = np.array([*(p.spread for p in priors), *(p.slope_spread for p in priors)])
        self._precision = np.diag(spreads**-2.0)
        self._games: list[Floats] = []  # each a row by which the parameters are multiplied
        self._scores: list[float] = []
        self._mode, self._spread = self._prior.copy(), np.diag(spreads**2.0)

    def add(self, pairing: Pairing, score: float) -> None:
        """Adds a game; the first player's score is 0 … 1."""
        self._games.append(self._row(pairing))
        self._scores.append(score)
        self._fit()

    def grow(self, player: int, by: float) -> None:
        """A player has become stronger since its games, by so many logits."""
        for parameters in (self._prior, self._mode):
            parameters[player - 1] += by

    def strength(self, player: int) -> tuple[float, float]:
        """Returns the expected strength of a player in the match, and its standard deviation."""
        row = self._row(Pairing(player, 0, 0.0))
        return float(row @ self._mode), float(np.sqrt(row @ self._spread @ row))

    @property
    def best(self) -> int:
        """The player that can expect the highest score, the first one of several."""
        return max(range(self._players), key=self.score)

    @property
    def games(self) -> int:
        """The number of games that were added."""
        return len(self._games)

    def chance(self, player: int) -> float:
        """Returns the probability that a player is stronger than the baseline."""
        strength, spread = self.strength(player)
        return _NORMAL.cdf(strength / spread)

    def score(self, player: int) -> float:
        """Returns which share of the points a player can expect against the baseline, whatever its strength may be."""
        return expected_score(*self.strength(player))

    def score_in_words(self, player: int) -> str:
        """Returns the same in words, with an interval at 95 %."""
        strength, spread = self.strength(player)
        low, high = (100 / (1 + math.exp(-strength - z * spread)) for z in (-_Z, _Z))
        return f"{100 * self.score(player):.0f} % ({low:.0f}-{high:.0f})"

    def gain(self, pairing: Pairing, games: float) -> float:
        """Returns how much stronger the choice between two players will be, of whom the first would be chosen now.

        That is the strength of who will seem stronger after so many games, less that of who seems so now: the knowledge
        gradient of many games alike (P. Frazier, W. Powell, "Paradoxes in learning and the marginal value of
        information", 2010). What the difference will seem to be then is taken for normal.
        """
        game, asked = self._row(pairing), self._row(Pairing(pairing.first, pairing.second, 0.0))
        noise = 2 + 2 * math.cosh(float(game @ self._mode))  # 1 / (p (1 - p)) if the first wins with probability p
        change = abs(float(asked @ self._spread @ game)) / math.sqrt(noise / games + game @ self._spread @ game)
        lead = abs(float(asked @ self._mode)) / change
        return change * (_NORMAL.pdf(lead) - lead * (1 - _NORMAL.cdf(lead)))

    def _row(self, pairing: Pairing) -> Floats:
        row = np.zeros((2, self._players))
        row[:, pairing.first] += 1, pairing.x
        row[:, pairing.second] -= 1, pairing.x
        return row[:, 1:].ravel()

    def _fit(self) -> None:
        """Fits by Newton's method; the logarithm of the posterior density is concave."""
        games, scores = np.stack(self._games), np.array(self._scores)
        for _ in range(_NEWTON_STEPS):
            expected = 1 / (1 + np.exp(-games @ self._mode))
            gradient = games.T @ (scores - expected) - self._precision @ (self._mode - self._prior)
            curvature = (games.T * (expected * (1 - expected))) @ games + self._precision
            step = np.linalg.solve(curvature, gradient)
            self._mode = self._mode + step
            if np.abs(step).max() < _CERTAIN:
                break
        self._spread = np.linalg.inv(curvature)
