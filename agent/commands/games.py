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
    lines = []
    for a in abouts:
        also = f" Also called {', '.join(a.also)}." if a.also else ""
        lines.append(f"{a.name:<{width}}  {a.players} player{'s' if a.players > 1 else ' '}  {a.summary}{also}")
    return "\n".join(lines)
