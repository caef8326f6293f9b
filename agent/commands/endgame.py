"""`ludens endgame`: endgame tables of English draughts, built and counted."""

from __future__ import annotations

import argparse
import time

from ludens.agent.commands.progress import progress
from ludens.agent.settings.options import processors
from ludens.games.checkers.bitboards.endgame_tables import MOST_PIECES, count_positions, open_endgame, table_path
from ludens.native.core import EndgameTable
from ludens.propnet.base.errors import LudensError

HELP = "build the endgame tables of English draughts"
DESCRIPTION = "Works out all endgames of English draughts with few pieces, keeps them, and counts them."
EXAMPLES = """\
examples:
  ludens endgame                         every position with up to 4 pieces; takes seconds
  ludens endgame --pieces 5 --threads 2  up to 5 pieces; takes about a minute and 151 MB of disk
  ludens endgame --limit 40 --check      for rules by which 40 plies without progress are a draw
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument(
        "--pieces", type=int, choices=range(2, MOST_PIECES + 1), default=4, help="most pieces on the board (4)"
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=0,
        metavar="N",
        help="plies without a capture or a move of a man that are a draw, 0 to 126; 0 for no such rule (0)",
    )
    parser.add_argument("--threads", type=int, default=processors(), metavar="N", help="threads (one a processor)")
    parser.add_argument("--check", action="store_true", help="see that every value follows from its children's")


def run(args: argparse.Namespace) -> int:
    """Runs the subcommand; raises `LudensError`."""
    began = time.monotonic()
    with progress("endgame table") as tell:
        table = open_endgame(args.pieces, args.limit, args.threads, tell=tell)
    print(f"{table_path(args.pieces, args.limit)}, ready after {time.monotonic() - began:.1f} s")
    for row in count_positions(table):
        print(
            f"{row.pieces} pieces: {row.won:>13,} won {row.lost:>13,} lost {row.drawn:>12,} drawn, "
            f"at most {row.longest} plies to {'progress' if args.limit else 'the end'}"
        )
    if args.check:
        _check(table, args.threads)
    return 0


def _check(table: EndgameTable, threads: int) -> None:
    steps = len(table.work)
    with progress("checking the table") as tell:
        wrong = 0
        for step in range(steps):
            tell(f"{100 * step // steps} %")
            wrong += table.contradictions(step, threads)
    if wrong:
        raise LudensError(f"{wrong:,} values do not follow from their children's")
    print("every value follows from its children's")
