"""`ludens validate`: says what is wrong with rule sheets, and where."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from agent.rules import read_rules
from propnet.check import check
from propnet.errors import LudensError
from propnet.parser import parse_rules

_EXAMPLES = """\
example:
  ludens validate my_game.kif
"""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand to the command line."""
    parser = subparsers.add_parser(
        "validate",
        help="look for mistakes in rule sheets",
        description="Checks rule sheets and prints every mistake with its line and column. "
        "The exit status is 0 only when no file has one.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a rule sheet in GDL")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carries the subcommand out; raises `LudensError` for a file that cannot be read."""
    faults = 0
    for path in args.files:
        found = _faults(read_rules(path))
        faults += len(found)
        for fault in found:
            print(f"{path}: {fault}")
        if not found:
            print(f"{path}: no mistake found")
    return 1 if faults else 0


def _faults(text: str) -> list[LudensError]:
    try:
        check(parse_rules(text))
    except LudensError as error:
        return [error]
    return []
