"""Measures how far what a role gains by a move depends on what others choose at the same time.

Where each of two roles moves on a board of its own, the best move of either is the best whatever the other does; where
both reach for the same place, or show a hand each, it is not. In the former a search that lets each role go by its own
results looks further ahead, in the latter only a mixed strategy is safe (docs/experiments/simultaneous-moves.md).

From positions of random games some moves of one role are paired with some of another, and random games are played
after each pair. The variance of their mean goals, less that of chance, is split into the effects of either move and
their interaction (Fisher, "Statistical Methods for Research Workers", 1925: analysis of variance of two ways).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.random_games import Step, few_games
from ludens.native.core import Game, JointMoves, Simulator, States

_POSITIONS, _LEAST_POSITIONS = 512, 8
_SURE = 2.0  # standard errors by which what moves alone bring differs from chance
_MOVES = 4  # of each of two roles, at most
_GAMES = 16  # random ones after each pair of moves, twice: their difference tells what is chance

Floats = npt.NDArray[np.float64]


def independence(game: Game, seed: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> float:
    """Returns which part of the variance is that of either move alone, 0 … 1, found in about `seconds` of `clock`.

    0 where several roles never choose at once, and where it is not sure that what they choose matters at all. With
    infinite `seconds` the result follows from the seed.
    """
    rng, end = np.random.default_rng(seed), clock() + seconds
    simulator = Simulator(game, seed=seed)
    steps = few_games(game, seed).steps
    places = [(step, row) for step in steps for row in np.flatnonzero((step.choices > 1).sum(axis=1) > 1)]
    effects: list[tuple[float, float]] = []
    for place in rng.permutation(len(places))[:_POSITIONS]:
        step, row = places[place]
        effects.append(_effects(simulator, step, row, rng))
        if clock() >= end:
            break
    if len(effects) < _LEAST_POSITIONS:
        return 0.0
    (own, together), (error, _) = np.mean(effects, axis=0), np.std(effects, axis=0) / np.sqrt(len(effects))
    return float(own / (own + max(0.0, together))) if own > _SURE * error else 0.0


def _effects(simulator: Simulator, step: Step, row: int, rng: np.random.Generator) -> tuple[float, float]:
    """Returns the variance by the moves of two roles alone, and that by their interaction; either may be below 0."""
    roles = rng.permutation(np.flatnonzero(step.choices[row] > 1))[:2]
    legal = simulator.legal(step.states[row])
    chosen = [rng.permutation(np.flatnonzero(legal[role][0]))[:_MOVES] for role in roles]
    states = _after_pairs(simulator, step.states[row], step.joint[row], roles, chosen)
    twice = np.concatenate([states, states])
    sums, _ = simulator.playouts_from(twice, np.full(len(twice), _GAMES))
    means = (sums / _GAMES).reshape(2, len(chosen[0]), len(chosen[1]), -1)
    found = [_split(means[..., role]) for role in roles]
    return sum(own for own, _ in found), sum(together for _, together in found)


def _after_pairs(
    simulator: Simulator, state: States, joint: JointMoves, roles: npt.NDArray[np.int64], chosen: list[JointMoves]
) -> States:
    """Returns the states after all pairs of the chosen moves of two roles; others make those of `joint`."""
    first, second = np.meshgrid(*chosen, indexing="ij")
    joints = np.repeat(joint[None], first.size, axis=0)
    joints[:, roles[0]], joints[:, roles[1]] = first.reshape(-1), second.reshape(-1)
    return simulator.next(np.repeat(state[None], first.size, axis=0), joints)


def _split(twice: Floats) -> tuple[float, float]:
    """Returns estimates of the variance of mean goals by rows and columns, and by their interaction.

    `twice` [2, rows, columns]: two measurements of them.
    """
    means, chance = twice.mean(axis=0), float(((twice[0] - twice[1]) ** 2).mean()) / 4
    rows, columns = means.mean(axis=1), means.mean(axis=0)
    rest = means - rows[:, None] - columns[None] + means.mean()
    residual = float((rest**2).sum()) / ((len(rows) - 1) * (len(columns) - 1))
    own = float(rows.var(ddof=1) + columns.var(ddof=1)) - residual / len(columns) - residual / len(rows)
    return own, residual - chance
