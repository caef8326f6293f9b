"""Measures how many positions a second alpha-beta on the core of Tak looks at, and how deep it gets, on one thread.

    python -m scripts.bench.tak_search 4 5 6 --seconds 3

The search begins at a few positions after random moves, the same in each run; figures are medians over them. CPU
time is counted.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from statistics import median

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.parameters import RESERVES, TakRules
from ludens.games.tak.rules.reference import Position, after, first_position, legal_moves, outcome
from ludens.native.core import Search
from scripts.common import arguments
from scripts.common.match_runner import think
from scripts.common.tables import print_table

_MEMORY_BYTES = 256 << 20


def position_after(size: int, plies: int, rng: random.Random) -> Position:
    """Returns a position after so many random moves in which the game is on."""
    while True:
        position = first_position(TakRules(size))
        for _ in range(plies):
            position = after(position, rng.choice(legal_moves(position)))
            if outcome(position):
                break
        else:
            return position


def measure(position: Position, seconds: float) -> tuple[float, int]:
    """Returns positions a second, and the plies of the last iteration that was complete."""
    search = Search(native_game(position.rules), strategy="td", memory_bytes=_MEMORY_BYTES, seed=1)
    search.set_root(pack(position))
    began = time.process_time()
    think(search, seconds)
    stats = search.stats()
    return stats.playouts / (time.process_time() - began), stats.depth


def row(size: int, args: argparse.Namespace) -> list[object]:
    """The cells of a size of the board."""
    rng = random.Random(1)
    found = [measure(position_after(size, args.plies, rng), args.seconds) for _ in range(args.positions)]
    speeds, depths = zip(*found, strict=True)
    return [f"{size} × {size}", f"{median(speeds) / 1e6:.1f} M", median(depths)]


def main() -> int:
    """Prints a table with a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+", choices=RESERVES, metavar="SIZE", help="of the board, 3 to 8")
    parser.add_argument("--plies", type=int, default=12, help="random moves before (%(default)s)")
    parser.add_argument("--positions", type=arguments.count, default=5, help="of each size (%(default)s)")
    parser.add_argument("--seconds", type=arguments.seconds, default=3.0, help="CPU time of each (%(default)s)")
    args = parser.parse_args()
    rows: Iterator[list[object]] = (row(size, args) for size in args.sizes)
    return print_table(["board", "positions a second", "depth"], rows)


if __name__ == "__main__":
    sys.exit(main())
