"""Checks claims of forced wins by roads (tinuë) in Tak: every proof is played out against every answer.

    python -m scripts.verify.tinue_claims 5 --positions 2000

Positions are those of games that `td` plays against itself from four random moves, whoever is to move; a share of its
moves is random, so that games differ and somebody falls behind. Each position is searched with an empty table, and each
win that is claimed is replayed on the readable rules alone (`scripts.common.tinue_rules`). Prints how many positions
were searched, the claims by the number of the winner's moves, how many were false, and how long searches took in CPU
time. Fails if a claim is false.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.notation.tps import write_tps
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import Position, first_position, legal_moves, made, outcome
from ludens.native.core import Search, TinueSearch
from scripts.common import arguments
from scripts.common.progress import tell
from scripts.common.tinue_rules import refutation

_OPENING_PLIES = 4
_RANDOM_SHARE = 0.25  # of the moves behind the opening
_PLAYOUTS = 3_000  # positions that td looks at for a move
_MOST_PLIES = 150
_MEMORY_BYTES = 16 << 20
_NOTED = 100  # positions from one line of progress to the next


@dataclass(slots=True)
class Checked:
    """What was claimed, how many claims were false, and the CPU seconds of searches by their verdicts."""

    moves: Counter[int] = field(default_factory=Counter)
    false: int = 0
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"won": [], "none": [], "unknown": []})

    @property
    def positions(self) -> int:
        """Returns how many were searched."""
        return sum(map(len, self.seconds.values()))


def positions(rules: TakRules, rng: random.Random) -> Iterator[Position]:
    """Yields positions of games, without end."""
    search = Search(native_game(rules), strategy="td", memory_bytes=_MEMORY_BYTES)
    while True:
        position = first_position(rules)
        while outcome(position) is None and position.ply < _MOST_PLIES:
            if position.ply < _OPENING_PLIES:
                position = made(position, rng.choice(legal_moves(position)))
                continue
            yield position
            drawn = rng.random() < _RANDOM_SHARE
            position = made(position, rng.choice(legal_moves(position))) if drawn else played(search, position)


def played(search: Search, position: Position) -> Position:
    """Returns the position after the move that a search chooses."""
    search.set_root(pack(position))
    search.run(playouts=_PLAYOUTS)
    known = search.root_moves(position.turn)
    move = position.rules.move(int(known.moves[known.best]))
    assert move is not None
    return made(position, move)


def check(position: Position, most_positions: int, checked: Checked) -> None:
    """Searches a position, and replays what is claimed of it."""
    search = TinueSearch(native_game(position.rules), _MEMORY_BYTES)
    state = pack(position)
    began = time.process_time()
    found = search.run(state, most_positions=most_positions)
    checked.seconds[found.verdict].append(time.process_time() - began)
    if found.verdict == "won":
        checked.moves[found.moves] += 1
        if wrong := refutation(position, search.proof()):
            checked.false += 1
            print(f"{write_tps(position)}: {wrong}")


def told(checked: Checked) -> str:
    """Returns what has been checked, in lines."""
    lengths = ", ".join(f"{count} in {moves}" for moves, count in sorted(checked.moves.items()))
    lines = [
        f"{checked.positions:,} positions, {checked.moves.total():,} claims of wins, {checked.false} false",
        f"moves of the winner: {lengths}",
    ]
    for verdict, seconds in checked.seconds.items():
        if seconds:
            middle, longest = 1000 * float(np.median(seconds)), 1000 * max(seconds)
            lines.append(f"{verdict}: {len(seconds):,} searches, median {middle:.2f} ms, longest {longest:.1f} ms")
    return "\n".join(lines)


def main() -> int:
    """Plays games and checks what is claimed of their positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=int, choices=range(3, 9), help="squares on a side of the board")
    parser.add_argument("--positions", type=arguments.count, default=2_000, help="to search (%(default)s)")
    parser.add_argument(
        "--most-positions", type=arguments.count, default=100_000, help="that a search looks at (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    checked = Checked()
    for position in positions(TakRules(args.size), random.Random(args.seed)):
        check(position, args.most_positions, checked)
        if checked.positions % _NOTED == 0:
            tell(f"{checked.positions:,} positions, {checked.moves.total():,} claims")
        if checked.positions == args.positions:
            break
    print(told(checked))
    return int(checked.false > 0)


if __name__ == "__main__":
    raise SystemExit(main())
