"""Measures the cost of a full memory: iterations per CPU second with a memory that is full against one that is not.

    python -m scripts.bench.recycling connect_four breakthrough --small 16 --large 1024

The small search first runs until it has recycled as many nodes as it holds, so that it is at its steady state;
then the two take turns for --rounds rounds of --seconds each, in one thread. The cost is that of the medians.
A small memory also changes what a search looks at: only where the state changes per iteration, small and large,
are about the same is the difference the cost of recycling alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median

from ludens.games.rules import find_rules
from ludens.native.core import Game, Search
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table


def fill(search: Search) -> None:
    """Runs until as many nodes have been given up as there are."""
    while (stats := search.stats()).recycled < max(stats.nodes, 1):
        search.run(0.2)
        if search.stats().solved:
            raise LudensError("the game is solved before the memory is full")


def rates(search: Search, seconds: float) -> tuple[float, float]:
    """Iterations a CPU second, and state changes an iteration."""
    before, began = search.stats(), time.process_time()
    search.run(seconds)
    after, spent = search.stats(), time.process_time() - began
    iterations = after.iterations - before.iterations
    return iterations / spent, (after.state_changes - before.state_changes) / iterations


def row(name: str, args: argparse.Namespace) -> list[object]:
    """The cells of a game's row."""
    game = Game.from_propnet(load(find_rules(name).sheet()))
    sizes = (args.small, args.large)
    searches = [Search(game, memory_bytes=megabytes << 20, seed=1) for megabytes in sizes]
    fill(searches[0])
    searches[1].run(args.seconds)
    runs: list[list[tuple[float, float]]] = [[], []]
    for _ in range(args.rounds):
        for search, done in zip(searches, runs, strict=True):
            done.append(rates(search, args.seconds))
    small, large = (median(rate for rate, _ in done) for done in runs)
    steps = [median(changes for _, changes in done) for done in runs]
    stats = [search.stats() for search in searches]
    room = "" if stats[1].recycled == 0 else " (full as well)"
    speeds = [f"{small / 1e3:,.0f}", f"{large / 1e3:,.0f}{room}", f"{100 * (1 - small / large):.0f}"]
    return [name, *speeds, f"{steps[0]:.1f}", f"{steps[1]:.1f}", stats[0].bytes_per_node]


def main() -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--small", type=arguments.count, default=16, help="megabytes that get full (16)")
    parser.add_argument("--large", type=arguments.count, default=1024, help="megabytes that do not (1024)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.5, help="of each run (0.5)")
    parser.add_argument("--rounds", type=arguments.count, default=5, help="runs of each search (5)")
    args = parser.parse_args()
    columns = ["game", f"k it/CPU s, {args.small} MB", f"{args.large} MB", "cost %"]
    columns += ["state changes/it", f"{args.large} MB", "bytes/node"]
    return print_table(columns, (row(name, args) for name in args.games))


if __name__ == "__main__":
    sys.exit(main())
