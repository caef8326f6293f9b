"""The command line of `ludens perft`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import WholeNumber, game_argument


@declare(
    "perft",
    examples="""\
  ludens perft connect_four --depth 8     lines of play of 1 to 8 joint moves
  ludens perft breakthrough --depth 3 --divide   how many follow each first move
  ludens perft tak_5 --depth 5            Tak on 5 x 5 squares; tak_3 to tak_8 are known
  ludens perft tak_5 --tps "x5/x2,12,x2/x5/x5/x,21C,x3 1 9" --depth 3
""",
)
@game_argument
@click.option("--depth", type=WholeNumber(0, 100), default=3, help="Joint moves of a line.")
@click.option("--divide", is_flag=True, help="Show how many lines begin with each first move.")
@click.option("--count-ended", is_flag=True, help="Count lines that end before the depth as well, as some programs do.")
@click.option("--tps", metavar="POSITION", default=None, help="Begin in this position of Tak, written in TPS.")
def command(game: str, depth: int, divide: bool, count_ended: bool, tps: str | None) -> int:
    """Count the lines of play of a game.

    A line is a sequence of legal joint moves. Programs that know the rules of the same game agree on their number at
    every depth, so this finds mistakes in rules.
    """
    from ludens.agent.commands import perft

    return perft.run(game, depth, divide=divide, count_ended=count_ended, tps=tps)
