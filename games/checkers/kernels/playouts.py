"""Random playouts of checkers from many positions at once: on a GPU where there is one, else on the processor.

>>> CheckersPlayouts(ENGLISH).play(Positions.of([Reference(ENGLISH).initial()]), games=100_000).goals
>>> KernelSearch(native_game(rules), CheckersKernel(rules), games=64)
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.bitboards.native_game import unpack
from ludens.games.checkers.rules.parameters import DOWN, MOST_PIECES, UP, CheckersRules
from ludens.games.checkers.rules.positions import Positions
from ludens.native.core import States
from ludens.native.cuda.device import available, cuda, multiprocessors
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import LudensError

BLOCK = 64  # threads of a GPU's block
_THREADS_OF_A_MULTIPROCESSOR = 2048  # of a GPU
_FIRST_ROUNDS = 64  # of the first launch
_SHARES_OF_A_CORE = 8  # so that cores that are slower get fewer of them
_LAUNCH_SECONDS = 0.02  # what a launch is to take: far from any watchdog, and long beside its overhead
_ENDLESS = 1 << 60  # rounds


@dataclass(frozen=True, slots=True)
class CheckersResults:
    """The results of the games from each of P positions."""

    goals: npt.NDArray[np.float64]  # [P, 2] mean goals of UP and DOWN, 0 … 100; NaN where no game was played
    moves: int  # made in all games
    cut: int  # games that were ended for their length
    seconds: float  # wall clock


class _Work(NamedTuple):
    """What is to be played from each of P positions."""

    starts: npt.NDArray[np.uint32]  # [P, WORDS]
    seeds: npt.NDArray[np.integer]  # [P]
    games: npt.NDArray[np.int64]  # [P]


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
        self._threads: Any = None  # on the device, kept from call to call
        self._rounds = _FIRST_ROUNDS  # of the next launch

    def play(
        self, positions: Positions, games: int | npt.NDArray[np.integer], *, seed: int = 0, max_steps: int = MAX_STEPS
    ) -> CheckersResults:
        """Plays `games` games from each position, or as many as its number says, of at most `max_steps` moves each."""
        each = np.ascontiguousarray(np.broadcast_to(np.asarray(games, np.int64), len(positions)))
        if len(each) == 0 or each.min() < 0 or each.sum() == 0 or max_steps < 1:
            raise LudensError("playouts need at least one position, one game and one step")
        began = time.monotonic()
        seeds = np.random.SeedSequence(seed % 2**64).generate_state(len(each), np.uint64)
        work = _Work(_words(positions), seeds, each)
        play = self._play_on_device if self.gpu else self._play_on_processor
        totals = play(work, max_steps)
        with np.errstate(invalid="ignore"):
            goals = totals[: self._kernels.PLIES].T / each[:, None]
        return CheckersResults(
            goals=goals,
            moves=int(totals[self._kernels.PLIES].sum()),
            cut=int(totals[self._kernels.CUT].sum()),
            seconds=time.monotonic() - began,
        )

    def _bounds(self, games: npt.NDArray[np.int64], wanted: int) -> npt.NDArray[np.int64]:
        """Where the threads of each position begin, and the last ones end, if about so many are wanted."""
        shares = -(-games // max(1, int(games.sum()) // wanted))
        return np.concatenate(([0], np.cumsum(shares)))

    def _play_on_processor(self, work: _Work, max_steps: int) -> npt.NDArray[np.int64]:
        """Returns the totals of each position [4, P].

        Plays shares of the games in a pool, which unlike numba's own threads several threads may start.
        """
        games, bounds = work.games, self._bounds(work.games, _cores() * _SHARES_OF_A_CORE)
        position = np.repeat(np.arange(len(games)), np.diff(bounds))
        number, shares = np.arange(len(position)) - bounds[position], np.diff(bounds)[position]
        threads = self._new_threads(len(position), work.starts, work.seeds, np.zeros)._replace(
            positions=position,
            nexts=number * games[position] // shares,
            lasts=(number + 1) * games[position] // shares,
            ages=np.full(len(position), -1, np.int64),
            goals=np.array(self.rules.goals, np.int64),
        )
        with ThreadPoolExecutor(_cores()) as pool:
            for done in [
                pool.submit(self._run, threads, share, share + 1, _ENDLESS, max_steps) for share in range(len(position))
            ]:
                done.result()
        totals = np.zeros((len(threads.totals), len(games)), np.int64)
        np.add.at(totals.T, position, threads.totals.T)
        return totals

    def _play_on_device(self, work: _Work, max_steps: int) -> npt.NDArray[np.int64]:
        """Returns the totals of each position [4, P]."""
        device = cuda()
        wanted = multiprocessors() * _THREADS_OF_A_MULTIPROCESSOR
        bounds = self._bounds(work.games, wanted)
        count = int(bounds[-1])
        starts, seeds, games = map(device.to_device, work)
        if self._threads is None or count > len(self._threads.nexts):
            self._threads = self._new_threads(max(count, wanted), starts, seeds, device.device_array)
            self._threads.goals.copy_to_device(np.array(self.rules.goals, np.int64))
        threads = self._threads = self._threads._replace(starts=starts, seeds=seeds)
        shape = -(-count // BLOCK), BLOCK
        self._kernels.begin[shape](threads, device.to_device(bounds), games)
        left = True
        while left:
            launched = time.monotonic()
            threads.unfinished.copy_to_device(np.zeros(1, np.int64))
            self._run[shape](threads, count, self._rounds, max_steps)
            left = bool(threads.unfinished.copy_to_host()[0])
            if left:
                elapsed = time.monotonic() - launched
                self._rounds = max(1, round(self._rounds * min(2.0, _LAUNCH_SECONDS / max(elapsed, 1e-9))))
        sums = device.to_device(np.zeros((len(threads.totals), len(work.games)), np.int64))
        self._kernels.add_up[shape](threads, count, sums)
        totals: npt.NDArray[np.int64] = sums.copy_to_host()
        return totals

    def _new_threads(self, count: int, starts: Any, seeds: Any, new: Any) -> Any:
        """Returns `count` threads, whose arrays are made by `new` from a shape and a type."""
        kernels = self._kernels
        return kernels.Threads(
            starts=starts,
            seeds=seeds,
            positions=new(count, np.int64),
            nexts=new(count, np.int64),
            lasts=new(count, np.int64),
            games=new((kernels.WORDS, count), np.uint32),
            random=new((4, count), np.uint32),
            ages=new(count, np.int64),
            totals=new((4, count), np.int64),
            goals=new(np.shape(self.rules.goals), np.int64),
            unfinished=new(1, np.int64),
        )


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
