"""Measures random steps of batches in each layout, beside random games of the raw simulator, in one run on one core.

    python -m scripts.bench.layouts [--games connect_four hex] [--sizes 1 1024 16384] [--seconds 0.2]

A step of n games writes all arrays of the layout. Shares are of the raw simulator's rate, which writes nothing; the
best of three measurements counts for each. LUDENS_INSTRUCTION_SET=avx2 measures what a lesser processor does.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

from ludens.agent.api.game import Game, load
from ludens.agent.env.batch import Batch
from ludens.native.core import Simulator
from ludens.native.core.batch import FORMATS

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "reversi", "hex", "gomoku")
_REPEATS = 3


def main() -> int:
    """Prints a row for each game and number of games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 64, 1024, 16_384])
    parser.add_argument("--seconds", type=float, default=0.2, help="of each measurement")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
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
