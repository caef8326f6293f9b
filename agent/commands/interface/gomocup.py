"""The command line of `ludens gomocup`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Player


@declare(
    "gomocup",
    examples="""\
  ludens gomocup                      wait for commands on standard input
  ludens gomocup patterns:threads=4   think with four threads
  printf 'START 15\\nBEGIN\\nEND\\n' | ludens gomocup
""",
)
@click.argument(
    "player",
    cls=Argument,
    metavar="[PLAYER]",
    type=Player(),
    default="patterns",
    help="The strategy that chooses the moves, perhaps with settings.",
)
def command(player: str) -> int:
    """Play five in a row for a Gomocup manager.

    Speaks the protocol of Gomocup on standard input and output: free style, exactly five, renju and caro on boards of
    5 x 5 to 22 x 22 cells, within the limits of time and memory that the manager sets.
    """
    from ludens.agent.commands import gomocup

    return gomocup.run(player)
