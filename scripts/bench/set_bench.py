"""The command line of benchmarks that measure games on the instruction sets of this processor, in turns on one core."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from ludens.native.core import instruction_sets
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, tables
from scripts.common.progress import tell

RowT = TypeVar("RowT")  # a dataclass


def options(description: str | None, games: str, seconds: float) -> argparse.ArgumentParser:
    """Returns a parser of what all such benchmarks take; `games` says which ones may be measured."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=games)
    parser.add_argument("--sets", nargs="+", metavar="SET", choices=instruction_sets(), help="instruction sets (all)")
    parser.add_argument("--seconds", type=arguments.seconds, default=seconds, help="of each run (%(default)s)")
    parser.add_argument("--rounds", type=arguments.count, default=5, help="runs, of which the fastest counts (5)")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    return parser


def chosen_sets(args: argparse.Namespace) -> tuple[str, ...]:
    """Returns the instruction sets to be measured, best first."""
    return tuple(name for name in instruction_sets() if not args.sets or name in args.sets)


def run(
    args: argparse.Namespace,
    games: Sequence[str],
    measure: Callable[[str], RowT],
    table: Callable[[list[RowT]], tuple[list[str], list[list[str]]]],
    floors: Callable[[list[RowT]], list[str]],
) -> int:
    """Measures games on one core, prints a Markdown table and what the floors say, and returns the exit status."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows: list[Any] = []
    try:
        for rules in games:
            tell(f"{rules}: {', '.join(chosen_sets(args))}")
            rows.append(measure(rules))
    except LudensError as error:
        print(f"{Path(sys.argv[0]).stem}: {error}", file=sys.stderr)
        return 1
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    print(*tables.lines(*table(rows)), sep="\n")
    print("", *floors(rows), sep="\n")
    return 0
