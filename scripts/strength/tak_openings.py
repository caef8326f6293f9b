"""Measures how good the first two stones of Tak are: `td` plays itself from each pair of them, up to symmetry.

    python -m scripts.strength.tak_openings 4 --games 20 --seconds 0.05
    python -m scripts.strength.tak_openings 4 --games 43 --seconds 0.05 --pair a1 d3 --pair b1 c2

The first player puts a flat of the second one on a square, and the second player one of the first. For each first
square the pairs are sorted by the first player's score, the best answers of the second player first, with 95 %
intervals (Wilson's). Games follow from no seed, since a move takes a time (CPU seconds); those of 200 plies are draws.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict

from ludens.agent.statistics.intervals import wilson
from ludens.games.tak.rules.parameters import Kind, Placement, TakRules
from ludens.games.tak.rules.reference import Position, after, first_position
from scripts.common import arguments
from scripts.strength.tak_match import is_over, read_player, score

_PLAYER = "td"


def images(square: int, size: int) -> tuple[int, ...]:
    """Returns where the eight symmetries of the board take a square, always in the same order."""
    row, column = divmod(square, size)
    last = size - 1
    turned = [(row, column), (column, last - row), (last - row, last - column), (last - column, row)]
    return tuple(r * size + c for r, c in turned) + tuple(c * size + r for r, c in turned)


def pairs(size: int) -> list[tuple[int, int]]:
    """Returns all pairs of first squares, one of those that are alike."""
    squares = range(size * size)
    alike = {
        min(zip(images(first, size), images(second, size), strict=True))
        for first in squares
        for second in squares
        if first != second
    }
    return sorted(alike)


def game(position: Position, seconds: float, seed: int) -> float:
    """Plays a game from a position; returns the score of the first player."""
    players = [read_player(_PLAYER, position.rules, seconds, 2 * seed + place) for place in range(2)]
    while not is_over(position):
        position = after(position, players[position.turn].choose(position))
    return score(position, 0)


def opened(rules: TakRules, squares: tuple[int, int]) -> Position:
    """Returns the position after the first two stones."""
    position = first_position(rules)
    for square in squares:
        position = after(position, Placement(square, Kind.FLAT))
    return position


def main() -> int:
    """Plays all games, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=int, choices=range(3, 9), help="squares on a side of the board")
    parser.add_argument("--games", type=arguments.count, default=20, help="from each pair of squares (20)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.05, help="CPU seconds a move (0.05)")
    parser.add_argument(
        "--pair", action="append", nargs=2, metavar=("FIRST", "SECOND"), help="squares such as a1 d3; none: all pairs"
    )
    args = parser.parse_args()
    rules, found = TakRules(args.size), defaultdict[int, list[tuple[float, int]]](list)
    if any(first == second for first, second in args.pair or ()):
        parser.error("two stones cannot be on one square")
    everything = [(square_of(a, args.size), square_of(b, args.size)) for a, b in args.pair or ()] or pairs(args.size)
    for number, (first, second) in enumerate(everything, 1):
        position = opened(rules, (first, second))
        scores = [game(position, args.seconds, seed) for seed in range(args.games)]
        found[first].append((statistics.mean(scores), second))
        print(f"{number} of {len(everything)} pairs", file=sys.stderr, flush=True)
    print(f"| first stone | second stone | score of the first player, {args.games} games [95 %] |\n|---|---|---|")
    for first, answers in sorted(found.items()):
        for mean, second in sorted(answers):
            low, high = (round(100 * bound) for bound in wilson(mean, args.games))
            stones = f"{_name(first, args.size)} | {_name(second, args.size)}"
            print(f"| {stones} | {100 * mean:.0f} % [{low}, {high}] |")
    return 0


def _name(square: int, size: int) -> str:
    row, column = divmod(square, size)
    return f"{'abcdefgh'[column]}{row + 1}"


def square_of(name: str, size: int) -> int:
    """Returns a square by its name; raises SystemExit where there is none."""
    for square in range(size * size):
        if _name(square, size) == name:
            return square
    raise SystemExit(f"{name} is no square of a board of {size} x {size}")


if __name__ == "__main__":
    sys.exit(main())
