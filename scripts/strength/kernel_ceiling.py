"""Measures the most that a GPU could gain a search: what a kernel that takes no time would be worth.

    python -m scripts.strength.kernel_ceiling english_draughts connect_four breakthrough

One row a game: leaves a CPU second that the native search plays from, with how many games each; leaves a CPU second
that the tree hands out and takes back in batches, if somebody else played their games; and how many times as much
these would be worth with 64 games from each (agent/preparation/kernel_choice.py). Checkers is played on bitboards.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from ludens.agent.preparation.kernel_choice import Throughput
from ludens.native.core import Game, Search
from ludens.native.kernels.leaf_playouts import choose_playouts_per_leaf
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.strength.kernel_worth import game_of

_GAMES = 64  # from a leaf
_BATCH = 2048  # leaves
_MEMORY_BYTES = 256 << 20


def native(game: Game, seconds: float) -> Throughput:
    """Measures the native search."""
    games = choose_playouts_per_leaf(game, "uct")
    search = Search(game, memory_bytes=_MEMORY_BYTES, playouts_per_leaf=games)
    began = time.process_time()
    search.run(seconds)
    return Throughput(search.stats().iterations / (time.process_time() - began), games)


def handed_out(game: Game, seconds: float) -> Throughput:
    """Measures a search whose leaves are reported as even at once."""
    search = Search(game, memory_bytes=_MEMORY_BYTES)
    even = np.full((_BATCH, game.roles), 50.0)
    began, last = time.process_time(), None
    while time.process_time() - began < seconds:
        leaves = search.collect(_BATCH)
        if last is not None:
            search.report(last.tickets, even[: len(last.tickets)], _GAMES)
        last = leaves
    return Throughput(search.stats().iterations / (time.process_time() - began), _GAMES)


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="built-in games of two roles")
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="of each measurement (2)")
    options = parser.parse_args()
    print("| game | native leaves/s | games each | handed out, leaves/s | worth at most |\n|---|---|---|---|---|")
    try:
        for name in options.games:
            game = game_of(name)
            mine, theirs = native(game, options.seconds), handed_out(game, options.seconds)
            ratio = theirs.worth / mine.worth
            print(f"| {name} | {mine.visits:,.0f} | {mine.games} | {theirs.visits:,.0f} | {ratio:.1f} |", flush=True)
    except LudensError as error:
        print(f"kernel_ceiling: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
