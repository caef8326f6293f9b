"""Compares the speed of two checkouts in pairs: the same work in both, in turns, on one core.

    python -m scripts.bench.pairs ../before/.venv/bin/python --rounds 9
    python -m scripts.bench.pairs ../before/.venv/bin/python connect_four breakthrough --work 1

The first argument is the interpreter of the earlier checkout, in whose environment Ludens is installed. Each row is a
game and a task: random playouts, or UCT with one thread. How much work takes the earlier checkout --work seconds is
found out first; then both do just that, in turns. The ratio is that of CPU seconds, earlier over later, so more than 1
is faster; it is told as the median over the rounds, with the least and the greatest. Searches are repeatable, so the
root's visits must be the same in both; where they are not, that is told.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

TASKS = ("playouts", "uct")


class Worker:
    """One checkout at work, in a process of its own."""

    def __init__(self, python: str, game: str) -> None:
        command = [python, "-P", str(Path(__file__).resolve()), "--worker", game]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, task: str, amount: int) -> tuple[float, Any]:
        """CPU seconds for so many playouts, and what came of them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([task, amount]), file=self._process.stdin, flush=True)
        seconds, outcome = json.loads(self._process.stdout.readline())
        return seconds, outcome

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def work(name: str) -> None:
    """Does what the other process asks for, until it asks no more."""
    games, core, loader = _modules()
    game = core.Game.from_propnet(loader.load(games.read(name)))
    for line in sys.stdin:
        task, amount = json.loads(line)
        if task == "playouts":
            simulator = core.Simulator(game, seed=1)
            began = time.process_time()
            outcome: Any = list(simulator.playouts(amount).goal_means)
        else:
            search = core.Search(game, threads=1, memory_bytes=1 << 28, seed=1)
            began = time.process_time()
            search.run(3600, amount)
            outcome = [int(visits) for visits in search.root_moves(0).visits]
        print(json.dumps([time.process_time() - began, outcome]), flush=True)


def _modules() -> list[Any]:
    """What a worker needs of its checkout, which may be from before Ludens was one package."""
    try:
        return [import_module(f"ludens.{name}") for name in ("games", "native.core", "propnet.compile.loader")]
    except ImportError:
        return [import_module(name) for name in ("games", "native.core", "propnet.loader")]


def amount_of_work(worker: Worker, task: str, seconds: float) -> int:
    """How many playouts take a worker so long."""
    amount, took = 1000, 0.0
    while took < seconds / 4:
        amount *= 4
        took, _ = worker.run(task, amount)
        if amount > 1 << 40:
            break
    return max(1000, int(amount * seconds / max(took, 1e-9)))


def compare(before: str, game: str, seconds: float, rounds: int) -> list[tuple[str, list[float], bool]]:
    """For each task its ratios, and whether both did the same."""
    earlier, later = Worker(before, game), Worker(sys.executable, game)
    rows = []
    for task in TASKS:
        amount = amount_of_work(earlier, task, seconds)
        ratios, same = [], True
        for _ in range(rounds):
            before_seconds, before_outcome = earlier.run(task, amount)
            after_seconds, after_outcome = later.run(task, amount)
            ratios.append(before_seconds / after_seconds)
            same = same and before_outcome == after_outcome
        rows.append((task, ratios, same))
    earlier.close()
    later.close()
    return rows


def main() -> int:
    """Prints a row for each game and task."""
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2])
        return 0
    from ludens import games
    from scripts.common import arguments

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="PYTHON", help="interpreter of the earlier checkout")
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games (all)")
    parser.add_argument("--work", type=arguments.seconds, default=0.5, help="seconds of each run (0.5)")
    parser.add_argument("--rounds", type=arguments.count, default=7, help="pairs of runs (7)")
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    medians = []
    print("| game | task | × before | least | greatest | same outcome |\n|---|---|---|---|---|---|")
    for game in args.games or games.names():
        for task, ratios, same in compare(args.before, game, args.work, args.rounds):
            medians.append(median(ratios))
            figures = f"{medians[-1]:.3f} | {min(ratios):.3f} | {max(ratios):.3f}"
            print(f"| {game} | {task} | {figures} | {'yes' if same else 'NO'} |", flush=True)
    print(f"{len(medians)} rows: least {min(medians):.3f}, mean {geometric_mean(medians):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
