"""Plays random games in numpy, to get sample states without the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.clock import now
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet

StatesByStep: TypeAlias = Sequence[BoolArray]
"""[n, S] for each step of random games some of their states at it."""


class Step(NamedTuple):
    """One step of random games that are played side by side."""

    states: BoolArray  # [n, S] where the games go on
    legal: BoolArray  # [n, M] the moves legal in them
    following: BoolArray  # [n, S] what comes next


def sample_states(
    net: Propnet, games: int = 64, steps: int = 200, seconds: float = 1.0, seed: int = 0
) -> tuple[BoolArray, BoolArray]:
    """States [n, S] of random games, and the moves legal in them [n, M]: all steps of `sample_steps` together."""
    played = sample_steps(net, games, steps, seconds, seed)
    return np.concatenate([step.states for step in played]), np.concatenate([step.legal for step in played])


def sample_steps(net: Propnet, games: int = 64, steps: int = 200, seconds: float = 1.0, seed: int = 0) -> list[Step]:
    """The steps of random games, the last of which may be one where no game goes on; that has no states.

    Plays `games` at once for at most `steps` steps and about `seconds`; always makes the first step. Where no game can
    begin, since the first state is terminal or a role has no legal move in it, the only step has no states.
    """
    evaluator, random = Evaluator(net), np.random.default_rng(seed)
    states = np.repeat(net.initial[None], games, axis=0)
    played: list[Step] = []
    deadline = now() + seconds
    for _ in range(steps):
        legal, terminal = evaluator.legal_and_terminal(states)
        able = [moves.any(axis=1) for moves in net.by_role(legal)]
        on = ~terminal & np.logical_and.reduce(able)
        states, legal = states[on], legal[on]
        if not len(states):
            played.append(Step(states, legal, states))
            break
        moves = [_draw(rows, random) for rows in net.by_role(legal)]
        following = evaluator.next(states, np.stack(moves, axis=1).astype(np.int32))
        played.append(Step(states, legal, following))
        if now() > deadline:
            break
        states = following
    return played


def _draw(legal: BoolArray, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """For each row the index of one of its true entries."""
    chosen: npt.NDArray[np.int64] = np.where(legal, random.random(legal.shape), -1.0).argmax(axis=1)
    return chosen
