"""Compares the speed of two checkouts in pairs: the same work in both, in turns, on one core.

    python -m scripts.bench.pairs ../before/.venv/bin/python --rounds 9
    python -m scripts.bench.pairs ../before/.venv/bin/python connect_four breakthrough --work 1

The first argument is the interpreter of the earlier checkout, in whose environment Ludens is installed. Each row is a
game and a task: random playouts, or UCT with one thread. How much work takes the earlier checkout --work seconds is
found out first; then both do just that, in turns, each time in new processes, since where a process happens to lie in
memory changes its speed by some percent for as long as it lives. Who comes first changes from round to round: the
second search was a fifth slower than the same one before it. The ratio is that of CPU seconds, earlier over later, so
more than 1 is faster: of the fastest run of each, since other programs only ever add to them, and the median over the
rounds beside it. Searches are repeatable, so the root's visits must be the same in both; a column says whether.
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
from typing import Any, TypeAlias

TASKS = ("playouts", "uct")
Run: TypeAlias = tuple[float, Any]  # CPU seconds, and what came of it


class Worker:
    """One checkout at work, in a process of its own."""

    def __init__(self, python: str, game: str) -> None:
        command = [python, "-P", str(Path(__file__).resolve()), "--worker", game]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, task: str, amount: int) -> Run:
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


def compare(before: str, game: str, seconds: float, rounds: int) -> dict[str, list[tuple[Run, Run]]]:
    """Returns for each task the runs of both checkouts, a pair for each round."""
    earlier = Worker(before, game)
    amounts = {task: amount_of_work(earlier, task, seconds) for task in TASKS}
    earlier.close()
    runs: dict[str, list[tuple[Run, Run]]] = {task: [] for task in TASKS}
    for number in range(rounds):
        workers = [Worker(python, game) for python in (before, sys.executable)]
        for task, amount in amounts.items():
            order = (0, 1) if number % 2 == 0 else (1, 0)
            done = {place: workers[place].run(task, amount) for place in order}
            runs[task].append((done[0], done[1]))
        for worker in workers:
            worker.close()
    return runs


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
    ratios = []
    print("| game | task | × before | median | same outcome |\n|---|---|---|---|---|")
    for game in args.games or games.names():
        for task, runs in compare(args.before, game, args.work, args.rounds).items():
            ratios.append(min(before[0] for before, _ in runs) / min(after[0] for _, after in runs))
            middle = median(before[0] / after[0] for before, after in runs)
            same = all(before[1] == after[1] for before, after in runs)
            print(f"| {game} | {task} | {ratios[-1]:.3f} | {middle:.3f} | {'yes' if same else 'NO'} |", flush=True)
    print(f"{len(ratios)} rows: least {min(ratios):.3f}, mean {geometric_mean(ratios):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
