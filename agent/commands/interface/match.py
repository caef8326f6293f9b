"""The command line of `ludens match`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare, refuse_given
from ludens.agent.commands.interface.parameters import (
    Player,
    Seconds,
    Watchable,
    WholeNumber,
    archive_option,
    game_argument,
    grounding_options,
    verbose_option,
    watch_port_option,
)
from ludens.agent.settings.strategies import EXPLANATIONS

_PLAYERS = "\n".join(f"  {name:<10} {meaning}" for name, meaning in EXPLANATIONS.items())


def _match_id(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"[^\s();]+", text):
        raise click.BadParameter("a match id has no spaces, brackets or semicolons")
    return text


@declare(
    "match",
    examples="""\
  ludens match tic_tac_toe uct random
  ludens match connect_four human auto:level=3       you against a gentle opponent
  ludens match my_game.kif --startclock 30 --playclock 0.5 uct 127.0.0.1:9147
  ludens match breakthrough uct flat --scramble --record match.json
  ludens match connect_four auto uct --record match.html
  ludens match connect_four uct flat --watch
  ludens match english_draughts uct uct --notation pdn --record game.pdn
""",
    kind=Watchable,
)
@game_argument
@click.argument(
    "players",
    cls=Argument,
    nargs=-1,
    metavar="[PLAYER]...",
    type=Player(),
    help="Who plays, in the order of the roles.",
)
@click.option("--startclock", type=Seconds(), default=10, help="Seconds to read the rules.")
@click.option("--playclock", type=Seconds(), default=5, help="Seconds for each move.")
@click.option(
    "--time-people", is_flag=True, help="The play clock is for people too, who else have as long as they like."
)
@click.option(
    "--scramble/--no-scramble",
    default=False,
    show_default=False,
    help="Replace every name in the rules by another word, so that nobody knows the game.",
)
@click.option(
    "--seed",
    type=WholeNumber(),
    help="Make the match repeatable, as far as its players choose without a clock: random, uct:iterations=2000.",
)
@click.option(
    "--max-turns",
    type=WholeNumber(),
    default=1000,
    help="Stop a match that is not over after N turns; 0: never. (The longest of 300 games in use takes 245 turns.)",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the match in ggp-base's JSON; as a page that replays it if FILE ends in .html; or in a notation of the "
    "game if it ends as its files do (.pdn, .ptn).",
)
@click.option(
    "--notation",
    metavar="NAME",
    help="Show moves as people who know the game write them: pdn for games of the checkers family, ptn for Tak.",
)
@click.option("--id", callback=_match_id, metavar="ID", help="Name of the match, without spaces.")
@archive_option
@watch_port_option
@grounding_options
@click.option("--quiet", is_flag=True, help="Show only the result and what went wrong.")
@verbose_option
def command(grounding_seconds: float, grounding_mb: int, **options: Any) -> int:
    """Play a match between any players.

    Plays one match as a Game Manager does and shows every move. Players take the roles in the order of the rule sheet;
    roles that are left over are played at random. Options may stand anywhere.

    A player is a strategy (`ludens strategies` explains them), a strategy with settings such as
    uct:threads=2,exploration=0.5 (`ludens serve --help` lists them), a class of your own in a file, such as
    my_player.py:Cautious, or the address of a player that is running already, of any make: http://host:port, where
    http:// may be left out.

    A player called human is you: you are asked for each move, and may take it back, ask for a hint, or end the match.
    No clock runs for you. With auto:level=1 to 10 an opponent plays as strongly as you like.
    """
    from ludens.agent.commands import match
    from ludens.propnet.base.child import Limits

    if options["quiet"]:
        refuse_given(("verbose", "notation"), "does not go with --quiet, which shows no moves")
    return match.run(match.MatchOptions(limits=Limits(grounding_seconds, grounding_mb), **options))
