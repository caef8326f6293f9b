"""The playout kernel of checkers for searches on the native bitboards.

>>> KernelSearch(native_game(rules), CheckersKernel(rules), games=64)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.bitboards.native_game import unpack
from ludens.games.checkers.kernels.playouts import CheckersPlayouts
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.native.core import States
from ludens.native.defaults import MAX_STEPS


class CheckersKernel:
    """Plays random games from states of `native_game(rules)`; a `ludens.native.kernels.kernel_search.Kernel`."""

    def __init__(self, rules: CheckersRules, *, gpu: bool | None = None, max_steps: int = MAX_STEPS) -> None:
        """Plays on the GPU if there is one, or as `gpu` says; raises LudensError where what it needs is missing."""
        self._playouts = CheckersPlayouts(rules, gpu=gpu)
        self._max_steps = max_steps

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """See `Kernel`."""
        results = self._playouts.play(unpack(states), games, seed=seed, max_steps=self._max_steps)
        first = self._playouts.rules.first_role
        return results.goals if first == 0 else results.goals[:, ::-1]
