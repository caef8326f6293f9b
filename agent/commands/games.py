"""`ludens games`: the games that come with Ludens, and their rules."""

from __future__ import annotations

import argparse

from ludens import games

HELP = "list the built-in games, or print the rules of one"
DESCRIPTION = "Lists the games that come with Ludens: name, number of players, what they are about."
EXAMPLES = """\
examples:
  ludens games
  ludens games --show tic_tac_toe > my_game.kif     a start for a game of your own
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument("--show", metavar="NAME", help="print the rule sheet of this game")


def run(args: argparse.Namespace) -> int:
    """Runs the subcommand; raises `LudensError` for a game that is not there."""
    print(games.read(args.show) if args.show else _listing())
    return 0


def _listing() -> str:
    abouts = [games.about(name) for name in games.names()]
    width = max(len(about.name) for about in abouts)
    return "\n".join(f"{a.name:<{width}}  {_players(a.players)}  {a.summary}{_also(a.also)}" for a in abouts)


def _also(names: tuple[str, ...]) -> str:
    return f" Also called {', '.join(names)}." if names else ""


def _players(count: int) -> str:
    return "1 player " if count == 1 else f"{count} players"
