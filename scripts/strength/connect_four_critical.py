"""Measures how often players find a move that keeps the value of a critical position of connect four.

    python -m scripts.strength.connect_four_critical uct guided:learn=24 --seconds 0.5
    python -m scripts.strength.connect_four_critical --make 120

A position is critical if some moves keep its value and others do not, and nobody can win at once. Those of FILE
come from games from the empty board in which both draw their moves by the visits of a small search; their values,
and the columns that keep them, are proven by `connect_four_solver`. --make adds to FILE until it has so many; what
it would add follows from the seed and from what is there.

Each player has --seconds of CPU time for each position, with a new tree. What is learned is learned once, in
`learn` CPU seconds.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludens.native.core import Game, Search
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, json_lines
from scripts.common.progress import tell
from scripts.strength.connect_four_perfect import GAME, Table, new_solver
from scripts.strength.match import Player, network

if TYPE_CHECKING:
    from scripts.strength.connect_four_solver import Board, Solver

_FILE = Path("docs/data/connect_four_critical.jsonl")
_STONES = range(6, 14)
_MIDDLE = 10  # stones
_VISITS = 1000  # of the small search
_SEARCH_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Critical:
    """A position: the moves that lead to it and those that keep its value, columns from 1."""

    columns: str
    value: int  # 1 won, 0 drawn, for who is to move
    keep: str


def positions(solver: Solver, seed: int, known: Sequence[Critical]) -> Iterator[Critical]:
    """Yields critical positions that are not known, without end; each game gives one at most."""
    seen = {position.columns for position in known}
    search = Search(Game.from_propnet(network(GAME)), memory_bytes=_SEARCH_BYTES, seed=seed)
    rng = random.Random(seed)
    while True:
        table = Table(solver)
        stones = rng.choice(_STONES)
        while len(table.columns) < stones and not table.over:
            table.drop(_drawn(table, search, rng))
        columns = "".join(str(c + 1) for c in table.columns)
        if table.over or columns in seen or _someone_wins_at_once(solver, table.board):
            continue
        seen.add(columns)
        value = solver.value(table.board)
        legal = solver.columns(table.board)
        keep = [c for c in legal if solver.keeps(table.board, c, value)]
        if len(keep) < len(legal):
            yield Critical(columns, value, "".join(str(c + 1) for c in keep))


def _drawn(table: Table, search: Search, rng: random.Random) -> int:
    """Draws a column by the visits of a small search."""
    search.set_root(table.position.state)
    search.run(playouts=_VISITS)
    found = search.root_moves(table.turn)
    move = rng.choices(found.moves.tolist(), [max(0, n) for n in found.visits.tolist()])[0]
    return table.column_of(move)


def _someone_wins_at_once(solver: Solver, board: Board) -> bool:
    """Says whether either player could win if it were its turn."""
    turned = type(board)(board.both ^ board.own, board.both)
    return any(solver.lost(solver.drop(b, c)) for b in (board, turned) for c in solver.columns(b))


def right(solver: Solver, position: Critical, text: str, seconds: float, seed: int) -> bool:
    """Says whether the player that `text` describes keeps the value."""
    table = Table(solver)
    for column in position.columns:
        table.drop(int(column) - 1)
    player = Player(network(GAME), text, seconds, seed)
    return str(table.asked(player, seconds) + 1) in position.keep


def read(path: Path) -> list[Critical]:
    """Reads the positions of a file; none if there is no file."""
    return [Critical(**record) for record in json_lines.read(path)]


def make(solver: Solver, path: Path, count: int, seed: int) -> None:
    """Adds positions to a file until it has `count`."""
    json_lines.mend(path)
    known = read(path)
    for position in positions(solver, seed + len(known), known):
        if len(known) >= count:
            return
        known.append(position)
        json_lines.add(path, asdict(position))
        tell(f"{len(known)}/{count}: {position}")


def row(solver: Solver, known: Sequence[Critical], text: str, args: argparse.Namespace) -> str:
    """Returns a line of the table: how many of all positions, and of those with few and many stones, are right."""
    found: list[bool] = []
    for number, position in enumerate(known):
        found.append(right(solver, position, text, args.seconds, args.seed + number))
        tell(f"{text}: {sum(found)} of {len(found)} right ({position.columns}, {'right' if found[-1] else 'wrong'})")
    early = [r for r, position in zip(found, known, strict=True) if len(position.columns) < _MIDDLE]
    share = sum(found) / len(found)
    cells = f"{sum(found)} of {len(found)} | {share:.1%} | {sum(early)} of {len(early)}"
    return f"| `{text}` | {args.seconds:g} | {cells} |"


def main() -> int:
    """Prints a row for each player, or makes positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="a strategy, as in uct:policy=uniform")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.5, help="CPU time of a move (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of players, or of games to be made (%(default)s)")
    parser.add_argument("--file", type=Path, default=_FILE, help="JSON lines of the positions (%(default)s)")
    parser.add_argument("--make", type=arguments.count, metavar="N", help="add positions until there are so many")
    args = parser.parse_args()
    try:
        solver = new_solver()
        if args.make:
            make(solver, args.file, args.make, args.seed)
        known = read(args.file)
        if args.players and not known:
            raise LudensError(f"no positions in {args.file}; --make N adds some")
        print(f"| player | CPU s a move | right | | of fewer than {_MIDDLE} stones |")
        print("|---|---|---|---|---|", flush=True)
        for text in args.players:
            print(row(solver, known, text, args), flush=True)
    except LudensError as error:
        tell(f"connect_four_critical: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
