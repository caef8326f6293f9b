"""Fits the models by which `auto` chooses a search to the games that scripts.strength.choice_games has played.

    python -m scripts.strength.choice_model           # prints the models, and how well they choose in unseen games
    python -m scripts.strength.choice_model --write   # also writes agent/preparation/strength_coefficients.py

For each search a logistic regression of its scores against UCT, with a random intercept for each game: the mode of the
posterior with normal priors, found by Newton's method. How different games are from what the figures say, which is the
standard deviation of the intercepts, is what foretells the scores of games best that were left out of the fit. The
table of regrets is made in the same way: the coefficients by which a game is chosen for were fitted to other games
alone, once with variants of it and once without.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens import games
from ludens.agent.preparation.ratings import expected_score
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.strength_model import ALTERNATING, LEARNED, StrengthModel, learned_figure
from ludens.agent.statistics.intervals import wilson

DATA = Path(__file__).parents[2] / "docs" / "data" / "choice.jsonl"
TARGET = Path(__file__).parents[2] / "agent" / "preparation" / "strength_coefficients.py"

FIGURES = {  # of `Evidence`, that tell something about a search
    "guided": ("constant", "alternating", "behind", "playouts", "length", LEARNED),
    "rave": ("constant", "playouts"),
    "decoupled": ("constant", "independent"),
    "captures": ("constant",),
    "mast": ("constant", "playouts"),
    "uniform": ("constant",),
}
_PRIOR_SPREADS = {"constant": 2.0, "alternating": 1.0, "behind": 10.0, LEARNED: 0.1}  # of coefficients,
_PRIOR_SPREAD = 0.5  # ... of the others
_PRIOR_MEANS = {  # by matches with moves of several lengths, and after half an hour of learning
    "guided": {LEARNED: 0.3},  # docs/experiments/searched-self-play.md
    "rave": {"playouts": -1.0},
    "mast": {"playouts": -0.2},
}
_LEARNED_SHARE = 0.85  # of the preparation, about, where a row does not say how long was learned
_FAMILIES = (  # words in the names of sheets that are variants of one game
    "amazons",
    "battle",
    "breakthrough",
    "chinesecheckers",
    "checkers",
    "connectfour",
    "cubicup",
    "dotsandboxes",
    "gomoku",
    "hex",
    "othello",
    "pacman",
    "pentago",
    "quarto",
    "skirmish",
    "snake",
    "tictactoe",
    "tron",
    "ttcc4",
)
_ALIASES = {  # families of sheets whose names do not have such a word
    "4pttc": "ttcc4",
    "connect5": "gomoku",
    "dualConnect4": "connectfour",
    "knightazons": "amazons",
    "knightthrough": "breakthrough",
    "mini_chess": "chess",
    "reversi": "othello",
    "reversiSuicide": "othello",
    "speedChess": "chess",
    "sum15": "tictactoe",  # on a magic square
    "ticTicToe": "tictactoe",
}
_GAME_SPREADS = np.arange(0.25, 4.01, 0.25)
_SLOPE_SPREAD = 0.3  # of how strength grows with e times the iterations, from game to game
_NEWTON_STEPS = 30
_LINE = 120  # characters
_CERTAIN = 1e-6  # a step that changes no parameter by more is the last
_NODES, _WEIGHTS = (values.astype(float) for values in np.polynomial.hermite_e.hermegauss(31))
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of a search in a game, and the scores of its games against UCT, 0 … 1."""

    path: str  # the name of the sheet's file
    search: str
    seconds: float
    figures: Mapping[str, float]
    scores: tuple[float, ...]
    sees: tuple[str, ...]  # kinds of features of the evaluation

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
        return expected_score(self.strength(figures), self.spread)

    def strength(self, figures: Mapping[str, float]) -> float:
        """Returns the expected strength, in logits."""
        return sum(weight * figures[name] for name, weight in self.coefficients.items())


def by_game(row: Row) -> str:
    """Returns the game of a row."""
    return row.path


