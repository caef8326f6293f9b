"""How many visits of the root a tree search makes in a CPU second, with one thread, beside plain UCT.

    python -m scripts.search_speed hex gomoku breakthrough --strategies rave --playouts 40000 --rounds 3

Every round searches the first position anew with each strategy in turn; the best round counts. Random games are
uniform.
"""

from __future__ import annotations

import argparse
import sys
import time

from agent.rules import find_rules
from native.core import Game, Search, SearchStats
from propnet.errors import LudensError
from propnet.loader import load
from scripts import arguments

_YARDSTICK = "uct"
_MEMORY_BYTES = 256 << 20


def measured(game: Game, strategy: str, playouts: int, seed: int) -> tuple[float, SearchStats]:
    """Visits of the root per CPU second, and what the search counted."""
    search = Search(game, strategy=strategy, memory_bytes=_MEMORY_BYTES, seed=seed)
    begun = time.process_time()
    search.run(playouts=playouts)
    taken = time.process_time() - begun
    stats = search.stats()
    return stats.iterations / taken, stats


def row(name: str, strategy: str, speed: float, yardstick: float, stats: SearchStats) -> str:
    """A line of the table."""
    cells = f"{speed:,.0f} | {speed / yardstick:.2f} | {stats.depth} | {stats.nodes:,}"
    return f"| {name} | {strategy} | {cells} |"


def main() -> int:
    """Prints a row for each game and strategy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    parser.add_argument("--strategies", nargs="+", default=["rave"], metavar="NAME", help="beside uct (rave)")
    parser.add_argument("--playouts", type=arguments.count, default=40_000, help="of each search (40000)")
    parser.add_argument("--rounds", type=arguments.count, default=3, help="the best one counts (3)")
    args = parser.parse_args()
    strategies = [_YARDSTICK, *(s for s in args.strategies if s != _YARDSTICK)]
    print("| game | strategy | visits/s | × uct | depth | nodes |\n|---|---|---|---|---|---|", flush=True)
    try:
        for name in args.games:
            game = Game.from_propnet(load(find_rules(name).sheet()))
            best: dict[str, tuple[float, SearchStats]] = {}
            for seed in range(args.rounds):
                for strategy in strategies:
                    result = measured(game, strategy, args.playouts, seed)
                    best[strategy] = max(best.get(strategy, result), result, key=lambda pair: pair[0])
            for strategy, (speed, stats) in best.items():
                print(row(name, strategy, speed, best[_YARDSTICK][0], stats), flush=True)
    except LudensError as error:
        print(f"search_speed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
