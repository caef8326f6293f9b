"""Fits the models by which `auto` chooses a search to the games that scripts.strength.choice_games has played.

    python -m scripts.strength.choice_model           # prints the models, and how well they choose in unseen games
    python -m scripts.strength.choice_model --write   # also writes agent/preparation/strength_coefficients.py

For each search a logistic regression of its scores against UCT, with a random intercept for each game: the mode of the
posterior with normal priors, found by Newton's method. How different games are from what the figures say, which is the
standard deviation of the intercepts, is what foretells the scores of games best that were left out of the fit. The
table of regrets is made in the same way: a game's scores play no part in the choice that is judged by them.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

DATA = Path(__file__).parents[2] / "docs" / "data" / "choice.jsonl"
TARGET = Path(__file__).parents[2] / "agent" / "preparation" / "strength_coefficients.py"

FIGURES = {  # of `Evidence`, that tell something about a search
    "guided": ("constant", "behind", "playouts", "length"),
    "rave": ("constant", "playouts"),
    "captures": ("constant",),
    "mast": ("constant", "playouts"),
    "uniform": ("constant",),
}
_PRIOR_SPREADS = {"constant": 2.0, "behind": 10.0}  # of coefficients,
_PRIOR_SPREAD = 0.5  # ... of the others
_GAME_SPREADS = np.arange(0.5, 3.05, 0.1)  # so few games cannot show that all are more alike
_SLOPE_SPREAD = 0.3  # of how strength grows with e times the iterations, from game to game
_NEWTON_STEPS = 30

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of a search in a game, and the scores of its games against UCT, 0 … 1."""

    game: str
    search: str
    seconds: float
    figures: Mapping[str, float]
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """The mean score, with a win and a loss added: few games say little."""
        return (sum(self.scores) + 1) / (len(self.scores) + 2)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model of one search; `spread` is the standard deviation of games around it."""

    coefficients: Mapping[str, float]
    spread: float

    def chance(self, figures: Mapping[str, float]) -> float:
        """Returns the expected score in a game of which no scores are known."""
        strength = sum(weight * figures[name] for name, weight in self.coefficients.items())
        return 1 / (1 + math.exp(-strength / math.sqrt(1 + math.pi / 8 * self.spread**2)))


def read(path: Path = DATA) -> list[Row]:
    """Returns all rows with games."""
    found: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Row(row["path"], row["search"], row["seconds"], row["figures"], tuple(row["scores"]))
        for row in found
        if row.get("scores")
    ]


def fit(rows: Sequence[Row], names: Sequence[str], spread: float) -> dict[str, float]:
    """Returns the coefficients of the figures of these names, where games have a standard deviation of `spread`."""
    games = sorted({row.game for row in rows})
    inputs = np.array([[row.figures[name] for name in names] + [row.game == game for game in games] for row in rows])
    wins, counts = np.array([sum(row.scores) for row in rows]), np.array([len(row.scores) for row in rows])
    spreads = [_PRIOR_SPREADS.get(name, _PRIOR_SPREAD) for name in names] + [spread] * len(games)
    precision = np.array(spreads) ** -2.0
    found = np.zeros(len(precision))
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (wins - counts * expected) - precision * found
        curvature = (inputs.T * (counts * expected * (1 - expected))) @ inputs + np.diag(precision)
        found = found + np.linalg.solve(curvature, gradient)
    return {name: float(value) for name, value in zip(names, found, strict=False)}


def left_out(rows: Sequence[Row], names: Sequence[str], spread: float) -> list[float]:
    """Returns the expected score of each row, by a model that has seen all other games."""
    models = {
        game: Fitted(fit([row for row in rows if row.game != game], names, spread), spread)
        for game in {row.game for row in rows}
    }
    return [models[row.game].chance(row.figures) for row in rows]


def likelihood(rows: Sequence[Row], chances: Iterable[float]) -> float:
    """Returns the mean logarithm of the probability of a game's result, draws being half of either."""
    total = sum(
        sum(row.scores) * math.log(chance) + (len(row.scores) - sum(row.scores)) * math.log(1 - chance)
        for row, chance in zip(rows, chances, strict=True)
    )
    return total / sum(len(row.scores) for row in rows)


def fitted(rows: Sequence[Row], names: Sequence[str]) -> Fitted:
    """Returns the model with the spread that foretells left-out games best."""
    spread = max(_GAME_SPREADS, key=lambda value: likelihood(rows, left_out(rows, names, value)))
    return Fitted(fit(rows, names, float(spread)), float(spread))


@dataclass(frozen=True, slots=True)
class Regret:
    """What a way to choose loses in one game against the better of guided search and UCT, as a share of the points."""

    game: str
    seconds: float
    score: float  # of guided search against UCT
    expected: float
    losses: tuple[float, float, float]  # of the model, of always guided, of always UCT


def regrets(rows: Sequence[Row]) -> list[Regret]:
    """Returns what was lost by choices between guided search and UCT in games that the model had not seen."""
    guided = [row for row in rows if row.search == "guided"]
    spread = fitted(guided, FIGURES["guided"]).spread
    found = []
    for row, expected in zip(guided, left_out(guided, FIGURES["guided"], spread), strict=True):
        best = max(row.score, 0.5)
        chosen = row.score if expected > 0.5 else 0.5
        found.append(Regret(row.game, row.seconds, row.score, expected, (best - chosen, best - row.score, best - 0.5)))
    return found


def source(models: Mapping[str, Fitted]) -> str:
    """Returns the text of the module with the coefficients."""
    lines = [
        f"    {name!r}: StrengthModel({ {key: round(value, 2) for key, value in model.coefficients.items()} }, "
        f"{model.spread:.1f}, {_SLOPE_SPREAD}),".replace("{ {", "{")
        .replace("} }", "}")
        .replace("'", '"')
        for name, model in models.items()
    ]
    head, _, _ = TARGET.read_text("utf-8").partition("STRENGTH_MODELS:")
    return "\n".join([head + "STRENGTH_MODELS: Mapping[str, StrengthModel] = {", *lines, "}", ""])


def main(texts: Sequence[str] | None = None) -> int:
    """Prints models and regrets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the coefficients that the player uses")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FILE", help="the games (docs/data/choice.jsonl)")
    args = parser.parse_args(texts)
    rows = read(args.data)
    models = {}
    for name, figures in FIGURES.items():
        if mine := [row for row in rows if row.search == name]:
            models[name] = fitted(mine, figures)
            chances = left_out(mine, figures, models[name].spread)
            nothing = likelihood(mine, [0.5] * len(mine))
            print(f"{name}: {models[name]}; {likelihood(mine, chances):.3f} a game, without a model {nothing:.3f}")
    for each in sorted(regrets(rows), key=lambda regret: -regret.losses[0]):
        print(f"{each.game:34} {each.seconds:5} s  {each.score:.2f}  expected {each.expected:.2f}  {each.losses}")
    losses = np.array([each.losses for each in regrets(rows)])
    print("mean and worst regret of the model, always guided, always UCT:", losses.mean(axis=0), losses.max(axis=0))
    if args.write:
        TARGET.write_text(source(models), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
