"""The command line of `ludens analyse`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import declare, refuse_given
from ludens.agent.commands.interface.parameters import (
    Player,
    Seconds,
    WholeNumber,
    game_argument,
    grounding_options,
    json_option,
    verbose_option,
)


@declare(
    "analyse",
    examples="""\
  ludens analyse reversi
  ludens analyse my_game.kif --json
  ludens analyse my_game.kif --strength --games 50
  ludens analyse my_game.kif --html report.html     fair, long, drawish, dull?
  ludens analyse my_game.kif --show stuck
""",
)
@game_argument
@click.option(
    "--seconds",
    type=Seconds(above=True),
    default=5,
    help="How long to play random games and to find out what kind of game it is.",
)
@click.option(
    "--show",
    metavar="KIND",
    type=click.Choice(["proper", "stuck", "no-goal", "endless"]),
    help="Show only a random game, step by step: one in which a role has no legal move (stuck), one that is over but "
    "a role gets no goal or several (no-goal), one that goes on and on (endless), or one without any of that (proper).",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report as a page with pictures and plots, which needs nothing else; includes --strength.",
)
@click.option("--strength", is_flag=True, help="Also have a good player play against itself: who wins then, and how?")
@click.option(
    "--player",
    type=Player(),
    default="uct:iterations=2000",
    help="Who plays for --strength: a strategy, with settings if you like; with iterations=N, so many random games for "
    "each move, the same games are played on any machine.",
)
@click.option("--games", type=WholeNumber(1, 1_000_000), default=30, help="Games that are played for that.")
@click.option(
    "--playclock",
    type=Seconds(above=True),
    default=0.2,
    help="Seconds for each move of these games, for players without iterations=N.",
)
@grounding_options
@json_option
@verbose_option
def command(
    game: str,
    seconds: float,
    show: str | None,
    page: Path | None,
    strength: bool,
    player: str,
    games: int,
    playclock: float,
    grounding_seconds: float,
    grounding_mb: int,
    **how: Any,
) -> int:
    """Show what kind of game the rules make, how balanced it is, and what may be wrong with it.

    Says first what is wrong with the game as random games show it: roles without a legal move, endings without a goal,
    games without end. Then what follows from the rules (proven) and what was so in all random games (sampled), such as
    whose turn it is, and how often each role wins.
    """
    from ludens.agent.commands import analyse
    from ludens.propnet.base.child import Limits

    limits = Limits(grounding_seconds, grounding_mb)
    of_good_play = ("player", "games", "playclock")
    if show:
        others = ("strength", "page", "as_json", "verbose", *of_good_play)
        refuse_given(others, "does not go with --show, which shows a game")
        return analyse.show(game, ending=show, seconds=seconds, limits=limits)
    if how["as_json"] and not page:
        refuse_given(("verbose",), "does not go with --json, which says everything")
    if not strength and not page:
        refuse_given(of_good_play, "is about games of a good player: say --strength, or --html")
    good_player = analyse.Strength(player, games, playclock) if strength or page else None
    return analyse.run(game, seconds=seconds, limits=limits, strength=good_player, page=page, **how)
