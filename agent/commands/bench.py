"""`ludens bench`: measures one game on this machine: its network, its random playouts, the tree search."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.native.core import Game, Playouts, Search, Simulator
from ludens.native.cuda.device import available
from ludens.native.cuda.network import CudaSimulator
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.syntax import RuleSheet

_WITHOUT_END = 1 << 40  # playouts: more than any run finishes


@dataclass(frozen=True, slots=True)
class Measurements:
    """The speeds of one game per second of wall clock, all threads together; named as in `ludens bench --json`."""

    game: str
    ground_s: float  # from rules to network
    gates: int
    lanes: int  # of each thread
    playouts_per_s: float
    state_changes_per_s: float
    mean_length: float  # state changes in a playout
    search_iterations_per_s: float
    gpu_playouts_per_s: float | None  # None: there is none, or numba is not installed


def run(game: str, seconds: float, lanes: int, threads: int, as_json: bool) -> int:
    """Measures a built-in game or a file, as `measure` says; raises `LudensError`."""
    rules = find_rules(game)
    sheet = rules.sheet()
    with progress(f"measuring {rules.name}"):
        measured = measure(rules.name, sheet, seconds, lanes, threads)
    print(json.dumps(dataclasses.asdict(measured)) if as_json else _table(measured))
    return 0


def measure(name: str, sheet: RuleSheet, seconds: float, lanes: int, threads: int) -> Measurements:
    """Measures `seconds` of random games, then `seconds` of UCT; `lanes` 0 takes the best number of this machine.

    Raises `GroundingError` when the rules do not become a network, `NativeError` for lanes it does not have.
    """
    began = time.monotonic()
    net = load(sheet)
    ground_s = time.monotonic() - began
    game = Game.from_propnet(net)
    simulators = [Simulator(game, lanes, seed) for seed in range(1, threads + 1)]
    runs = _play(simulators, seconds)
    playouts, changes = sum(run.count for run in runs), sum(run.state_changes for run in runs)
    elapsed = sum(run.seconds for run in runs) / threads
    return Measurements(
        game=name,
        ground_s=ground_s,
        gates=len(net.gates),
        lanes=simulators[0].lanes,
        playouts_per_s=playouts / elapsed,
        state_changes_per_s=changes / elapsed,
        mean_length=changes / max(playouts, 1),
        search_iterations_per_s=_search(game, seconds, lanes, threads),
        gpu_playouts_per_s=_play_on_gpu(CudaSimulator(net, seed=1), seconds) if available() else None,
    )


def _play(simulators: list[Simulator], seconds: float) -> list[Playouts]:
    """Plays random games on all simulators at once."""
    with ThreadPoolExecutor(len(simulators)) as pool:
        return [
            run
            for part in _parts(seconds)
            for run in pool.map(partial(Simulator.playouts, count=_WITHOUT_END, seconds=part), simulators)
        ]


def _play_on_gpu(simulator: CudaSimulator, seconds: float) -> float:
    """Returns random games per second, once the kernels are compiled."""
    simulator.playouts(simulator.lanes)
    run = simulator.playouts(_WITHOUT_END, seconds=seconds)
    return run.count / run.seconds


def _search(game: Game, seconds: float, lanes: int, threads: int) -> float:
    """Returns UCT iterations per second from the initial state."""
    search = Search(game, strategy="uct", threads=threads, lanes=lanes, seed=1)
    began = time.monotonic()
    for part in _parts(seconds):
        search.run(part)
    return search.stats().iterations / (time.monotonic() - began)


def _parts(seconds: float) -> list[float]:
    """Divides `seconds` into equal parts of a second at most, since Ctrl-C is noticed only between native calls."""
    count = math.ceil(seconds)
    return [seconds / count] * count


def _table(m: Measurements) -> str:
    lines = [
        f"{m.game}: {m.gates:,} gates, ready after {m.ground_s:.2f} s, {m.lanes} games side by side",
        f"  {m.playouts_per_s:>15,.0f} random games a second, {m.mean_length:.1f} moves each on average",
        f"  {m.state_changes_per_s:>15,.0f} state changes a second",
        f"  {m.search_iterations_per_s:>15,.0f} tree search iterations a second",
    ]
    if m.gpu_playouts_per_s is not None:
        lines.append(f"  {m.gpu_playouts_per_s:>15,.0f} random games a second on the GPU")
    return "\n".join(lines)
