"""How many visits of the root a tree search makes in a CPU second, with one thread, beside plain UCT.

    python -m scripts.bench.search_speed hex gomoku breakthrough --strategies rave --playouts 40000 --rounds 3

Every round searches the first position anew with each strategy in turn; the best round counts. Random games are
uniform. Nanoseconds a visit are those of each quarter of a search: a tree may slow down as it grows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ludens.games.rules import find_rules
from ludens.native.core import Game, Search, SearchStats
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_BASELINE = "uct"
_MEMORY_BYTES = 256 << 20
_QUARTERS = 4


class Measured(NamedTuple):
    """A search that has ended."""

    speed: float  # visits of the root per CPU second
    quarters: list[float]  # nanoseconds a visit
    stats: SearchStats  # what it counted


def measured(game: Game, strategy: str, playouts: int, seed: int) -> Measured:
    """A search of the first position by one thread."""
    search = Search(game, strategy=strategy, memory_bytes=_MEMORY_BYTES, seed=seed)
    taken, visits = [0.0], [0]
    begun = time.process_time()
    for _ in range(_QUARTERS):
        search.run(playouts=playouts // _QUARTERS)
        taken.append(time.process_time() - begun)
        visits.append(search.stats().iterations)
    quarters = [1e9 * (t - s) / max(1, n - m) for (s, t), (m, n) in zip(pairwise(taken), pairwise(visits), strict=True)]
    return Measured(visits[-1] / taken[-1], quarters, search.stats())


def row(name: str, strategy: str, found: Measured, baseline: float) -> list[object]:
    """The cells of a game's and a strategy's row."""
    stats, quarters = found.stats, " ".join(f"{ns:.0f}" for ns in found.quarters)
    speeds = [f"{found.speed:,.0f}", f"{found.speed / baseline:.2f}"]
    return [name, strategy, *speeds, quarters, stats.depth, f"{stats.nodes:,}"]


def rows(args: argparse.Namespace) -> Iterator[list[object]]:
    """A row for each game and strategy: the fastest of its rounds."""
    strategies = [_BASELINE, *(s for s in args.strategies if s != _BASELINE)]
    for name in args.games:
        game = Game.from_propnet(load(find_rules(name).sheet()))
        best: dict[str, Measured] = {}
        for seed in range(args.rounds):
            for strategy in strategies:
                result = measured(game, strategy, args.playouts, seed)
                best[strategy] = max(best.get(strategy, result), result, key=lambda found: found.speed)
        for strategy, found in best.items():
            yield row(name, strategy, found, best[_BASELINE].speed)


def main() -> int:
    """Prints a row for each game and strategy."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--strategies", nargs="*", default=[], metavar="NAME", help="beside uct (none)")
    parser.add_argument("--playouts", type=arguments.count, default=40_000, help="of each search (40000)")
    parser.add_argument("--rounds", type=arguments.count, default=3, help="the best one counts (3)")
    columns = "game", "strategy", "visits/s", "× uct", "ns by quarters", "depth", "nodes"
    return print_table(columns, rows(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
