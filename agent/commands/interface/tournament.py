"""The command line of `ludens tournament`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, Command, declare
from ludens.agent.commands.interface.parameters import (
    Game,
    Number,
    Player,
    Seconds,
    WholeNumber,
    archive_option,
    cluster_option,
)

_SEVERAL = ("--players", "--games")


class SeveralValues(Command):
    """A command with options that take all arguments up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the command line."""
        return super().parse_args(ctx, spread(args))


def spread(arguments: Sequence[str]) -> list[str]:
    """Returns arguments in which the options of several values are said before each value.

    >>> spread(["--games", "nim", "hex", "--jobs", "2"])
    ['--games', 'nim', '--games', 'hex', '--jobs', '2']
    >>> spread(["--games=nim", "hex"])
    ['--games=nim', '--games', 'hex']
    """
    found: list[str] = []
    option, values = "", 0
    for argument in arguments:
        if argument.startswith("-"):
            name, equals, _ = argument.partition("=")
            option, values = (name if name in _SEVERAL else ""), len(equals)
            found.append(argument)
        else:
            found += [option, argument] if option and values else [argument]
            values += 1
    return found


@declare(
    "tournament",
    examples="""\
  ludens tournament lunch.toml --jobs 2 --html report.html
  ludens tournament --players uct guided random --games connect_four hex_small --rounds 10
  ludens tournament --kind gauntlet --players uct:threads=2 uct rave --games my_game.kif --sprt 0.5 0.6
""",
    kind=SeveralValues,
)
@click.argument(
    "file",
    cls=Argument,
    required=False,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A tournament in TOML: players, games, and settings by the names of the options below, of which --cluster, "
    "--out, --html, --plots, --no-archive and --quiet are for the command line alone.",
)
@click.option("--players", multiple=True, type=Player(), metavar="PLAYER...", help="Who plays, instead of a file.")
@click.option("--games", multiple=True, type=Game(), metavar="GAME...", help="What is played, instead of a file.")
@click.option("--name", metavar="NAME", help="What reports and records call it.")
@click.option(
    "--kind",
    type=click.Choice(["round robin", "gauntlet"]),
    help='Each against each ("round robin", the default), or the first against each other ("gauntlet").',
)
@click.option(
    "--rounds", type=WholeNumber(1), help="Openings of each game; all pairings play each from every seat. (4)"
)
@click.option("--opening-moves", type=WholeNumber(), help="Random moves of an opening. (2)")
@click.option("--startclock", type=Seconds(), help="Seconds to read the rules. (10)")
@click.option("--playclock", type=Seconds(), help="Seconds for each move. (1)")
@click.option("--scramble/--no-scramble", default=None, help="Replace every name in the rules by another word.")
@click.option("--seed", type=WholeNumber(), help="Of openings and players. (1)")
@click.option("--jobs", type=WholeNumber(1), help="Matches at once, each on processors of its own. (1)")
@cluster_option
@click.option("--memory-mb", type=WholeNumber(), help="Memory of each engine, if its player does not say.")
@click.option("--max-turns", type=WholeNumber(), help="A match that is not over after N turns is a draw. (1000)")
@click.option(
    "--sprt",
    type=Number(0, 1),
    nargs=2,
    metavar="LOW HIGH",
    help="Stop matches of two players once it is decided which of two scores the first one has.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Results, a line of JSON each; goes on there."
)
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with tables and plots.")
@click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help="Write each plot as an SVG file.")
@archive_option
@click.option("--quiet", is_flag=True, help="Show only what went wrong.")
def command(**options: Any) -> int:
    """Play many matches and rate the players.

    Plays every pairing of the players in every game, from random openings and from every seat, and rates them with
    intervals of 95 %. Whatever ends it, the same command goes on where it stopped.

    A player is a strategy, with settings or without, a class of your own in a file, such as my_player.py:Cautious, or
    the address of one that runs already, as in `ludens match`.
    """
    from ludens.agent.commands import tournament

    if options["cluster"] and options["jobs"]:
        raise click.UsageError("with --cluster there are as many matches at once as it has processors for: no --jobs")

    names = ("file", "players", "games", "out", "html", "plots", "archived", "quiet", "cluster")
    return tournament.run(
        tournament.TournamentOptions(
            **{name: options[name] for name in names}, changes=tournament.changed_settings(options)
        )
    )
