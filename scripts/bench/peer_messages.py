"""Measures what searches that have peers tell each other, and says for how many machines that is too much.

    python -m scripts.bench.peer_messages connect_four breakthrough hex

After a second of search: the bytes of a message, and the time that it takes to make and to take one. From these follows
how many machines fit into one cluster: each hears of each other one five times a second through the process that
connects the player with it, so messages grow with the square of their number. The network is taken to carry 1 Gbit/s.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable

from ludens.agent.cluster.peer_search import SHARED_NODES
from ludens.agent.cluster.search_driver import ROUND_SECONDS
from ludens.agent.commands.rules import find_rules
from ludens.native.core import Game, Search
from ludens.propnet.compile.loader import load
from scripts.common.tables import print_table

_NETWORK_BYTES = 125e6  # a second
_REPETITIONS = 50
_COLUMNS = ("game", "bytes of a message", "made, µs", "taken, µs", "machines on 1 Gbit/s", "taking them, % of a thread")


def row(name: str, strategy: str) -> tuple[str, ...]:
    """Measures one game."""
    game = Game.from_propnet(load(find_rules(name).sheet()))
    one, other = (Search(game, strategy=strategy, seed=seed, peers=1) for seed in (1, 2))
    for search in (one, other):
        search.run(seconds=1.0)
    words = one.shared_stats(SHARED_NODES)
    made = _seconds(lambda: one.shared_stats(SHARED_NODES))
    taken = _seconds(lambda: other.take_stats(0, words))
    most = math.floor(math.sqrt(_NETWORK_BYTES * ROUND_SECONDS / words.nbytes))  # as many messages as pairs
    share = most * taken / ROUND_SECONDS
    return name, f"{words.nbytes:,}", f"{made * 1e6:.0f}", f"{taken * 1e6:.0f}", f"{most}", f"{100 * share:.1f}"


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(_REPETITIONS):
        work()
    return (time.perf_counter() - began) / _REPETITIONS


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="built-in games or .kif files")
    parser.add_argument("--strategy", default="uct", help="one that needs no evaluation (uct)")
    args = parser.parse_args()
    return print_table(_COLUMNS, (row(name, args.strategy) for name in args.games))


if __name__ == "__main__":
    sys.exit(main())
