"""Measures self-play on one and two workers of a cluster, and simulates how far more workers are of use.

python -m scripts.bench.cluster_scaling breakthrough --out docs/data/cluster_scaling.json \\
    --picture docs/pictures/cluster-scaling.svg

Measured on a private cluster of this machine: games a second of one worker and of two, in turns, and of processes
without a cluster; for checkers data and both phases of long learning, in which players look one move ahead and then
search, the processor time of a worker for a task, that of the process which hands out tasks and takes results, and the
bytes of both. From these the simulation plays what thousands of tasks would take on 1 to 1,000 workers, each on a
machine of its own, behind a network of a given latency and one link of that process.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import pickle
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.checkers.cluster_dataset import Blocks, DataWorker, make_on_cluster
from ludens.agent.checkers.dataset import DataOptions, begin
from ludens.agent.checkers.move_values import seeded_blocks
from ludens.agent.checkers.shards import read_shard, shard_path
from ludens.agent.cluster.actor_pool import ActorPool, Place
from ludens.agent.cluster.connection import connect
from ludens.agent.learning.learning import MORE_HIDDEN, Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.long_learning.cluster_play import ClusterPlay, PlayTask, SelfPlayWorker
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.long_learning.learning_run import searched_play
from ludens.agent.long_learning.options import LearnOptions
from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.games.rules import find_rules
from ludens.native.core import TrainingSamples
from scripts.common import arguments
from scripts.common.tables import print_table

WORKERS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LATENCIES = (0.0002, 0.002)  # seconds, one way
GIGABITS = 1.0  # a second, of the link of the process that hands out tasks
_AT_ONCE = 2  # tasks that a worker has
_TASKS = 40  # of each worker that are simulated, the first quarter of which are not counted
_HERE = Place("", "", 0, 1)
_POSITIONS, _SHARD = 4096, 512  # of checkers data: a shard is a task
_WARM_ROUNDS = 12  # of learning, before anything is measured


@dataclass(frozen=True, slots=True)
class Costs:
    """What a task costs: seconds of processor time, and bytes."""

    worker_seconds: float
    driver_seconds: float  # of the process that hands out tasks and takes results, all that it does included
    task_bytes: int
    result_bytes: int


class SelfPlay:
    """Long learning of a game, in which players look one move ahead, or are `searched`."""

    def __init__(self, name: str, *, searched: bool) -> None:
        rules = find_rules(name)
        self._game = LearnedGame.of(KnownGame.of(rules.name, rules.sheet(), "all", print), 0, print)
        self._options = LearnOptions()
        pace = LearningPace(self._options.random_games, 60.0, self._options.round_states, 5.0, 60.0)
        options = replace(searched_play(self._options), after_rounds=_WARM_ROUNDS) if searched else None
        self._learner = Learner(self._game.game, 0, pace=pace, hidden=MORE_HIDDEN, searched=options)
        while self._learner.rounds < _WARM_ROUNDS:
            self._learner.round()
        self._make = partial(SelfPlayWorker, self._game.source, self._learner.random_moves, pace, options)

    def _task(self) -> PlayTask:
        return PlayTask(self._learner.weights, self._learner.rounds)

    def _play(self, worker: SelfPlayWorker) -> list[TrainingSamples]:
        """Returns rounds that a worker has played, one at least."""
        rounds: list[TrainingSamples] = []
        while not rounds:
            rounds = worker.do(self._task())
        return rounds

    def games_a_second(self, workers: int, seconds: float) -> float:
        """Returns what so many workers play on two processors."""
        with connect("local") as ray:
            pool: ActorPool[Any, Any] = ActorPool(ray, self._make, print, processors=2 // workers)
            results = filter(None, pool.results(repeat(ray.put(self._task()))))
            for _ in range(2 * _AT_ONCE * workers):  # until all have begun, and games end as often as they begin
                next(results)
            began, games = time.monotonic(), 0
            while time.monotonic() < began + seconds:
                games += sum(samples.games for samples in next(results)[1])
            return games / (time.monotonic() - began)

    def games_without_cluster(self, processes: int, seconds: float) -> float:
        """Returns what so many processes play that know nothing of each other."""
        context = get_context("fork")
        begin, played = context.Barrier(processes), context.Queue()

        def play() -> None:
            worker, games = self._make(_HERE), 0
            worker.do(self._task())
            begin.wait()
            began = time.monotonic()
            while time.monotonic() < began + seconds:
                games += sum(samples.games for samples in worker.do(self._task()))
            played.put(games / (time.monotonic() - began))

        players = [context.Process(target=play) for _ in range(processes)]
        for player in players:
            player.start()
        total = sum(float(played.get()) for _ in players)
        for player in players:
            player.join()
        return total

    def costs(self, seconds: float) -> Costs:
        """Measures a task of a worker here, and learning on a cluster."""
        worker = self._make(_HERE)
        self._play(worker)
        began = time.process_time()
        rounds = self._play(worker)
        taken = time.process_time() - began
        with connect("local") as ray:
            play = ClusterPlay(ray, self._game.source, print)
            before = self._learner.rounds
            play.learn(self._learner, lambda: self._learner.rounds > before)
            before, driver, end = self._learner.rounds, time.process_time(), time.monotonic() + seconds
            play.learn(self._learner, lambda: time.monotonic() > end and self._learner.rounds > before)
            each = (time.process_time() - driver) / (self._learner.rounds - before)
        size = len(pickle.dumps(self._learner.weights, 5))
        return Costs(taken, each * len(rounds), size, len(pickle.dumps(rounds, 5)))


def data_costs() -> Costs:
    """Measures a task of checkers data here, and the making of some on a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        options = begin(Path(folder), {"positions": _POSITIONS, "shard": _SHARD}, resume=False)
        with connect("local") as ray:
            began = time.process_time()
            make_on_cluster(ray, Path(folder), options, lambda _line: None, print)
            driver = time.process_time() - began
        words = read_shard(shard_path(Path(folder), 0))["words"]
    task = Blocks(0, 0, seeded_blocks(words, np.random.SeedSequence(1)))
    worker = DataWorker(DataOptions(), _HERE)
    began = time.process_time()
    values = worker.do(task)
    taken = time.process_time() - began
    return Costs(taken, driver * _SHARD / _POSITIONS, len(pickle.dumps(task, 5)), len(pickle.dumps(values, 5)))


