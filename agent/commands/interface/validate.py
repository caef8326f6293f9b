"""The command line of `ludens validate`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Game


@declare("validate", examples="  ludens validate my_game.kif\n  ludens validate tic_tac_toe\n")
@click.argument(
    "sheets",
    cls=Argument,
    nargs=-1,
    required=True,
    metavar="GAME...",
    type=Game(),
    help="Rule sheets in GDL, or built-in games.",
)
def command(sheets: tuple[str, ...]) -> int:
    """Look for mistakes in rule sheets.

    Prints every mistake with its line and column, and warns of what is allowed but looks like a slip. The exit code
    is 0 only when no sheet has a mistake.
    """
    from ludens.agent.commands import validate

    return validate.run(sheets)
