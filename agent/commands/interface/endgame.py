"""The command line of `ludens endgame`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import WholeNumber


@declare(
    "endgame",
    examples="""\
  ludens endgame                         every position with up to 4 pieces; takes seconds
  ludens endgame --pieces 5 --threads 2  up to 5 pieces; takes about a minute, 151 MB of disk
  ludens endgame --limit 40 --check      for rules by which 40 plies without progress are a draw
""",
)
@click.option("--pieces", type=WholeNumber(2, 6), default=4, help="Most pieces on the board.")
@click.option(
    "--limit",
    type=WholeNumber(0, 126),
    default=0,
    show_default=False,
    help="Plies without a capture or a move of a man that are a draw, up to 126; 0, the default, for no such rule.",
)
@click.option(
    "--threads",
    type=WholeNumber(0, 1024),
    default=0,
    show_default=False,
    help="Threads; 0, the default, for one on each processor.",
)
@click.option("--check", is_flag=True, help="See that every value follows from those of the positions after it.")
def command(pieces: int, limit: int, threads: int, check: bool) -> int:
    """Build the endgame tables of English draughts.

    Works out all endgames of English draughts with few pieces, keeps them, and counts them.
    """
    from ludens.agent.commands import endgame

    return endgame.run(pieces, limit, threads, check)
