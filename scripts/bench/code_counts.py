"""Counts the instructions of NEON machine code, by reading it back, on any processor.

    python -m scripts.bench.code_counts --json docs/data/neon_code.json
    python -m scripts.bench.code_counts hex reversi --back-end neon-jit+sha3

A gate needs an instruction of logic, once gates have been fused to those that NEON has. ARM64 has no logic on memory,
so each function must besides load every row that it reads from others and store every row that others read: the
minimum. The floor is 1.3 instructions for each that is needed, as a geometric mean; it is told for gates alone, and for
the minimum.
Functions are those of all phases of a game: the gates of the network, choices of moves, and new states.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean

import numpy as np

from ludens import games
from ludens.games.rules import find_rules
from ludens.native.core import Game
from ludens.native.core.machine_code import Function, functions
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import tables
from scripts.common.arm64 import Kind, instructions

BACK_ENDS = ("neon-jit", "neon-jit+sha3")
FLOOR = 1.3
_COPY = 0xF0  # table of a gate that passes its first input on


@dataclass(frozen=True, slots=True)
class Row:
    """One game: sums over its functions."""

    game: str
    gates: int  # once fused
    read: int  # rows that functions read from others
    written: int  # rows that others read
    counts: dict[str, int]  # instructions by kind

    @property
    def minimum(self) -> int:
        """Instructions that are needed in any case."""
        return self.gates + self.read + self.written

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(self.counts.values())


def measure(rules: str, back_end: str) -> Row:
    """Writes the code of a game, and counts."""
    written, _ = functions(Game.from_propnet(load(find_rules(rules).sheet())), back_end)
    counts: Counter[str] = Counter({kind.value: 0 for kind in Kind})
    for function in written:
        counts.update(instruction.kind.value for instruction in instructions(function.code))
    gates, read, stored = (sum(needs) for needs in zip(*map(_needs, written), strict=True))
    return Row(rules, gates, read, stored, dict(counts))


def _needs(function: Function) -> tuple[int, int, int]:
    """Gates, rows that are read from others, and rows that others read."""
    known: set[int] = set()
    read: set[int] = set()
    for inputs, output in zip(function.inputs.tolist(), function.outputs.tolist(), strict=True):
        read.update(row for row in inputs if row not in known)
        known.add(output)
    return int((function.tables != _COPY).sum()), len(read), len(np.unique(function.outputs[function.kept]))


def table(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """The head and the cells."""
    head = ["game", "gates", "rows read", "rows written", *(kind.value for kind in Kind)]
    head += ["instructions / gate", "instructions / minimum"]
    cells = []
    for row in rows:
        numbers = row.gates, row.read, row.written, *row.counts.values()
        ratios = row.total / row.gates, row.total / row.minimum
        cells.append([row.game, *(f"{number:,}" for number in numbers), *(f"{ratio:.2f}" for ratio in ratios)])
    return head, cells


def floors(rows: list[Row]) -> list[str]:
    """What was reached, in words: of gates alone, and of the minimum."""
    return [
        _floor("instructions / gate", [row.total / row.gates for row in rows]),
        _floor("instructions / minimum", [row.total / row.minimum for row in rows]),
    ]


def _floor(what: str, ratios: list[float]) -> str:
    reached = geometric_mean(ratios)
    verdict = "reached" if reached <= FLOOR else "not reached"
    return f"{what}: {reached:.2f} (floor {FLOOR:g}, {verdict}), at most {max(ratios):.2f}"


def main() -> int:
    """Prints a Markdown table, and what the floor says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games or .kif files (all built in)")
    parser.add_argument("--back-end", choices=BACK_ENDS, default=BACK_ENDS[0], help=f"({BACK_ENDS[0]})")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    args = parser.parse_args()
    try:
        rows = [measure(rules, args.back_end) for rules in args.games or games.names()]
    except LudensError as error:
        print(f"code_counts: {error}", file=sys.stderr)
        return 1
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    print(*tables.lines(*table(rows)), "", *floors(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
