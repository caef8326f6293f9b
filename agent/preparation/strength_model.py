"""Predicts how strong a search will be in a match, from what is known of the game, the machine and the clocks.

The strength against UCT is a linear function of a few figures of the game and its clocks, fitted by logistic
regression to games of all searches in many games (`python -m scripts.strength.choice_model`; coefficients in
strength_coefficients.py). What the function cannot know of a game is normally distributed around it; the standard
deviation was fitted too, so how sure a prediction is is known as well, and trial games change it as they should
(ratings.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ludens.agent.preparation.foresight import Foresight
from ludens.agent.preparation.ratings import StrengthPrior

_MOST_BEHIND = 0.4  # hardly any game of those that the model was fitted to had more
HARDLY_EVER = 0.1  # of the positions: roles that choose at the same time in no more of them alternate
_LEAST_LEARNED = 2.5  # seconds: in none of these games the evaluation was learned for less
_MOST_LEARNED = 1800.0  # ... and what longer learning gains was measured up to this (searched-self-play.md)
_LEAST_INTERACTION = 0.01  # that can be told from none
_UNKNOWN = StrengthPrior(0.0, spread=2.0)  # of an evaluation of which it is not known what it foretells

PLAYOUTS = "playouts"
"""The figure that grows with the time of a move."""

LEARNED = "learned"
"""The figure that grows with the time of learning."""

ALTERNATING = "alternating"
"""The figure that says whether there are two roles, who move in turn: 1, else 0."""

USUAL_LEARNING = 16.0
"""Seconds, of all threads, for which an evaluation is learned where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a search before it plays; logarithms are natural ones."""

    playouts: float  # logarithm of UCT's random games a move
    branching: float  # logarithm of the mean number of moves
    length: float  # logarithm of the mean number of turns of a random game
    roles: int
    at_once: float  # share of the positions with a choice in which several roles have one
    places: bool  # moves only ever put something down
    foresight: Foresight | None  # of the search's evaluation, if it has one and enough games ended to tell
    learned: float = USUAL_LEARNING  # seconds for which that was learned, of all threads
    independence: float = 0.0  # of what roles choose at once (independence.py), where the search relies on it

    def __str__(self) -> str:
        """Says it in words, for those who want to know what a choice follows from."""
        parts = [
            f"{math.exp(self.playouts):,.0f} random games a move",
            f"{math.exp(self.branching):.1f} moves a position",
            f"{math.exp(self.length):.0f} turns a game",
            f"{self.roles} roles",
        ]
        if self.at_once > HARDLY_EVER:
            parts.append(f"several choose in {100 * self.at_once:.0f} % of the positions")
        if self.places:
            parts.append("moves only put something down")
        if self.foresight is not None:
            parts += [f"learned for {self.learned:.0f} s of all threads", str(self.foresight)]
        if self.independence > 0:
            parts.append(f"{100 * self.independence:.0f} % of what moves bring does not depend on those made with them")
        return ", ".join(parts)

    def figures(self) -> dict[str, float]:
        """Returns everything as numbers; without foresight neither evaluation nor random games foretell anything."""
        known = self.foresight or Foresight(0.0, 0.0)
        return {
            "constant": 1.0,
            "playouts": self.playouts - math.log(1e5),
            "branching": self.branching - math.log(10),
            "length": self.length - math.log(50),
            ALTERNATING: float(self.roles == 2 and self.at_once <= HARDLY_EVER),
            "places": float(self.places),
            "ahead": max(0.0, known.gain),
            "behind": min(_MOST_BEHIND, max(0.0, -known.gain)),
            "random_games": known.random_games,
            "independent": -math.log(max(_LEAST_INTERACTION, 1 - self.independence)),
            LEARNED: learned_figure(self.learned),
        }


def learned_figure(seconds: float) -> float:
    """Returns the figure of learning for so many seconds of all threads."""
    return math.log(min(max(_LEAST_LEARNED, seconds), _MOST_LEARNED) / USUAL_LEARNING)


@dataclass(frozen=True, slots=True)
class StrengthModel:
    """The strength of one search, in logits against UCT."""

    coefficients: Mapping[str, float]  # for figures of `Evidence`; what is not named has none
    spread: float  # standard deviation between games, of what the figures do not say
    slope_spread: float  # ... of how strength grows with e times the iterations

    def predict(self, evidence: Evidence) -> StrengthPrior:
        """Returns what is expected of the search in a match."""
        if evidence.foresight is None and "behind" in self.coefficients:
            return _UNKNOWN
        figures = evidence.figures()
        strength = sum(weight * figures[name] for name, weight in self.coefficients.items())
        return StrengthPrior(strength, self.coefficients.get(PLAYOUTS, 0.0), self.spread, self.slope_spread)
