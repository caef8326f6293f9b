"""The command line of `ludens games`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import Game


@declare(
    "games",
    examples="""\
  ludens games
  ludens games --show tic_tac_toe > my_game.kif   to start your own
""",
)
@click.option("--show", type=Game(), metavar="NAME", help="Print the rule sheet of this game.")
def command(show: str | None) -> int:
    """List the built-in games, or print the rules of one.

    Lists the games that come with Ludens: name, number of players, what they are about.
    """
    from ludens.agent.commands import games

    return games.run(show)
