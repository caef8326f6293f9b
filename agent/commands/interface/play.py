"""The command line of `ludens play`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Game, Player, WholeNumber, archive_option, grounding_options


@declare(
    "play",
    examples="""\
  ludens play                                 choose a game in the browser
  ludens play connect_four                    play this one
  ludens play my_game.kif                     or your own
  ludens play my_games/                       or choose among a folder of them
  ludens play --player my_player.py:Cautious  play against a player of your own
""",
)
@click.argument(
    "game",
    cls=Argument,
    required=False,
    metavar="[GAME]",
    type=Game(),
    help="A built-in game, the path of a rule sheet, or a folder of sheets.",
)
@click.option(
    "--player",
    "players",
    multiple=True,
    type=Player(),
    metavar="PLAYER",
    help="A player to choose on the page besides; those with files of yours or a cluster play only if they are named "
    "here. May be said several times.",
)
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    help="Port of the page; 0 for any free one. [default: 9180, or any if that is taken]",
)
@click.option("--browser/--no-browser", default=True, show_default=False, help="Open the page in your browser, or not.")
@grounding_options
@archive_option
def command(
    game: str | None,
    players: tuple[str, ...],
    port: int | None,
    browser: bool,
    archived: bool,
    grounding_seconds: float,
    grounding_mb: int,
) -> int:
    """Play any game in your browser.

    Starts a page on this machine and prints its address. There you choose a game or paste the rules of your own, take
    any of its roles, against Ludens or others, watch two engines, go back and forth, and see what Ludens thinks of
    each position. Ends with Ctrl-C; matches are kept, and go on when the page is started again.
    """
    from ludens.agent.commands import play
    from ludens.propnet.base.child import Limits

    limits = Limits(grounding_seconds, grounding_mb)
    return play.run(play.PlayOptions(game, players, port, browser, archived, limits))
