"""Measures how many positions a second the threat search of gomoku looks at, on one thread.

The positions are those of random games near the middle of the board, the same in each run. CPU time is counted. Run it
as `python -m scripts.bench.gomoku_search`.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.native.core import Simulator, States, ThreatSearch

RULES = GomokuRules(15, 15, 5)
NEAR = 3  # rows and columns from the middle, in which the games are played


def positions(count: int, seed: int = 1) -> list[States]:
    """Positions after 12 to 28 moves in which nobody has completed a row."""
    rng = random.Random(seed)
    made: list[States] = []
    middle = [row * 15 + column for row in range(7 - NEAR, 8 + NEAR) for column in range(7 - NEAR, 8 + NEAR)]
    simulator = Simulator(native_game(RULES), lanes=64)
    while len(made) < count:
        stones = np.zeros((2, RULES.cells), bool)
        plies = rng.randrange(12, 29)
        for ply, cell in enumerate(rng.sample(middle, plies)):
            stones[ply % 2, cell] = True
        states: States = pack(stones[None], np.array([plies % 2 == 1]))
        if not simulator.terminal(states)[0]:
            made.append(states[0])
    return made


def main() -> None:
    """Prints a line for searches by fours alone and one for those with threes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--most", type=int, default=100_000, help="positions that a search looks at")
    arguments = parser.parse_args()
    roots = positions(arguments.positions)
    for threes in (False, True):
        search = ThreatSearch(native_game(RULES))
        before, seen = time.process_time(), 0
        verdicts = {"won": 0, "none": 0, "unknown": 0}
        for root in roots:
            found = search.run(root, threes=threes, most_positions=arguments.most)
            seen += found.positions
            verdicts[found.verdict] += 1
        seconds = time.process_time() - before
        print(
            f"{'threes' if threes else 'fours'}: {seen:,} positions in {seconds:.3f} CPU seconds,"
            f" {seen / seconds / 1e6:.2f} M/s; {seconds / len(roots) * 1e6:.0f} µs a root;"
            f" {', '.join(f'{name} {count}' for name, count in verdicts.items())}"
        )


if __name__ == "__main__":
    main()
