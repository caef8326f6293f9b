"""Who plays the random games of a player's search: the native machine, or a kernel, a batch of leaves at a time.

Both are tried on the game itself, for two seconds at most: the native search as it would play, with all its
threads, and the search of native/kernel_search.py with several numbers of games from each leaf. From n visits of
k games each a mean is known to sqrt((b^2 + w^2 / k) / n), see native/leaf_playouts.py, so v visits a second are
worth v / (1 + w^2 / (b^2 k)) of leaves that are known exactly. In matches at fixed effort
(scripts/kernel_worth.py) visits of 4, 16 and 64 games were worth about as much as w = 1.4 b has it. (The native
search takes w for more: there, more games from a leaf also mean fewer leaves in flight.) A kernel must be worth
somewhat more than the native search, since leaves of a batch are chosen without the results of each other.

It is compiled, for many seconds, while the player learns, in a process of its own (native/kernel_process.py).
Nothing of it is imported, and no time spent, where there is no driver of a GPU.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ludens.agent.search.searches import new_search
from ludens.games.checkers.kernels.search_kernel import CheckersKernel
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.native.core import Game
from ludens.native.cuda.device import has_driver
from ludens.native.cuda.network import NetworkKernel
from ludens.native.kernels.kernel_process import KernelProcess, MakeKernel
from ludens.native.kernels.kernel_search import KernelGames
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.network.propnet import Propnet

if TYPE_CHECKING:
    from ludens.agent.preparation.preparation import Meta
    from ludens.agent.settings.options import PlayerOptions

GAMES = (32, 64, 128, 256)  # from each leaf, that a kernel is tried with: a thread of a network has 32 games
_WITHIN_BETWEEN = 1.4  # w / b
_CONVINCING = 1.3  # times the worth of the native search
_SECONDS = 0.2  # for each of the searches that are compared; the native one has as much as all the others
_WARMING_SHARE = 1 / 4
_COMPILING_SECONDS = 60.0  # the longest wait for a kernel
_POLL_SECONDS = 0.05
_MEMORY_MB = 64  # for each thread of the native search


@dataclass(frozen=True, slots=True)
class Tried:
    """How a search has done."""

    visits: float  # a second
    games: int  # from each leaf

    @property
    def worth(self) -> float:
        """What its visits of a second are worth, in leaves that are known exactly."""
        return self.visits / (1 + _WITHIN_BETWEEN**2 / self.games)

    def __str__(self) -> str:
        """In words."""
        return f"{self.visits:,.0f} leaves/s with {self.games} games"


def checkers_kernel(rules: CheckersRules, options: PlayerOptions) -> MakeKernel | None:
    """What makes the kernel of a recognised game, if the player may use one and there may be a device for it."""
    if options.kernel == "off" or (options.kernel == "gpu" and not has_driver()):
        return None
    return partial(CheckersKernel, rules, gpu=options.kernel == "gpu", max_steps=options.max_steps)


def network_kernel(net: Propnet, options: PlayerOptions) -> MakeKernel | None:
    """What makes the kernel of a played network; none for the processor, nor where games prefer good moves."""
    if options.kernel != "gpu" or not has_driver() or net.machine_policy:
        return None
    return partial(NetworkKernel, net, max_steps=options.max_steps)


class Offer:
    """A kernel that may come to play the random games of a search; it is being made meanwhile."""

    def __init__(self, game: Game, make: MakeKernel | None, options: PlayerOptions, meta: Meta) -> None:
        """Begins to make it, if `make` says how and `options` have a search whose leaves can be handed out."""
        self._game, self._options, self._meta = game, options, meta
        strategy = STRATEGIES.get(options.strategy)
        suits = strategy is not None and strategy.takes_leaf_batches
        self._process = KernelProcess(make, game.initial) if make is not None and suits else None

    def settle(self, seconds: float) -> KernelGames | None:
        """The kernel if it is the better one, and with how many games; None else.

        It is waited for, but with the comparison for no more than `seconds`, and not beyond the first turn.
        """
        if self._process is None:
            return None
        try:
            chosen = self._compare(self._process) if self._wait(self._process, seconds) else None
        except LudensError as error:
            self._meta.tell(f"no kernel: {error}")
            chosen = None
        if chosen is None:
            self._process.close()
        return chosen

    def _wait(self, process: KernelProcess, seconds: float) -> bool:
        """Whether it can be tried in time."""
        clock, trial = self._meta.clock, 2 * len(GAMES) * _SECONDS
        until = clock() + min(seconds - trial, _COMPILING_SECONDS)
        while not process.ready(_POLL_SECONDS):
            if clock() >= until or self._meta.stopped():
                self._meta.tell("no kernel: there is no time to compile and to try one")
                return False
        return clock() <= until + _POLL_SECONDS

    def _compare(self, process: KernelProcess) -> KernelGames | None:
        native = self._try(None, len(GAMES) * _SECONDS)
        ways = [KernelGames(process, games) for games in GAMES]
        tried = [self._try(way, _SECONDS) for way in ways]
        best = max(range(len(ways)), key=lambda i: tried[i].worth)
        better = tried[best].worth >= _CONVINCING * native.worth
        verdict = "the kernel plays" if better else "the native machine plays"
        self._meta.tell(f"kernel: {tried[best]}, native: {native}; {verdict}")
        return ways[best] if better else None

    def _try(self, kernel: KernelGames | None, seconds: float) -> Tried:
        """A search from the first position."""
        options = self._options
        memory_mb = min(_MEMORY_MB * options.workers, options.nodes_mb)
        search = new_search(self._game, options, options.lanes, memory_mb, self._meta.seed, kernel=kernel)
        assert search is not None  # its strategy is one of trees
        search.run(_WARMING_SHARE * seconds)  # finds the size of a batch
        before, began = search.stats(), time.monotonic()
        search.run((1 - _WARMING_SHARE) * seconds)
        stats, elapsed = search.stats(), time.monotonic() - began
        if stats.solved:
            raise NativeError("the game is solved before it begins")
        visits, games = stats.iterations - before.iterations, stats.playouts - before.playouts
        if not visits:
            raise NativeError("a search made no visits")
        return Tried(visits / elapsed, max(1, round(games / visits)))
