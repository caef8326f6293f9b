"""Computes λ-returns: what a position turned out to be worth, by what came after it.

The return of a position is the result of its game. In a long game that is a noisy teacher, and a game that is cut off
has no result at all. TD(λ) mixes it with what the learner itself believes of the positions that followed:

    G(t) = r(t) + (1 - λ) V(t + 1) + λ G(t + 1)

λ = 1 trusts results alone, λ = 0 the next position alone. After the last move of a game nothing follows: G(t) = r(t).
Values are kept for each role, so that nothing need be known of who moves when, or of whose loss is whose gain.

Source: Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def lambda_returns(
    rewards: Floats, done: npt.NDArray[np.bool_], values: Floats, last: Floats, trace_decay: float
) -> Floats:
    """Returns G[steps, games, roles] of the positions before each step.

    `rewards` [steps, games, roles] are those of the steps, and `done` [steps, games] tells which ended a game. `values`
    [steps, games, roles] are beliefs of the positions before each step, `last` [games, roles] of those after all.
    """
    returns = np.empty_like(values)
    following, believed = last, last
    for step in reversed(range(len(rewards))):
        mixed = (1 - trace_decay) * believed + trace_decay * following
        returns[step] = rewards[step] + np.where(done[step, :, None], 0, mixed)
        following, believed = returns[step], values[step]
    return returns
