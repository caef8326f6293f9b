"""Chooses what plays the random games of a search: the native machine, or a kernel that takes leaves in batches.

Both are tried on the game itself, for two seconds at most: the native search as it would play, with all its
threads, and the search of native/kernels/kernel_search.py with several numbers of games from each leaf. From n visits
of k games each a mean is known to sqrt((b^2 + w^2 / k) / n), see native/kernels/leaf_playouts.py, so v visits a second
are worth v / (1 + w^2 / (b^2 k)) of leaves that are known exactly. In matches at fixed effort
(scripts/strength/kernel_worth.py) visits of 4, 16 and 64 games were worth about as much as w = 1.4 b has it. (The
native search takes w for more: there, more games from a leaf also mean fewer leaves in flight.) A kernel must be worth
somewhat more than the native search, since leaves of a batch are chosen without the results of each other.

It is compiled, for many seconds, while the player learns, in a process of its own (native/kernels/kernel_process.py).
Nothing of it is imported, and no time spent, where there is no driver of a GPU.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.native.cuda.device import has_driver
from ludens.native.cuda.network import NetworkKernel
from ludens.native.kernels.kernel_process import KernelProcess, MakeKernel
from ludens.native.kernels.kernel_search import KernelGames
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.network.propnet import Propnet

NO_BATCHES = "random games are not played in large batches"
"""How users are told that no kernel plays, whose setting says that it plays random games in large batches."""

GAMES = (32, 64, 128, 256)  # from each leaf, that a kernel is tried with: a block of a network has 32 games
_WITHIN_BETWEEN = 1.4  # w / b
_CONVINCING = 1.3  # times the worth of the native search
_SECONDS = 0.2  # for each of the searches that are compared; the native one has as much as all the others
_WARMING_SHARE = 1 / 4
_COMPILING_SECONDS = 60.0  # the longest wait for a kernel
_POLL_SECONDS = 0.05
_MEMORY_MB = 64  # for each thread of the native search


@dataclass(frozen=True, slots=True)
class Throughput:
    """How fast a search is, and how much its leaves tell."""

    visits: float  # a second
    games: int  # from each leaf

    @property
    def worth(self) -> float:
        """Returns what its visits of a second are worth, in leaves that are known exactly."""
        return self.visits / (1 + _WITHIN_BETWEEN**2 / self.games)

    def __str__(self) -> str:
        """Says it in words."""
        return f"{self.visits:,.0f} leaves a second with {self.games} games each"


def recognised_kernel(game: RecognisedGame, settings: PlayerOptions) -> MakeKernel | None:
    """Returns what makes the kernel of a recognised game, if the player may use one and may have the device."""
    if settings.kernel == "off" or (settings.kernel == "gpu" and not has_driver()):
        return None
    return game.make_kernel(gpu=settings.kernel == "gpu", max_steps=settings.max_steps)


def network_kernel(net: Propnet, settings: PlayerOptions) -> MakeKernel | None:
    """Returns what makes the kernel of a played network; None for the processor, and where games prefer good moves."""
    if settings.kernel != "gpu" or not has_driver() or net.machine_policy:
        return None
    return partial(NetworkKernel, net, max_steps=settings.max_steps)


class KernelTrial:
    """Makes a kernel in the background, and compares its search with the native one."""

    def __init__(self, config: SearchConfig, make: MakeKernel | None, budget: TimeBudget) -> None:
        """Begins to make the kernel, if `make` says how and the search of `config` can hand out its leaves."""
        self._config, self._budget = replace(config, knowledge=None), budget
        strategy = STRATEGIES.get(config.strategy)
        suits = strategy is not None and strategy.takes_leaf_batches
        self._process = self._begun(make) if make is not None and suits else None

    def settle(self, seconds: float) -> KernelGames | None:
        """Returns the kernel if it is the better one, and with how many games; None otherwise.

        Waiting and the comparison take up to `seconds`, and end with the first turn.
        """
        if self._process is None:
            return None
        try:
            chosen = self._compare(self._process) if self._wait(self._process, seconds) else None
        except LudensError as error:
            self._budget.tell(f"{NO_BATCHES}: {error}")
            chosen = None
        if chosen is None:
            self._process.close()
        return chosen

    def _begun(self, make: MakeKernel) -> KernelProcess | None:
        """Returns the process in which a kernel is being made, if there can be one."""
        try:
            return KernelProcess(make, self._config.variant.game.initial)
        except LudensError as error:
            self._budget.tell(f"{NO_BATCHES}: {error}")
            return None

    def _wait(self, process: KernelProcess, seconds: float) -> bool:
        """Says whether the kernel is there in time to be tried."""
        clock, trial = self._budget.clock, 2 * len(GAMES) * _SECONDS
        until = clock() + min(seconds - trial, _COMPILING_SECONDS)
        while not (ready := process.ready(_POLL_SECONDS)) and clock() < until and not self._budget.stopped():
            pass
        if ready and clock() <= until + _POLL_SECONDS:
            return True
        self._budget.tell(f"{NO_BATCHES}: no time to compile and to try that")
        return False

    def _compare(self, process: KernelProcess) -> KernelGames | None:
        native = self._measure(None, len(GAMES) * _SECONDS)
        kernels = [KernelGames(process, games) for games in GAMES]
        measured = [self._measure(kernel, _SECONDS) for kernel in kernels]
        best = max(range(len(kernels)), key=lambda i: measured[i].worth)
        better = measured[best].worth >= _CONVINCING * native.worth
        verdict = "random games are played in large batches" if better else f"{NO_BATCHES}: that is not faster here"
        self._budget.tell(verdict)
        self._budget.explain(f"in large batches {measured[best]}, otherwise {native}")
        return kernels[best] if better else None

    def _measure(self, kernel: KernelGames | None, seconds: float) -> Throughput:
        """Measures a search from the first position."""
        memory_mb = min(_MEMORY_MB * self._config.threads, self._config.memory_mb)
        search = new_search(replace(self._config, memory_mb=memory_mb, kernel=kernel), self._budget.seed)
        assert search is not None  # its strategy is one of trees
        search.run(_WARMING_SHARE * seconds)  # finds the size of a batch
        before, began = search.stats(), time.monotonic()
        search.run((1 - _WARMING_SHARE) * seconds)
        stats, elapsed = search.stats(), time.monotonic() - began
        if stats.solved:
            raise NativeError("the game is solved at once")
        visits, games = stats.iterations - before.iterations, stats.playouts - before.playouts
        if not visits:
            raise NativeError("a search made no visits")
        return Throughput(visits / elapsed, max(1, round(games / visits)))
