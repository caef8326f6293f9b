"""The command line of `ludens tei`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Player


@declare(
    "tei",
    examples="""\
  ludens tei                          wait for commands on standard input
  ludens tei td:weights=mine.td       judge positions by weights of your own
  ludens tei auto:threads=4           think with four threads
""",
)
@click.argument(
    "player",
    cls=Argument,
    metavar="[PLAYER]",
    type=Player(),
    default="auto",
    help="The strategy that chooses the moves, perhaps with settings.",
)
def command(player: str) -> int:
    """Play Tak for a program that speaks TEI.

    Speaks the Tak engine interface on standard input and output, on boards of 3 x 3 to 8 x 8 squares, with moves in PTN
    and positions in TPS.
    """
    from ludens.agent.commands import tei

    return tei.run(player)