def by_family(row: Row) -> str:
    """Returns what a game has in common with its variants; the sheet's own name where there are none."""
    stem = row.path.removesuffix(games.SUFFIX)
    word = stem.lower().replace("_", "")
    return _ALIASES.get(stem) or next((family for family in _FAMILIES if family in word), stem)


def read(path: Path = DATA) -> list[Row]:
    """Returns all rows with games.

    Where they do not say how long was learned, that is most of the preparation; where they do not say whether two roles
    alternate, they do.
    """
    found: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Row(row["path"], row["search"], row["seconds"], _figures(row), tuple(row["scores"]), tuple(row["sees"]))
        for row in found
        if row.get("scores")
    ]


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    learned = {LEARNED: learned_figure(_LEARNED_SHARE * row["learned"]), ALTERNATING: 1.0}
    figures: dict[str, float] = learned | row["figures"]
    return figures


def fit(rows: Sequence[Row], names: Sequence[str], spread: float) -> dict[str, float]:
    """Returns the coefficients of the figures of these names, where games have a standard deviation of `spread`."""
    paths = sorted({row.path for row in rows})
    inputs = np.array([[row.figures[name] for name in names] + [row.path == path for path in paths] for row in rows])
    wins, counts = np.array([sum(row.scores) for row in rows]), np.array([len(row.scores) for row in rows])
    spreads = [_PRIOR_SPREADS.get(name, _PRIOR_SPREAD) for name in names] + [spread] * len(paths)
    precision = np.array(spreads) ** -2.0
    means = _PRIOR_MEANS.get(rows[0].search, {})
    prior = np.array([means.get(name, 0.0) for name in names] + [0.0] * len(paths))
    found = prior
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (wins - counts * expected) - precision * (found - prior)
        curvature = (inputs.T * (counts * expected * (1 - expected))) @ inputs + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        found = found + step
        if np.abs(step).max() < _CERTAIN:
            break
    return {name: float(value) for name, value in zip(names, found, strict=False)}


def left_out(
    rows: Sequence[Row], names: Sequence[str], spread: float, unit: Callable[[Row], str] = by_game
) -> list[Fitted]:
    """Returns for each row a model that has seen nothing of its unit, a game or a family of games."""
    models = {
        name: Fitted(fit([row for row in rows if unit(row) != name], names, spread), spread)
        for name in {unit(row) for row in rows}
    }
    return [models[unit(row)] for row in rows]


def likelihood(rows: Sequence[Row], models: Sequence[Fitted]) -> float:
    """Returns the mean logarithm of the probability of a result, draws being half of either.

    The results of one game have its intercept in common, so their probability is a mean over that, by Gauss and
    Hermite's quadrature.
    """
    total = 0.0
    for path in sorted({row.path for row in rows}):
        logs = np.zeros(len(_NODES))
        for row, model in zip(rows, models, strict=True):
            if row.path == path:
                strength = model.strength(row.figures) + model.spread * _NODES
                logs += sum(row.scores) * strength - len(row.scores) * np.logaddexp(0, strength)
        total += float(logs.max() + np.log(np.exp(logs - logs.max()) @ _WEIGHTS))
    return total / sum(len(row.scores) for row in rows)


def fitted(rows: Sequence[Row], names: Sequence[str]) -> Fitted:
    """Returns the model with the spread that foretells left-out games best."""
    spread = float(max(_GAME_SPREADS, key=lambda value: likelihood(rows, left_out(rows, names, float(value)))))
    return Fitted(fit(rows, names, spread), spread)


@dataclass(frozen=True, slots=True)
class Unseen:
    """A game, and the score that a model expects of guided search which has not seen it, nor variants of it."""

    row: Row
    game_unseen: float
    family_unseen: float


RULES: Mapping[str, Callable[[Unseen], bool]] = {  # whether guided search plays
    "model": lambda unseen: unseen.game_unseen > 0.5,
    "without variants": lambda unseen: unseen.family_unseen > 0.5,
    "by features": lambda unseen: bool({"threat", "territory", "distance"} & {*unseen.row.sees}),
    "always guided": lambda _unseen: True,
    "always UCT": lambda _unseen: False,
}
"""Ways to choose. "By features" is how it was done before, where there was no time for trial games."""


