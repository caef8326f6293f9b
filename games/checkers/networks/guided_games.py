"""Random games partly guided by a network, as the kernel of a tree search (native/kernels/kernel_search.py).

Each move is by a coin one that the network would make, or any legal one: so games are both likely and various.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.native.core import CheckersNetwork, Game, States
from ludens.native.defaults import MAX_STEPS


class GuidedGames:
    """Plays games of which the network chooses a `share` of the moves; a `Kernel`."""

    def __init__(self, game: Game, network: CheckersNetwork, share: float, max_steps: int = MAX_STEPS) -> None:
        self._game, self._network, self._share, self._max_steps = game, network, share, max_steps

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """See `Kernel`; raises NativeError for games other than English draughts."""
        return self._network.play(self._game, states, games, self._share, max_steps=self._max_steps, seed=seed)
