"""Random games in numpy: states to try things on, where nothing of the native core is at hand."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from propnet.evaluate import Bools, Evaluator
from propnet.network import Propnet


def sample_states(
    net: Propnet, games: int = 64, steps: int = 200, seconds: float = 1.0, seed: int = 0
) -> tuple[Bools, Bools]:
    """States [n, S] of random games, and the moves legal in them [n, M]: those of `sample_steps` together."""
    seen = sample_steps(net, games, steps, seconds, seed)
    return np.concatenate([s for s, _ in seen]), np.concatenate([m for _, m in seen])


def sample_steps(
    net: Propnet, games: int = 64, steps: int = 200, seconds: float = 1.0, seed: int = 0
) -> list[tuple[Bools, Bools]]:
    """For each step of random games the states [n, S] where the game goes on, and the moves legal in them [n, M].

    Plays `games` at once for at most `steps` steps and about `seconds`; always looks at the first state.
    """
    evaluator, random = Evaluator(net), np.random.default_rng(seed)
    ends = np.cumsum([0, *map(len, net.moves)])
    states = np.repeat(net.initial[None], games, axis=0)
    seen: list[tuple[Bools, Bools]] = []
    deadline = time.monotonic() + seconds
    for _ in range(steps):
        legal = evaluator.legal(states)
        able = [legal[:, first:last].any(axis=1) for first, last in pairwise(ends)]
        on = ~evaluator.terminal(states) & np.logical_and.reduce(able)
        states, legal = states[on], legal[on]
        seen.append((states, legal))
        if not len(states) or time.monotonic() > deadline:
            break
        moves = [_draw(legal[:, first:last], random) for first, last in pairwise(ends)]
        states = evaluator.next(states, np.stack(moves, axis=1).astype(np.int32))
    return seen


def _draw(legal: Bools, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """For each row the index of one of its true entries."""
    chosen: npt.NDArray[np.int64] = np.where(legal, random.random(legal.shape), -1.0).argmax(axis=1)
    return chosen
