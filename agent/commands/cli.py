"""The command `ludens`: its subcommands, its exit status, and how it says that something is wrong.

Whatever a user does wrong ends in one line on standard error and a non-zero status: 2 for a command line that
cannot be read, 130 for Ctrl-C, 1 for everything else.

A subcommand is a module of this folder with what `Command` asks for, and its name in `COMMANDS`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn, Protocol, cast

from ludens.native.core import instruction_sets
from ludens.propnet.base.errors import LudensError

COMMANDS = ("serve", "match", "bench", "validate", "analyse", "games", "endgame")  # modules of this folder

_DESCRIPTION = "Ludens plays any game whose rules are written in GDL, the Game Description Language."

_EXAMPLES = """\
examples:
  ludens games                              the games that come with Ludens
  ludens match connect_four uct random      watch a match between two players
  ludens serve                              wait for a Game Manager to start a match
  ludens bench breakthrough                 measure how fast a game is played
  ludens validate my_game.kif               look for mistakes in your own rules

`ludens COMMAND --help` explains a command.

environment:
  LUDENS_INSTRUCTION_SET  the best instruction set to use, though the processor may have better ones:
                          avx512-jit, avx512, avx2 or baseline
"""


class Command(Protocol):
    """What the module of a subcommand defines."""

    HELP: str  # one line, in the list of subcommands
    DESCRIPTION: str
    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of the subcommand."""

    def run(self, args: argparse.Namespace) -> int:
        """Runs the subcommand and returns the exit status; raises `LudensError`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    args = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        instruction_sets()  # refuses a wrong LUDENS_INSTRUCTION_SET before a child process meets it
        status = run(args)
        sys.stdout.flush()
    except LudensError as error:
        print(f"ludens: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ludens: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read our output has gone: keeps Python from complaining of that at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line, without the usage that argparse would print before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"ludens: {message} (see `{self.prog} --help`)\n")


class _Version(argparse.Action):
    """Looks up the version only when it is asked for, since that takes longer than the rest of the start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"ludens {version('ludens')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ludens",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and end")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for name in COMMANDS:
        command = cast(Command, import_module(f"{__package__}.{name}"))
        subparser = subparsers.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            epilog=command.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
