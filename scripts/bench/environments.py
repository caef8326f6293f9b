"""Measures environments beside others, in one run: steps a second, with the same work on all sides.

    python -m scripts.bench.environments [--games connect_four hex] [--json docs/data/environments.json]

Every package plays the same games (hex on the board of 11 × 11 that the others have) from masks: a caller that knows no
rules draws a legal action for each game, in vectorised numpy (scripts/bench/mask_choices.py), for EnvPool with Ludens'
own random_actions, for pgx inside jax, which compiles that too, and in plain Python for one game at a time; it steps,
and has observations, masks, rewards and ends for the next step. Games that are over begin anew. Packages that step many
games are measured at several sizes, and the best one counts.

Rates are of the CPU time of a process pinned to a core, with all its threads: first one, then two of them at once. All
that is measured of a game is measured in turns, block by block, so that whatever else the machine does meets all alike;
the figure is the median of the blocks, and ratios are medians of the ratios of each block. Ways of Ludens:

* masks: the caller draws actions from the masks, in numpy alone; all is in bytes, as with other packages
* packed masks: the same, with eight facts to a byte
* helped: that, with actions drawn by `ludens.env.random_actions`, which is native
* inside: the batch draws them itself, and writes all its arrays as well
* packed: that, with states as packed bits in place of planes
* raw: random games of the simulator, of which nothing is written

The last column is the share of the time of the first three that is spent in steps of the batch, and not in the caller.

Peers are measured where they are installed, and named where they are not:
pip install open_spiel envpool pgx 'jax[cpu]' pettingzoo pygame rlcard chess
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from scripts.bench.environment_peers import PEERS, Contestant, ludens

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "reversi", "hex", "gomoku")
SIZES = (1, 64, 1024, 16_384)
_BURST = 0.002  # seconds between looks at the clock, which takes as long as a step of one game


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a package in a game, on so many cores."""

    game: str
    package: str
    way: str  # who draws the actions, and what is written
    games: int  # side by side, in each process
    cores: int
    rates: tuple[float, ...]  # steps a second, in each block
    simulator: float = 0.0  # share of the time, of Ludens alone

    @property
    def rate(self) -> float:
        """The median."""
        return statistics.median(self.rates)


def main() -> int:
    """Measures, shows a table, and writes what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--cores", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=0.25, help="of each block")
    parser.add_argument("--blocks", type=int, default=3, help="of each package, in turns")
    parser.add_argument("--json", type=Path, help="write what was measured here")
    options = parser.parse_args()
    console = Console(stderr=True)
    for name, peer in PEERS.items():
        if not peer.installed():
            console.print(f"{name} is missing, and is left out: pip install {peer.package}")
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    found: list[Measured] = []
    with Progress(console=console) as progress:
        rounds = list(product(options.cores, options.games))
        task = progress.add_task("", total=len(rounds))
        for count, game in rounds:
            progress.update(task, description=f"{game}, {count} core{'s' if count > 1 else ''}")
            if count <= len(cores):
                found += _on_cores(game, cores[:count], options.sizes, options.seconds, options.blocks)
            progress.advance(task)
    _show(found)
    if options.json:
        data = {"machine": _machine(), "versions": _versions(), "measured": [asdict(each) for each in found]}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def _on_cores(game: str, cores: Sequence[int], sizes: Sequence[int], seconds: float, blocks: int) -> list[Measured]:
    """Measures a game in one process for each core at once; rates are sums."""
    context = get_context("spawn")
    with ProcessPoolExecutor(len(cores), context, initializer=_silence) as pool, context.Manager() as manager:
        begin = manager.Barrier(len(cores))
        parts = [pool.submit(_one_core, game, core, sizes, seconds, blocks, begin) for core in cores]
        found = [part.result() for part in parts]
    sums = []
    for same in zip(*found, strict=True):
        rates = tuple(map(sum, zip(*(each.rates for each in same), strict=True)))
        share = statistics.mean(each.simulator for each in same)
        sums.append(Measured(game, same[0].package, same[0].way, same[0].games, len(cores), rates, share))
    return sums


def _one_core(game: str, core: int, sizes: Sequence[int], seconds: float, blocks: int, begin: object) -> list[Measured]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    contestants = [
        *ludens(game, sizes),
        *(each for title, peer in PEERS.items() for each in peer.contestants(game, title)),
    ]
    for each in contestants:
        _rate(each, 0.0)  # compiles, and fills caches
    rates: list[list[float]] = [[] for _ in contestants]
    for _ in range(blocks):
        begin.wait()  # type: ignore[attr-defined]
        for each, seen in zip(contestants, rates, strict=True):
            seen.append(_rate(each, seconds))
    return [
        Measured(game, each.package, each.way, each.games, 1, tuple(seen), each.share())
        for each, seen in zip(contestants, rates, strict=True)
    ]


def _rate(contestant: Contestant, seconds: float) -> float:
    """Returns the steps of all games for a second of the process's CPU time, from 2 calls on."""
    calls, burst, began = 0, 1, time.process_time()
    while calls < 2 or time.process_time() - began < seconds:
        for _ in range(burst):
            contestant.step()
        calls += burst
        burst = max(1, int(_BURST * calls / max(time.process_time() - began, 1e-6)))
    return contestant.games * calls / (time.process_time() - began)


def _silence() -> None:
    """Keeps what packages say of themselves off the terminal."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")


def _versions() -> dict[str, str]:
    return {peer.package: version(peer.package) for peer in PEERS.values() if peer.installed()}


def _machine() -> str:
    """The processor, as the system calls it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def _show(found: Sequence[Measured]) -> None:
    print("| game | package | way | games | cores | steps a second | simulator |\n|---|---|---|--:|--:|--:|--:|")
    for each in found:
        share = f"{each.simulator:.0%}" if each.simulator else ""
        print(
            f"| {each.game} | {each.package} | {each.way} | {each.games} | {each.cores} | {each.rate:,.0f} | {share} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