def simulated(costs: Costs, workers: int, latency: float, rng: np.random.Generator) -> float:
    """Returns the tasks a second that so many workers get done, by events.

    Tasks last a tenth more or less. The process that hands them out does one thing at a time, and its link carries one
    message at a time each way; a worker works while its next task is under way.
    """
    bytes_a_second = GIGABITS * 1e9 / 8
    driver_free = incoming_free = outgoing_free = 0.0
    worker_free = [0.0] * workers
    total = _TASKS * workers
    done: list[float] = []
    arrivals: list[tuple[float, int]] = []  # of results at the link, by worker

    def send(now: float, worker: int) -> None:
        nonlocal outgoing_free
        outgoing_free = max(outgoing_free, now) + costs.task_bytes / bytes_a_second
        begins = max(worker_free[worker], outgoing_free + latency)
        worker_free[worker] = begins + costs.worker_seconds * rng.uniform(0.9, 1.1)
        heapq.heappush(arrivals, (worker_free[worker] + latency, worker))

    for worker in range(workers):
        for _ in range(_AT_ONCE):
            send(0.0, worker)
    while len(done) < total:
        arrival, worker = heapq.heappop(arrivals)
        incoming_free = max(incoming_free, arrival) + costs.result_bytes / bytes_a_second
        driver_free = max(driver_free, incoming_free) + costs.driver_seconds
        done.append(driver_free)
        send(driver_free, worker)
    first = len(done) // 4
    return (len(done) - first - 1) / (done[-1] - done[first])


def shares(costs: Costs, latency: float) -> list[float]:
    """Returns how much of what a worker does alone, with nobody to wait for, each of many does."""
    rng = np.random.default_rng(1)
    return [simulated(costs, count, latency, rng) * costs.worker_seconds / count for count in WORKERS]


def picture(curves: dict[str, list[float]]) -> str:
    """Returns a picture of what is simulated with the longer latency."""
    points = {
        name: [
            CurvePoint(math.log10(count), 100 * share, 100 * share, 100 * share)
            for count, share in zip(WORKERS, curve, strict=True)
        ]
        for name, curve in curves.items()
        if name.endswith(f", {1000 * LATENCIES[-1]:g} ms")
    }
    return curve_chart("Work of each worker, simulated", "workers, as a power of ten", "% of one alone", points)


def table(curves: dict[str, list[float]]) -> Iterator[Sequence[str]]:
    """Yields the rows of the table: how many workers' work is done."""
    for place, count in enumerate(WORKERS):
        yield [f"{count:,}", *(f"{count * curve[place]:,.1f}" for curve in curves.values())]


def gains_of(games: dict[str, dict[int, list[float]]]) -> dict[str, float]:
    """Returns how many times as many games two play as one, of each kind, in the best turn of each."""
    return {kind: max(rates[2]) / max(rates[1]) for kind, rates in games.items()}


def main() -> None:
    """Measures, simulates and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", metavar="GAME", help="what is learned, a game by turns")
    parser.add_argument("--seconds", type=arguments.seconds, default=10.0, help="of each measurement (10)")
    parser.add_argument("--turns", type=arguments.count, default=3, help="of one worker, and of two (3)")
    parser.add_argument("--out", type=Path, help="JSON of all figures")
    parser.add_argument("--picture", type=Path, help="SVG of the simulation")
    options = parser.parse_args()
    learning = SelfPlay(options.game, searched=False)
    kinds = {"workers": learning.games_a_second, "plain processes": learning.games_without_cluster}
    games: dict[str, dict[int, list[float]]] = {kind: {1: [], 2: []} for kind in kinds}
    for _ in range(options.turns):
        for kind, count in product(kinds, (1, 2)):
            games[kind][count].append(kinds[kind](count, options.seconds))
            print(f"{kind}: {count} at once, {games[kind][count][-1]:,.0f} games/s", flush=True)
    gains = gains_of(games)
    for kind, gain in gains.items():
        print(f"two {kind} play {gain:.2f} times as many games as one, in the best turn of each")
    costs = {
        "one move ahead": learning.costs(options.seconds),
        "searching": SelfPlay(options.game, searched=True).costs(options.seconds),
        "data": data_costs(),
    }
    for name, cost in costs.items():
        print(f"{name}: {cost}")
    curves = {
        f"{name}, {1000 * latency:g} ms": shares(cost, latency) for name, cost in costs.items() for latency in LATENCIES
    }
    print_table(("workers", *curves), table(curves))
    if options.out:
        measured = {
            "games_a_second": games,
            "gains": gains,
            "costs": {name: asdict(cost) for name, cost in costs.items()},
        }
        options.out.write_text(json.dumps({**measured, "workers": WORKERS, "shares": curves}, indent=1) + "\n", "utf-8")
    if options.picture:
        options.picture.write_text(picture(curves), "utf-8")


if __name__ == "__main__":
    main()
