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
@click.option("--no-play", is_flag=True, help="Only read the rules: play no random games.")
def command(sheets: tuple[str, ...], no_play: bool) -> int:
    """Look for mistakes in rule sheets.

    Prints every mistake with its line and column, and what to do about it. Errors make no sense; warnings are about
    what is allowed but looks like a slip. Rules without errors are also played at random for about a second, which
    shows roles without moves or goals, games without end, and facts that get lost.

    The exit code is 0 when no sheet has an error, and 1 otherwise.
    """
    from ludens.agent.commands import validate

    return validate.run(sheets, not no_play)
