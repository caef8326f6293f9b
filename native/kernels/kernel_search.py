"""A tree search whose random games are played elsewhere, such as on a GPU, for a batch of leaves at a time.

The tree is the native one. While a batch of leaves is being played the next one is collected, so that neither
waits for the other; leaves that are out count as visits without a result (Liu et al., "Watch the unobserved",
2020).

>>> KernelSearch(game, kernel, games=64).run(seconds=1.0)
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, Leaves, Search, States

_BATCH_SECONDS = 0.01  # that a batch is to take: a move is late by two of them at most
_FIRST_BATCH, _MOST_LEAVES = 32, 1 << 14
_WITHOUT_END = 1e8  # seconds


class Kernel(Protocol):
    """Plays random games of a game."""

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """Mean goals `float64[n, roles]`, 0 … 100, of `games` games from each of the states `uint64[n, words]`."""


@dataclass(frozen=True, slots=True)
class KernelGames:
    """A kernel, and how many games it plays from each leaf."""

    kernel: Kernel
    games: int

    def search(self, game: Game, **options: Any) -> KernelSearch:
        """A search with these games; `options` as those of `KernelSearch`."""
        return KernelSearch(game, self.kernel, games=self.games, **options)


class _Batch(NamedTuple):
    """Leaves that are out, and their results to come with the seconds that they take."""

    leaves: Leaves
    results: Future[tuple[npt.NDArray[np.float64], float]]


class KernelSearch(Search):
    """A `Search` whose kernel plays `games` random games from each leaf; for one thread at a time.

    The first batch has `batch` leaves, later ones what suits the kernel. `options` are those of `Search` but for
    threads, playouts_per_leaf and solver_share. `stop` and reports may be called from any thread.
    """

    def __init__(
        self, game: Game, kernel: Kernel, *, games: int, batch: int = _FIRST_BATCH, seed: int = 0, **options: Any
    ) -> None:
        super().__init__(game, seed=seed, **options)
        self._kernel, self._games = kernel, games
        self._seeds = np.random.default_rng(seed)
        self._room = batch
        self.unguided_visits = 2 * batch  # two batches are out before the first result is known
        self._seconds = 0.0  # that the last batch took
        self._spared = 0  # visits in this run that needed no games, in batches of these alone
        self._stopped = False

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """As `Search.run`; all that was handed out is reported at the end, so it may take a batch longer.

        Where the tree holds the whole game, so that a batch has no leaves, its visits count as playouts.
        At least one batch is played, however long the last one took: it may have been delayed by something else.
        """
        end = time.monotonic() + (seconds or _WITHOUT_END)
        most = self.stats().playouts + playouts if playouts else None
        self._spared = 0
        self._stopped = False
        out: _Batch | None = None
        with ThreadPoolExecutor(1) as pool:
            try:
                in_time = True
                while in_time and self._goes_on(most):
                    batch = self._hand_out(pool)
                    self._take_back(out)
                    out = batch
                    in_time = time.monotonic() + 2 * self._seconds < end  # would be back after the one that is out
            finally:
                self._take_back(out)

    def _goes_on(self, most: int | None) -> bool:
        """Whether another batch is wanted."""
        stats = self.stats()
        return not self._stopped and not stats.solved and (most is None or stats.playouts + self._spared < most)

    def _hand_out(self, pool: ThreadPoolExecutor) -> _Batch | None:
        before = self.stats().iterations
        leaves = self.collect(self._room)
        if not len(leaves.tickets):
            self._spared += max(1, self.stats().iterations - before)
            return None
        return _Batch(leaves, pool.submit(self._play, leaves.states, int(self._seeds.integers(1 << 62))))

    def _play(self, states: States, seed: int) -> tuple[npt.NDArray[np.float64], float]:
        began = time.monotonic()
        return self._kernel.play(states, self._games, seed), time.monotonic() - began

    def _take_back(self, batch: _Batch | None) -> None:
        """Reports a batch, and suits the size of those to come to the time that it took."""
        if batch is None:
            return
        goals, self._seconds = batch.results.result()
        self.report(batch.leaves.tickets, goals, self._games)
        if self._seconds > 2 * _BATCH_SECONDS:
            self._room = max(1, self._room // 2)
        elif self._seconds < _BATCH_SECONDS and len(batch.leaves.tickets) == self._room:
            self._room = min(_MOST_LEAVES, 2 * self._room)
        self.unguided_visits = 2 * self._room

    def stop(self) -> None:
        """Ends a run in progress, soon."""
        self._stopped = True
