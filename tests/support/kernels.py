"""Kernels that play no games, for tests of who uses them; other processes import them, and nothing else."""

from __future__ import annotations

import os
import time

import numpy as np
import numpy.typing as npt

from ludens.native.core import States


class Instant:
    """Tells at once that all is even."""

    def __init__(self, roles: int = 2, after: int = 1 << 60) -> None:
        """`after` so many batches `fail` is called."""
        self._roles, self._left = roles, after

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        self._left -= 1
        if self._left < 0:
            self.fail()
        return np.full((len(states), self._roles), 50.0)

    def fail(self) -> None:
        """What goes wrong."""


class Pessimist(Instant):
    """Tells that whoever moves first gets nothing."""

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        goals = super().play(states, games, seed)
        goals[:, 0] = 0
        return goals


class Telling(Instant):
    """Tells what it was given."""

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        return np.stack([states[:, 0] % 7, np.full(len(states), games + seed)], axis=1).astype(np.float64)


class Slow(Instant):
    """Takes long for any batch."""

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        time.sleep(0.1)
        return super().play(states, games, seed)


class Raising(Instant):
    def fail(self) -> None:
        raise RuntimeError("an illegal address was met")


class Dying(Instant):
    def fail(self) -> None:
        os.write(2, b"Segmentation fault\n")
        os._exit(3)


class Mute(Instant):
    def fail(self) -> None:
        time.sleep(1000)
