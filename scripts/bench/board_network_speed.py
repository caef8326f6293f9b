"""Measures how many leaves a network over a board judges in a second of one thread, on each instruction set.

    python -m scripts.bench.board_network_speed --width 32 --blocks 2

Leaves are states of random games of breakthrough, on 8 x 8 squares; each square sees those around it, nine with itself.
Propositions are put on squares and planes at random, and all weights are random: neither changes the time. It is CPU
time, the best of several turns, and counts the writing of planes.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np
import numpy.typing as npt

from ludens import games
from ludens.native.core import (
    BoardEvaluation,
    BoardNetwork,
    BoardNetworkWeights,
    Game,
    board_weight_shapes,
    random_samples,
)
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from scripts.bench.call_rate import call_rate

_SIDE, _TAPS = 8, 9


def main() -> int:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--planes", type=int, default=8)
    parser.add_argument("--batch", type=int, default=256, help="leaves judged together (%(default)s)")
    args = parser.parse_args()
    game = Game.from_propnet(load(games.read("breakthrough")))
    leaves = random_samples(game, args.batch, seed=1).features[: args.batch]
    rng = np.random.default_rng(1)
    weights = _weights(rng, args.planes, args.width, args.blocks, game.roles)
    columns = rng.integers(-1, game.state_bits, (args.planes, _SIDE * _SIDE))
    print(
        f"width {args.width}, {args.blocks} blocks, {args.planes} planes, {len(leaves)} leaves together, one thread\n"
    )
    print("| instruction set | leaves/s |\n|---|---|")
    for name in ("avx512", "avx2", "baseline"):
        try:
            evaluation = BoardEvaluation(BoardNetwork(weights, name), game, columns)
        except NativeError as error:
            print(f"| {name} | {error} |")
            continue
        print(f"| {name} | {call_rate(partial(evaluation.values, leaves), len(leaves)):,.0f} |")
    return 0


def _weights(rng: np.random.Generator, planes: int, width: int, blocks: int, outputs: int) -> BoardNetworkWeights:
    """Returns random weights, with which squares see those around them."""
    models = board_weight_shapes(_SIDE * _SIDE, _TAPS, planes, width, blocks, outputs)
    drawn = BoardNetworkWeights._make(rng.integers(-30, 31, model.shape).astype(model.dtype) for model in models)
    return drawn._replace(seen=_around())


def _around() -> npt.NDArray[np.int32]:
    """Returns the squares int32[9, 64] around each one, itself among them; 64 beyond the edge."""
    numbers = np.full((_SIDE + 2, _SIDE + 2), _SIDE * _SIDE, np.int32)
    numbers[1:-1, 1:-1] = np.arange(_SIDE * _SIDE).reshape(_SIDE, _SIDE)
    windows = np.lib.stride_tricks.sliding_window_view(numbers, (_SIDE, _SIDE))
    return windows.reshape(_TAPS, _SIDE * _SIDE)


if __name__ == "__main__":
    sys.exit(main())
