"""Tables of measurements, printed as Markdown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from ludens.propnet.base.errors import LudensError


def parser_of_games(doc: str | None) -> argparse.ArgumentParser:
    """A parser for a script whose docstring is `doc`, and whose arguments are names of games."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    return parser


def lines(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table with these column heads and rows of cells."""
    yield _line(columns)
    yield "|---" * len(columns) + "|"
    yield from map(_line, rows)


def print_table(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> int:
    """Prints a table, each row as soon as it is measured.

    Returns the exit status: 1 if one of the project's errors, which is told on standard error, ended it; else 0.
    """
    try:
        for line in lines(columns, rows):
            print(line, flush=True)
    except LudensError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
