"""Checks how machines of Tak draw moves: that each rank is a legal move and each legal move has one rank.

    python -m scripts.verify.tak_moves 4 5 --positions 3000

Positions are boards of random stacks, some high, under random walls and capstones, with random reserves; a tenth are
openings. Every instruction set that this processor has is compared with the readable rules, which share no code with
it. Prints how many positions and moves were compared for each size. Fails where a machine is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.notation.tps import write_tps
from ludens.games.tak.rules.parameters import RESERVES, Kind, TakRules
from ludens.games.tak.rules.reference import EMPTY, OPENING_PLIES, Position, Stack, legal_moves, outcome
from ludens.native.core import tak_moves_by_rank
from ludens.propnet.base.errors import NativeError
from scripts.common import arguments

_SETS = ("avx512", "avx2", "baseline")
_OPENINGS = 0.1  # share of positions in which nobody has moved, or one player
_EMPTY_SHARES = (0.1, 0.9)  # of the squares, from position to position
_LATER_PLIES = 40


def usable_sets(rules: TakRules) -> list[str]:
    """Returns the instruction sets that a machine of Tak may use here."""
    return [name for name in _SETS if _is_usable(rules, name)]


def positions(rules: TakRules, rng: random.Random) -> Iterator[Position]:
    """Yields random positions of games that go on, without end."""
    while True:
        position = _opening(rules, rng) if rng.random() < _OPENINGS else _midgame(rules, rng)
        if outcome(position) is None:
            yield position


def fault(position: Position, sets: Sequence[str]) -> str:
    """Returns what is wrong about the ranks of moves; empty if nothing is."""
    rules, state = position.rules, pack(position)
    legal = [rules.number(move) for move in legal_moves(position)]
    ranked = {name: tak_moves_by_rank(native_game(rules), state, name) for name in sets}
    for name, numbers in ranked.items():
        if sorted(numbers) != legal:
            return f"{write_tps(position)}: {name} has {len(numbers)} ranks of {len(legal)} moves, or other moves"
        if numbers != ranked[sets[0]]:
            return f"{write_tps(position)}: {name} and {sets[0]} rank moves in different orders"
    return ""


def main() -> int:
    """Prints a line for each size; returns 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, choices=[*RESERVES, []], default=[*RESERVES], metavar="SIZE")
    parser.add_argument("--positions", type=arguments.count, default=1000, metavar="N", help="of each size (1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the positions (0)")
    args = parser.parse_args()
    for size in args.sizes:
        rules, rng = TakRules(size), random.Random(args.seed)
        sets, moves, source = usable_sets(rules), 0, positions(rules, rng)
        for _ in range(args.positions):
            position = next(source)
            moves += len(legal_moves(position))
            if wrong := fault(position, sets):
                print(wrong)
                return 1
        print(f"size {size}: {args.positions} positions with {moves} moves, {', '.join(sets)}: each move has one rank")
    return 0


def _is_usable(rules: TakRules, name: str) -> bool:
    try:
        tak_moves_by_rank(native_game(rules), native_game(rules).initial, name)
    except NativeError:
        return False
    return True


def _opening(rules: TakRules, rng: random.Random) -> Position:
    """Returns a position before the second ply of each player: with a flat of the second player, or without."""
    board = [EMPTY] * rules.squares
    flats, capstones = rules.reserve
    ply = rng.randrange(OPENING_PLIES)
    if ply == 1:
        board[rng.randrange(rules.squares)] = Stack((1,))
    return Position(rules, tuple(board), ((flats, capstones), (flats - ply, capstones)), ply)


def _midgame(rules: TakRules, rng: random.Random) -> Position:
    """Returns a board of random stacks; reserves are what is left, or very few."""
    left = [list(rules.reserve) for _ in range(2)]
    board = [EMPTY] * rules.squares
    empty, high = rng.uniform(*_EMPTY_SHARES), rng.choice((1, 2, rules.size + 2))
    for square in rng.sample(range(rules.squares), rules.squares):
        if rng.random() >= empty:
            board[square] = _stack(left, rng.randint(1, high), rng)
    if rng.random() < 1 / 3:  # hardly anything is left
        left = [[min(flats, rng.randrange(2)), capstones] for flats, capstones in left]
    (first, second) = ((flats, capstones) for flats, capstones in left)
    return Position(rules, tuple(board), (first, second), OPENING_PLIES + rng.randrange(_LATER_PLIES))


def _stack(left: list[list[int]], height: int, rng: random.Random) -> Stack:
    """Takes a stack of so many pieces, or as many as there are, from the reserves."""
    owners = []
    for _ in range(height):
        having = [player for player in (0, 1) if left[player][0] > 0]
        if having:
            owners.append(rng.choice(having))
            left[owners[-1]][0] -= 1
    topped = [player for player in (0, 1) if left[player][1] > 0]
    if topped and rng.random() < 1 / 4:
        owners.append(rng.choice(topped))
        left[owners[-1]][1] -= 1
        return Stack(tuple(owners), Kind.CAPSTONE)
    if not owners:
        return EMPTY
    return Stack(tuple(owners), Kind.WALL if rng.random() < 1 / 4 else Kind.FLAT)


if __name__ == "__main__":
    sys.exit(main())
