"""Looks one move ahead: makes every legal action of every game for trial, and asks what the position after it is worth.

The trials are a second `Batch` with a row for each game and action: it is loaded with the states of the first, and
stepped once. Where an action ends the game its worth is the result, not what anybody believes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ludens import Batch
from ludens.env import WAIT, Actions
from scripts.examples.returns import Floats

Values = Callable[[npt.NDArray[np.uint8]], Floats]
"""Returns what positions are worth to each role: values [n, roles], -1 to 1, of observations [n, …]."""


class Lookahead:
    """Trials for batches of a game; those of one size share their memory."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._trials: dict[int, Batch] = {}

    def __call__(self, batch: Batch) -> Floats:
        """Returns what each action is worth to the role that makes it, [games, actions]; -inf if it is not legal.

        The batch must have been made with `also=("states",)`.
        """
        if batch.count not in self._trials:
            self._trials[batch.count] = Batch(batch.game, batch.count * batch.actions, autoreset="never")
        trials, legal = self._trials[batch.count], batch.legal.reshape(-1) != 0
        trials.load(np.repeat(batch.states, batch.actions, axis=0))
        trials.step(np.where(legal, np.tile(np.arange(batch.actions), batch.count), WAIT))
        movers = np.repeat(batch.to_move, batch.actions)
        worth = np.full(len(legal), -np.inf, np.float32)
        worth[legal] = _of_roles(self._values(trials.observations[legal]), movers[legal])
        ended = legal & trials.done
        worth[ended] = _of_roles(trials.rewards[ended], movers[ended])
        return worth.reshape(batch.count, batch.actions)


def _of_roles(values: Floats, roles: Actions) -> Floats:
    """Returns from values [n, roles] that of one role in each row."""
    return values[np.arange(len(values)), roles]
