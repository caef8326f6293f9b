"""Measures how many positions a second the searches of gomoku look at, on one thread.

The threat search begins at positions of random games near the middle of the board, alpha-beta on patterns at openings
in which neither side is seen to win by threats; both are the same in each run. CPU time is counted. Run it as
`python -m scripts.bench.gomoku_search`.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.native.core import Search, Simulator, States, ThreatSearch
from scripts.common import arguments

RULES = GomokuRules(15, 15, 5)
OPENING_STONES, OPENING_POSITIONS = 7, 200_000  # the latter of the search for threats in them
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


def openings(count: int, seed: int = 1) -> list[States]:
    """Positions after a few random stones, in which neither side is seen to win by threats."""
    rng, threats = random.Random(seed), ThreatSearch(native_game(RULES))
    middle = [row * 15 + column for row in range(7 - NEAR, 8 + NEAR) for column in range(7 - NEAR, 8 + NEAR)]
    made: list[States] = []
    while len(made) < count:
        stones = np.zeros((2, RULES.cells), bool)
        for ply, cell in enumerate(rng.sample(middle, OPENING_STONES)):
            stones[ply % 2, cell] = True
        turns: list[States] = [pack(stones[None], np.array([second]))[0] for second in (True, False)]
        if all(threats.run(turn, most_positions=OPENING_POSITIONS).verdict == "none" for turn in turns):
            made.append(turns[0] if OPENING_STONES % 2 else turns[1])
    return made


def measure_threats(roots: list[States], most: int) -> None:
    """Prints a line for searches by fours alone and one for those with threes."""
    for threes in (False, True):
        search = ThreatSearch(native_game(RULES))
        before, seen = time.process_time(), 0
        verdicts = {"won": 0, "none": 0, "unknown": 0}
        for root in roots:
            found = search.run(root, threes=threes, most_positions=most)
            seen += found.positions
            verdicts[found.verdict] += 1
        seconds = time.process_time() - before
        print(
            f"{'threes' if threes else 'fours'}: {seen:,} positions in {seconds:.3f} CPU seconds,"
            f" {seen / seconds / 1e6:.2f} M/s; {seconds / len(roots) * 1e6:.0f} µs a root;"
            f" {', '.join(f'{name} {count}' for name, count in verdicts.items())}"
        )


def measure_patterns(roots: list[States], most: int, memory_mb: int) -> None:
    """Prints a line for the first root, with a new table, and one for all others."""
    search = Search(native_game(RULES), strategy="patterns", memory_bytes=memory_mb << 20)
    for name, some in (("patterns, new table", roots[:1]), ("patterns", roots[1:])):
        if not some:
            continue
        seconds, seen, depths = 0.0, 0, []
        for root in some:
            search.set_root(root)
            already, before = search.stats().playouts, time.process_time()
            search.run(playouts=most)
            seconds += time.process_time() - before
            seen += search.stats().playouts - already
            depths.append(search.stats().depth)
        print(
            f"{name}: {seen:,} positions in {seconds:.3f} CPU seconds, {seen / seconds / 1e6:.2f} M/s;"
            f" depth {sum(depths) / len(depths):.1f}"
        )


def main() -> None:
    """Prints a line for each search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=arguments.count, default=200, help="roots of threat searches (%(default)s)")
    parser.add_argument("--openings", type=arguments.count, default=10, help="roots of alpha-beta (%(default)s)")
    parser.add_argument("--most", type=arguments.count, default=100_000, help="positions of a search (%(default)s)")
    parser.add_argument("--memory", type=arguments.count, default=64, help="MB of the table (%(default)s)")
    args = parser.parse_args()
    measure_threats(positions(args.positions), args.most)
    measure_patterns(openings(args.openings), args.most, args.memory)


if __name__ == "__main__":
    main()
