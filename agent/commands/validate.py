"""`ludens validate`: says what is wrong with rule sheets, and where."""

from __future__ import annotations

import argparse
from pathlib import Path

from ludens.agent.commands.rules import read_rules
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.check import faults, warnings
from ludens.propnet.gdl.parser import parse_rules

HELP = "look for mistakes in rule sheets"
DESCRIPTION = (
    "Checks rule sheets and prints every mistake with its line and column, and warns of what is "
    "allowed but looks like a slip. "
    "The exit status is 0 only when no file has one."
)
EXAMPLES = """\
example:
  ludens validate my_game.kif
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a rule sheet in GDL")


def run(args: argparse.Namespace) -> int:
    """Runs the subcommand; raises `LudensError` for a file that cannot be read."""
    good = [_report(path, read_rules(path)) for path in args.files]
    return 0 if all(good) else 1


def _report(path: Path, text: str) -> bool:
    """Prints the faults and warnings of a sheet, and returns whether it has no fault."""
    try:
        sheet = parse_rules(text)
        found = faults(sheet)
    except GdlError as error:
        found = [error]
    for fault in found:
        print(f"{path}: {fault}")
    if not found:
        for warning in warnings(sheet):
            print(f"{path}: warning: {warning}")
        print(f"{path}: no mistake found")
    return not found
