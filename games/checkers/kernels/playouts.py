"""Random playouts of checkers from many positions at once: on a GPU where there is one, else on the processor.

>>> CheckersPlayouts(ENGLISH).play(Positions.of([Reference(ENGLISH).initial()]), games=100_000).goals
>>> KernelSearch(native_game(rules), CheckersKernel(rules), games=64)
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.bitboards.native_game import unpack
from ludens.games.checkers.rules.parameters import DOWN, MOST_PIECES, UP, CheckersRules
from ludens.games.checkers.rules.positions import Positions
from ludens.native.core import States
from ludens.native.cuda.device import available, cuda, processors
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import LudensError

_BLOCK = 128  # threads of a GPU's block
_THREADS_OF_A_PROCESSOR = 1024  # of a GPU
_SHARES_OF_A_CORE = 8  # so that cores that are slower get fewer of them
_LAUNCH_SECONDS = 0.02  # what a launch is to take: far from any watchdog, and long beside its overhead
_ENDLESS = 1 << 60  # rounds


@dataclass(frozen=True, slots=True)
class CheckersResults:
    """The results of the games from each of P positions."""

    games: int  # from each position
    goals: npt.NDArray[np.float64]  # [P, 2] mean goals of UP and DOWN, 0 … 100
    moves: int  # made in all games
    cut: int  # games that were ended for their length
    seconds: float  # wall clock


class CheckersPlayouts:
    """Plays random games by given rules, for one thread at a time.

    Every legal move is equally likely, every jump of a `Jumps.WHOLE` chain among those that could follow. What is
    played depends on the seed, the positions and the number of games alone, not on the device. `gpu` None takes
    the GPU if there is one; LudensError where what is needed is missing. The first call compiles for seconds.
    """

    def __init__(self, rules: CheckersRules, *, gpu: bool | None = None) -> None:
        cuda()  # numba, or a clear word
        from ludens.games.checkers.kernels import playout_kernels

        self.rules = rules
        self.gpu = available() if gpu is None else gpu
        if self.gpu and not available():
            raise LudensError("numba finds no GPU that it can use")
        self._kernels: Any = playout_kernels
        self._run: Any = playout_kernels.for_device(rules) if self.gpu else playout_kernels.for_processor(rules)[1]

    def play(self, positions: Positions, games: int, *, seed: int = 0, max_steps: int = MAX_STEPS) -> CheckersResults:
        """Plays `games` games from each position, of at most `max_steps` moves each."""
        if len(positions) == 0 or games < 1 or max_steps < 1:
            raise LudensError("playouts need at least one position, one game and one step")
        began = time.monotonic()
        wanted = processors() * _THREADS_OF_A_PROCESSOR if self.gpu else _cores() * _SHARES_OF_A_CORE
        shares = min(games, max(1, wanted // len(positions)))
        threads = self._threads(positions, games, shares, seed)
        totals = (self._play_on_device if self.gpu else self._play_on_processor)(threads, max_steps)
        goals = totals[: self._kernels.PLIES].reshape(2, len(positions), shares).sum(axis=2).T / games
        return CheckersResults(
            games=games,
            goals=goals,
            moves=int(totals[self._kernels.PLIES].sum()),
            cut=int(totals[self._kernels.CUT].sum()),
            seconds=time.monotonic() - began,
        )

    def _threads(self, positions: Positions, games: int, shares: int, seed: int) -> Any:
        """Makes `shares` threads for each position, which divide its games."""
        bounds = np.linspace(0, games, shares + 1, dtype=np.int64)
        count = len(positions) * shares
        return self._kernels.Threads(
            starts=_words(positions),
            positions=np.repeat(np.arange(len(positions)), shares),
            nexts=np.tile(bounds[:-1], len(positions)),
            lasts=np.tile(bounds[1:], len(positions)),
            seeds=np.random.SeedSequence(seed % 2**64).generate_state(len(positions), np.uint64),
            games=np.zeros((self._kernels.WORDS, count), np.uint32),
            random=np.zeros((4, count), np.uint32),
            ages=np.full(count, -1, np.int64),
            totals=np.zeros((4, count), np.int64),
            goals=np.array(self.rules.goals, np.int64),
            unfinished=np.zeros(1, np.int64),
        )

    def _play_on_processor(self, threads: Any, max_steps: int) -> npt.NDArray[np.int64]:
        """Plays shares of the games in a pool, which unlike numba's own threads several threads may start."""
        with ThreadPoolExecutor(_cores()) as pool:
            for done in [
                pool.submit(self._run, threads, share, share + 1, _ENDLESS, max_steps)
                for share in range(len(threads.nexts))
            ]:
                done.result()
        totals: npt.NDArray[np.int64] = threads.totals
        return totals

    def _play_on_device(self, threads: Any, max_steps: int) -> npt.NDArray[np.int64]:
        device = type(threads)(*map(cuda().to_device, threads))
        blocks, rounds, left = -(-len(threads.nexts) // _BLOCK), 64, True
        while left:
            launched = time.monotonic()
            device.unfinished.copy_to_device(np.zeros(1, np.int64))
            self._run[blocks, _BLOCK](device, rounds, max_steps)
            left = bool(device.unfinished.copy_to_host()[0])
            elapsed = time.monotonic() - launched
            rounds = max(1, round(rounds * min(2.0, _LAUNCH_SECONDS / max(elapsed, 1e-9))))
        totals: npt.NDArray[np.int64] = device.totals.copy_to_host()
        return totals


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


def _words(positions: Positions) -> npt.NDArray[np.uint32]:
    """Returns positions as the kernels hold them; raises LudensError if a side has more pieces than goal tables."""
    if max(positions.pieces(UP).max(), positions.pieces(DOWN).max()) > MOST_PIECES:
        raise LudensError(f"a side has more than {MOST_PIECES} pieces")
    p = positions
    chains = np.where(p.chain < 0, 0, 1 << np.maximum(p.chain, 0))
    return np.stack((p.up, p.down, p.kings, p.turn, chains, p.step, p.idle), axis=1).astype(np.uint32)


def _cores() -> int:
    return os.cpu_count() or 1
