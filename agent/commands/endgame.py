"""`ludens endgame`: endgame tables of English draughts, built and counted."""

from __future__ import annotations

import time

from ludens.agent.commands.progress import progress
from ludens.agent.settings.processors import processors
from ludens.games.checkers.bitboards.endgame_tables import count_positions, open_endgame, table_path
from ludens.native.core import EndgameTable
from ludens.propnet.base.errors import LudensError


def run(pieces: int, limit: int, threads: int, check: bool) -> int:
    """Builds and counts the tables with `threads` threads (0: one on each processor); raises `LudensError`."""
    threads = threads or processors()
    began = time.monotonic()
    with progress("endgame table") as tell:
        table = open_endgame(pieces, limit, threads, tell=tell)
    print(f"{table_path(pieces, limit)}, ready after {time.monotonic() - began:.1f} s")
    for row in count_positions(table):
        print(
            f"{row.pieces} pieces: {row.won:>13,} won {row.lost:>13,} lost {row.drawn:>12,} drawn, "
            f"at most {row.longest} plies to {'progress' if limit else 'the end'}"
        )
    if check:
        _check(table, threads)
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
