"""Measures random steps of batches in each layout, beside random games of the raw simulator, in one run on one core.

    python -m scripts.bench.layouts [--games connect_four hex] [--sizes 1 1024 16384] [--seconds 0.2]
    python -m scripts.bench.layouts --parts

A step of n games writes all arrays of the layout. Shares are of the raw simulator's rate, which writes nothing; the
best of three measurements counts for each. LUDENS_INSTRUCTION_SET=avx2 measures what a lesser processor does.

With `--parts`, what a step of each of 16,384 games costs in nanoseconds:

* raw: in random games of the simulator
* together: in slices, while all games are at the same step, from the initial state to the end of the shortest
* near: in slices of as many games as stay in the nearest cache
* slices, bits, bytes: in each layout
* no planes: in bytes without observations
* written: bytes that a step writes for each game, in the layout of bytes; and how long it takes to copy as many
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ludens.agent.api.game import Game, load
from ludens.agent.env.batch import Batch
from ludens.native.core import Simulator
from ludens.native.core.batch import FORMATS

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "reversi", "hex", "gomoku")
_REPEATS = 3
_MANY, _NEAR = 16_384, 2048


def main() -> int:
    """Prints a row for each game and number of games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 64, 1024, 16_384])
    parser.add_argument("--seconds", type=float, default=0.2, help="of each measurement")
    parser.add_argument("--parts", action="store_true", help="of what the time consists")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if options.parts:
        _show_parts(options.games, options.seconds)
        return 0
    print(f"| game | games | raw | {' | '.join(FORMATS)} |\n|---|--:|--:|{'--:|' * len(FORMATS)}")
    for name in options.games:
        game = load(name)
        for size in options.sizes:
            raw = max(_raw_rate(game, options.seconds) for _ in range(_REPEATS))
            cells = []
            for layout in FORMATS:
                batch = Batch(game, size, seed=1, layout=layout)
                rate = size * max(_rate(batch.step_randomly, options.seconds) for _ in range(_REPEATS))
                cells.append(f"{rate / 1e6:.2f} M, {rate / raw:.1%}")
            print(f"| {name} | {size} | {raw / 1e6:.1f} M | {' | '.join(cells)} |", flush=True)
    return 0


def _show_parts(names: Sequence[str], seconds: float) -> None:
    head = ["game", "raw", "together", "near", "slices", "bits", "no planes", "bytes", "written", "copying"]
    print(f"| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}")
    for name in names:
        game = load(name)
        plain = Batch(game, _MANY, seed=1)
        written = sum(getattr(plain, array).nbytes for array in ("observations", "legal", "to_move", "rewards", "done"))
        batches = [
            (Batch(game, _NEAR, seed=1, layout="slices"), _NEAR),
            *((Batch(game, _MANY, seed=1, layout=layout), _MANY) for layout in ("slices", "bits")),
            (Batch(game, _MANY, seed=1, observation="none"), _MANY),
            (plain, _MANY),
        ]
        costs = [
            1e9 / max(_raw_rate(game, seconds) for _ in range(_REPEATS)),
            _together(game),
            *(1e9 / (n * max(_rate(batch.step_randomly, seconds) for _ in range(_REPEATS))) for batch, n in batches),
        ]
        source, to = np.zeros(written, np.uint8), np.zeros(written, np.uint8)
        copy = partial(np.copyto, to, source)
        copying = 1e9 / (_MANY * max(_rate(copy, seconds) for _ in range(_REPEATS)))
        cells = [*(f"{cost:.2f}" for cost in costs), f"{written / _MANY:.0f}", f"{copying:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _together(game: Game) -> float:
    """Returns nanoseconds for a step of a game, of many that are all at the same step."""
    batch = Batch(game, _MANY, seed=1, layout="slices", autoreset="never")
    steps = min(map(len, batch.random_games()))
    spent = []
    for _ in range(_REPEATS):
        batch.reset()
        began = time.thread_time()
        for _ in range(steps):
            batch.step_randomly()
        spent.append(time.thread_time() - began)
    return 1e9 * min(spent) / (steps * _MANY)


def _raw_rate(game: Game, seconds: float) -> float:
    """Returns state changes for a second of CPU time."""
    simulator = Simulator(game.native, seed=1)
    simulator.playouts(1000)
    began = time.thread_time()
    played = simulator.playouts(1 << 62, seconds=seconds)
    return played.state_changes / (time.thread_time() - began)


def _rate(step: Callable[[], object], seconds: float) -> float:
    """Returns calls for a second of CPU time."""
    calls, began = 0, time.thread_time()
    while (spent := time.thread_time() - began) < seconds:
        for _ in range(8):  # the clock costs as much as a step
            step()
        calls += 8
    return calls / spent


if __name__ == "__main__":
    raise SystemExit(main())
