"""Measures what the threads of a search share, on the cores there are, and models what more threads would gain.

    python -m scripts.bench.contention --json docs/data/contention.json
    python -m scripts.bench.contention hex --threads 1 2 4

UCT (each thread its own tree) and guided search (one thread owns the tree, the others evaluate leaves for it) search
the first position with as many threads as there are cores. The searches themselves count how often a lock was taken,
how long it was held and waited for, and how often the number of playouts was updated, which all threads have in one
cache line (`Search.sharing_costs`). What an update of such a line takes is measured by threads that do nothing else,
and taken to be longer in the model, as between many cores. From these, in CPU time, a closed queueing network says how
many times the work of one thread so many do: threads work for a while on their own, then queue for what is shared,
which serves one at a time (the machine-repairman model; mean value analysis: Reiser and Lavenberg, "Mean-value analysis
of closed multichain queuing networks", 1980). In guided search what is shared is the tree, and the work on their own is
the evaluation of leaves.

Not in the model: memory bandwidth, the third cache, and frequencies that fall as more cores work. It says what locks
and shared lines cost, no more.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from ludens.agent.learning.learning import Learner
from ludens.agent.plots.picture import BLUE, FAINT, GRID, ORANGE, Picture
from ludens.games.rules import find_rules
from ludens.native.core import Evaluation, Game, Search
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments, tables
from scripts.common.processor import Code
from scripts.common.progress import tell

GAMES = ("connect_four", "breakthrough", "hex", "gomoku", "reversi")
THREADS = (1, 2, 4, 8, 16, 32, 64)
_LEARNING_SECONDS = 1.0
TRANSFER = 200e-9
"""Seconds that an update of a shared cache line may take where many cores do it, on two sockets: more than was measured
there by David, Guerraoui and Trigonakis, "Everything you always wanted to know about synchronization", 2013."""
_ADDITIONS, _RUNS = 10_000, 6_000  # to a shared line, by each thread
_LABEL_HEIGHT = 12  # pixels
_UNDISTURBED = 1.2  # times as long by the clock on the wall as in CPU time


@dataclass(frozen=True, slots=True)
class Shared:
    """Something that serves one thread at a time, whenever a thread has worked on its own for a while."""

    alone: float  # seconds of work between two visits
    service: float  # seconds

    def speed_up(self, threads: int) -> float:
        """How many times the work of one thread so many do: by mean value analysis, step by step."""
        queue = throughput = 0.0
        for number in range(1, threads + 1):
            response = self.service * (1 + queue)
            throughput = number / (self.alone + response)
            queue = throughput * response
        return throughput * (self.alone + self.service)


@dataclass(frozen=True, slots=True)
class Row:
    """One search of one game, on so many threads."""

    game: str
    strategy: str
    measured_threads: int
    iterations: int  # of all threads
    cpu_seconds: float
    seconds: float  # by the clock on the wall
    locks: int
    waited: float  # seconds
    held: float
    updates: int
    gain: float  # iterations a CPU second, over those of one thread

    def rate(self) -> float:
        """Iterations a CPU second."""
        return self.iterations / self.cpu_seconds

    @property
    def held_share(self) -> float:
        """The part of the threads' time that a lock was held; what else the machine does delays all of it alike."""
        return self.held / (self.seconds * self.measured_threads)

    def locked(self) -> Shared:
        """The lock, or the tree, with one thread's work between two visits, in CPU time.

        The locks of UCT are too short to be interrupted often, and count by the clock. Work in the tree of guided
        search is interrupted as often as all of its work, and counts by its share.
        """
        between = self.cpu_seconds / max(self.locks, 1)
        service = self.held_share * between if self.strategy == "guided" else self.held / max(self.locks, 1)
        return Shared(max(between - service, 0.0), service)

    def counted(self, transfer: float) -> Shared:
        """The cache line of the number of playouts; `transfer`: seconds of an update that is contended."""
        count = max(self.updates, 1)
        return Shared(max(self.cpu_seconds / count - transfer, 0.0), transfer if self.updates else 0.0)

    def speed_up(self, threads: int, transfer: float) -> float:
        """How many times the work of one thread so many do, where each of both costs its part."""
        parts = self.locked().speed_up(threads), self.counted(transfer).speed_up(threads)
        return threads * parts[0] / threads * parts[1] / threads


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured."""

    cores: int
    update_alone: float | None  # seconds; None: could not be measured
    update_contended: float | None
    rows: list[Row]


# ---- Measuring


def update_seconds(threads: int) -> float | None:
    """Seconds that an atomic addition takes while so many threads, on as many cores, do nothing else.

    On a busy machine they seldom run at the same time: what counts is the median of the short runs during which no
    thread was interrupted and all were at it. None where there were none.
    """
    counter = (ctypes.c_int64 * 16)()
    code = Code(b"\xf0\x48\x83\x07\x01", _ADDITIONS, counter)  # lock add qword [rdi], 1
    cores, ready = sorted(os.sched_getaffinity(0)), threading.Barrier(threads)
    runs: list[list[tuple[float, float]]] = [[] for _ in range(threads)]

    def work(number: int) -> None:
        os.sched_setaffinity(0, {cores[number]})  # of this thread alone
        ready.wait()
        for _ in range(_RUNS):
            began, began_cpu = time.perf_counter(), time.thread_time()
            code.run()
            spent_cpu, end = time.thread_time() - began_cpu, time.perf_counter()
            if end - began < _UNDISTURBED * spent_cpu:
                runs[number].append((began, end))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lengths = [end - began for began, end in runs[0] if all(covers(each, began, end) for each in runs[1:])]
    return median(lengths) / _ADDITIONS if lengths else None


def covers(runs: list[tuple[float, float]], began: float, end: float) -> bool:
    """Whether most of the time from `began` to `end` lies in some of the runs, which are in order."""
    least, most = bisect_left(runs, (began, began)), bisect_left(runs, (end, end))
    near = runs[max(least - 1, 0) : most]
    return sum(max(0.0, min(end, last) - max(began, first)) for first, last in near) > 0.9 * (end - began)


def measure(rules: str, strategy: str, threads: int, seconds: float, rounds: int) -> Row:
    """Measures one thread in turns with so many.

    Of UCT it tells of that round of so many threads in which locks were held for the least time, as threads that hold
    one may be interrupted. Of guided search it tells what one thread says that does all, as with more only one works in
    the tree: of the round with the median share of work there. The gain is that of the fastest rounds.
    """
    game = Game.from_propnet(load(find_rules(rules).sheet()))
    evaluation = _learned(game) if strategy == "guided" else None

    def row(number: int, seed: int) -> Row:
        search = Search(game, strategy=strategy, threads=number, seed=seed, evaluation=evaluation)
        began, began_cpu = time.perf_counter(), time.process_time()
        search.run(seconds)
        spent, spent_cpu = time.perf_counter() - began, time.process_time() - began_cpu
        costs, iterations = search.sharing_costs(), search.stats().iterations
        return Row(rules, strategy, number, iterations, spent_cpu, spent, *costs[1:], costs[0], 1.0)

    rows = [(row(1, seed), row(threads, seed)) for seed in range(rounds)]
    alone, together = (max(found, key=Row.rate) for found in zip(*rows, strict=True))
    ordered = sorted((pair[strategy != "guided"] for pair in rows), key=lambda found: found.held_share)
    told = ordered[len(ordered) // 2 if strategy == "guided" else 0]
    return replace(told, gain=together.rate() / alone.rate())


def _learned(game: Game) -> Evaluation:
    learner, end = Learner(game), time.process_time() + _LEARNING_SECONDS
    learner.learn(lambda: time.process_time() >= end)
    return Evaluation(learner.learned().weights)


# ---- Telling


def table(run: Run, threads: Sequence[int] = THREADS) -> tuple[list[str], list[list[str]]]:
    """The head and the cells."""
    head = ["game", "search", "locks a second", "held, µs", "held %", "waited %", "updates a second", "a CPU second ×"]
    head += [f"{number} threads ×" for number in threads if number > 1]
    cells = []
    for row in run.rows:
        spent, lock = row.cpu_seconds, row.locked()
        measured = [
            f"{row.locks / spent:,.0f}",
            f"{1e6 * lock.service:.2f}",
            f"{100 * lock.service * row.locks / spent:.3g}",
        ]
        measured += [
            f"{100 * row.waited / row.seconds / row.measured_threads:.2g}",
            f"{row.updates / spent:,.0f}",
            f"{row.gain:.2f}",
        ]
        gains = [f"{row.speed_up(number, TRANSFER):.1f}" for number in threads if number > 1]
        cells.append([row.game, row.strategy, *measured, *gains])
    return head, cells


def summary(run: Run) -> str:
    """What an update of the shared line takes, in words."""
    times = run.update_alone, run.update_contended
    alone, contended = (f"{1e9 * seconds:.1f} ns" if seconds else "an unknown time" for seconds in times)
    return (
        f"An update of a cache line takes {alone} alone, and {contended} where {run.cores} cores do it at once; "
        f"in the model {1e9 * TRANSFER:.0f} ns, as between many cores on two sockets."
    )


def picture(run: Run) -> str:
    """Speed-ups over threads, both on logarithmic scales to base 2, as SVG."""
    drawing, left, bottom, width, height = Picture(720, 420, "Threads, modelled"), 70.0, 360.0, 560.0, 320.0
    most = len(THREADS) - 1

    def spot(threads: float, gain: float) -> tuple[float, float]:
        return left + width * math.log2(threads) / most, bottom - height * math.log2(gain) / most

    for number in THREADS:
        (x, y), text = spot(number, number), f"{number}"
        drawing.line(x, bottom - height, x, bottom, GRID, 1)
        drawing.line(left, y, left + width, y, GRID, 1)
        drawing.text(x, bottom + 18, text, "middle", FAINT)
        drawing.text(left - 10, y + 4, f"× {text}", "end", FAINT)
    names = dict[float, list[str]]()  # of curves that end at the same height
    for row in run.rows:
        gains = [row.speed_up(number, TRANSFER) for number in THREADS]
        colour = ORANGE if row.strategy == "guided" else BLUE
        drawing.curve([spot(number, gain) for number, gain in zip(THREADS, gains, strict=True)], colour)
        _, y = spot(THREADS[-1], gains[-1])
        if row.strategy == "guided":
            near = next((known for known in names if abs(known - y) < _LABEL_HEIGHT), y)
            names.setdefault(near, []).append(row.game)
    for y, games in names.items():
        drawing.text(left + width + 6, y + 4, ", ".join(games), size=11)
    drawing.text(
        left, bottom + 42, "Work of so many threads over that of one, by the model: UCT blue, guided orange", size=12
    )
    return drawing.svg()


def read(text: str) -> Run:
    """A run as `--json` writes it."""
    found = json.loads(text)
    return Run(**{**found, "rows": [Row(**row) for row in found["rows"]]})


def main() -> int:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"built-in games or .kif files ({', '.join(GAMES)})")
    parser.add_argument("--threads", type=arguments.count, nargs="+", default=THREADS, help="to tell of (1 … 64)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.5, help="of each search (0.5)")
    parser.add_argument("--rounds", type=arguments.count, default=3, help="of each (3)")
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    args = parser.parse_args()
    cores, rows = len(os.sched_getaffinity(0)), []
    try:
        for rules in args.games or GAMES:
            for strategy in ("uct", "guided"):
                tell(f"{rules}: {strategy}")
                rows.append(measure(rules, strategy, cores, args.seconds, args.rounds))
    except LudensError as error:
        print(f"contention: {error}", file=sys.stderr)
        return 1
    run = Run(cores, update_seconds(1), update_seconds(cores), rows)
    if args.json:
        args.json.write_text(json.dumps(asdict(run), indent=1) + "\n")
    print(*tables.lines(*table(run, args.threads)), "", summary(run), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
