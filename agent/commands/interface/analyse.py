"""The command line of `ludens analyse`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import Seconds, game_argument, json_option


@declare("analyse", examples="  ludens analyse reversi\n  ludens analyse my_game.kif --json\n")
@game_argument
@click.option(
    "--seconds",
    type=Seconds(above=True),
    default=5.0,
    metavar="S",
    show_default=True,
    help="How long to find out what kind of game it is.",
)
@json_option
def command(game: str, seconds: float, as_json: bool) -> int:
    """Show what becomes of a game's rules, and what kind of game it is.

    Turns the rules of a game into a network and tells its size: propositions (facts that can hold), moves, gates,
    levels (gates one behind the other), and how each pass changed the gates. Then tells what kind of game it is: what
    is proven, and what was merely so in random games (sampled).
    """
    from ludens.agent.commands import analyse

    return analyse.run(game, seconds, as_json)