@dataclass(frozen=True, slots=True)
class Regret:
    """What ways to choose lose in one game against the better of guided search and UCT, as shares of the points."""

    row: Row
    expected: float
    losses: Mapping[str, float]  # for each of `RULES`

    def least_loss(self, rule: str) -> float:
        """Returns what one of `RULES` loses if the true score is at the end of its 95 % interval nearest one half."""
        scores = self.row.scores
        low, high = wilson(sum(scores) / len(scores), len(scores))
        return max(0.0, 0.5 - high, low - 0.5) if self.losses[rule] > 0 else 0.0


def regrets(rows: Sequence[Row]) -> list[Regret]:
    """Returns what was lost by choices between guided search and UCT in games that the model had not seen.

    Only the spread of games, one number, is that of all.
    """
    guided = [row for row in rows if row.search == "guided"]
    names = FIGURES["guided"]
    spread = fitted(guided, names).spread
    models = (left_out(guided, names, spread, unit) for unit in (by_game, by_family))
    found = []
    for row, *unseen in zip(guided, *models, strict=True):
        known = Unseen(row, *(model.chance(row.figures) for model in unseen))
        best = max(row.score, 0.5)
        losses = {name: best - (row.score if rule(known) else 0.5) for name, rule in RULES.items()}
        found.append(Regret(row, known.game_unseen, losses))
    return found


def mean_and_worst(found: Sequence[Regret], rule: str) -> tuple[float, float]:
    """Returns what choices by one of `RULES` lost: the mean of all games, and the most in one."""
    losses = [regret.losses[rule] for regret in found]
    return sum(losses) / len(losses), max(losses)


def source(models: Mapping[str, Fitted]) -> str:
    """Returns the text of the module with the coefficients; searches without games keep theirs."""
    all_models: dict[str, Fitted | StrengthModel] = {**STRENGTH_MODELS, **models}
    lines = [
        _line(name, {key: round(value, 2) for key, value in model.coefficients.items()}, model.spread)
        for name, model in all_models.items()
    ]
    head, _, _ = TARGET.read_text("utf-8").partition("STRENGTH_MODELS:")
    return "\n".join([head + "STRENGTH_MODELS: Mapping[str, StrengthModel] = {", *lines, "}", ""])


def _line(name: str, coefficients: Mapping[str, float], spread: float) -> str:
    """Returns the line of a model, or its lines if it is too long, as the formatter has it."""
    figures, *spreads = (str(value).replace("'", '"') for value in (coefficients, round(spread, 2), _SLOPE_SPREAD))
    head, inner = f'    "{name}": StrengthModel(', " " * 8
    joined = ", ".join([figures, *spreads])
    if len(line := f"{head}{joined}),") <= _LINE:
        return line
    if len(line := inner + joined) <= _LINE:
        return f"{head}\n{line}\n    ),"
    if len(line := f"{inner}{figures},") > _LINE:
        items = figures[1:-1].split(", ")
        line = "\n".join([f"{inner}{{", *(f"{inner}    {item}," for item in items), f"{inner}}},"])
    return "\n".join([head, line, *(f"{inner}{value}," for value in spreads), "    ),"])


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
            known = likelihood(mine, left_out(mine, figures, models[name].spread))
            print(f"{name}: {models[name]}; {known:.3f} a game, by tossing coins {math.log(0.5):.3f}")
    found = regrets(rows)
    for each in sorted(found, key=lambda regret: -regret.losses["model"]):
        losses = "  ".join(f"{loss:.2f}" for loss in each.losses.values())
        print(
            f"{each.row.path:34} {each.row.seconds:5} s  {each.row.score:.2f}  expected {each.expected:.2f}  {losses}"
        )
    for rule in RULES:
        mean, worst = mean_and_worst(found, rule)
        print(f"{rule:16} loses {mean:.1%} on the mean, {worst:.1%} at the worst")
    if args.write:
        TARGET.write_text(source(models), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
