"""The command line of `ludens archive`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import CONTEXT, Argument, PlainEpilog, declare
from ludens.agent.commands.interface.parameters import WholeNumber, json_option

_EXAMPLES = """\
Examples:
  ludens archive list                              the last matches
  ludens archive list --game hex --player uct --result won
  ludens archive show 12                           one match, move by move
  ludens archive export --since 2026-05-01 matches records of matches as files
"""
_DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"])


class Group(PlainEpilog, click.RichGroup):  # type: ignore[misc]  # rich-click ignores it likewise
    """Subcommands of a subcommand."""


def _milliseconds(_context: Any, _parameter: Any, date: datetime | None) -> int | None:
    try:
        return None if date is None else int(date.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{date} is out of range") from None


def _query_options(function: Any) -> Any:
    """Adds what a match must fit."""
    for option in (
        click.option("--until", type=_DATE, callback=_milliseconds, metavar="DATE", help="Begun before this date."),
        click.option("--since", type=_DATE, callback=_milliseconds, metavar="DATE", help="Begun then or later."),
        click.option("--tournament", default="", metavar="NAME", help="Of this tournament."),
        click.option("--source", default="", metavar="COMMAND", help="Played by match, serve, play or tournament."),
        click.option("--result", default="", metavar="RESULT", help="won, drawn, lost or unfinished; of that player."),
        click.option("--player", default="", metavar="TEXT", help="A part of the name of one of the players."),
        click.option("--game", default="", metavar="TEXT", help="A part of the name of the game."),
    ):
        function = option(function)
    return function


@click.group("archive", cls=Group, epilog=_EXAMPLES, context_settings=CONTEXT)
def command() -> None:
    """Search the matches that were played, and export them.

    Every match of `ludens match`, `serve`, `play` and `tournament` is kept in one file of your data folder, unless it
    was started with --no-archive. Above 512 MB the oldest matches go.
    """


@declare(
    "list",
    examples="""\
  ludens archive list --game connect_four --player uct --result lost --since 2026-05-01
""",
)
@_query_options
@click.option("--limit", type=WholeNumber(1), default=20, help="How many, the newest first.")
@json_option
def list_matches(as_json: bool, **words: Any) -> int:
    """List matches, the newest first."""
    from ludens.agent.commands import archive
    from ludens.agent.records.archive import Query

    return archive.show_list(Query(**words), as_json)


@declare("show", examples="  ludens archive show 12\n")
@click.argument("number", cls=Argument, type=WholeNumber(1), help="As `ludens archive list` shows it.")
@json_option
def show(number: int, as_json: bool) -> int:
    """Show one match move by move, or its record as JSON."""
    from ludens.agent.commands import archive

    return archive.show(number, as_json)


@declare(
    "export",
    examples="""\
  ludens archive export matches --tournament lunch
""",
)
@click.argument("folder", cls=Argument, type=click.Path(path_type=Path, file_okay=False), help="Made if need be.")
@_query_options
@click.option("--limit", type=WholeNumber(1), default=1000000, help="How many, the newest first.")
def export(folder: Path, **words: Any) -> int:
    """Write records of matches into a folder, a file each, in ggp-base's JSON."""
    from ludens.agent.commands import archive
    from ludens.agent.records.archive import Query

    return archive.export(Query(**words), folder)


for subcommand in (list_matches, show, export):
    command.add_command(subcommand)
