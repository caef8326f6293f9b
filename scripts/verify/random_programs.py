"""Plays random rule sheets on every machine: oracle, network and rule interpreter must agree.

    python -m scripts.verify.random_programs --programs 2000

Each program is checked, printed and parsed again, and grounded as it is rewritten and as it stands. The oracle
plays random games of it, and both networks and the machine that interprets rules replay these move by move
(`replay`). A program that disagrees is named by its number, which is its seed, and printed. The exit status is 0
if none does.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from ludens.native.core import Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import compile_rules
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite import narrow, plain
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.common.random_sheets import random_sheet
from scripts.common.replay import Comparison, RulesNames, Step, play

PLAYOUTS = 3
MAX_STEPS = 8  # of a playout: states soon repeat


def disagreements(sheet: RuleSheet, chance: random.Random, seen: Counter[str]) -> list[str]:
    """Returns one line for each difference of a machine from the oracle; `seen` counts what was compared."""
    check(sheet)
    oracle = Interpreter(sheet)
    games = [list(play(oracle, chance, MAX_STEPS)) for _ in range(PLAYOUTS)]
    seen["states"] += sum(map(len, games))
    seen["games of several states"] += sum(len(game) > 1 for game in games)
    return [*_rereading(sheet), *_replaying(sheet, games, seen)]


def _rereading(sheet: RuleSheet) -> Iterator[str]:
    if parse_rules(str(sheet)) != sheet:
        yield "the text of the sheet is read as another sheet"


def _replaying(sheet: RuleSheet, games: list[list[Step]], seen: Counter[str]) -> Iterator[str]:
    for name, machine in _machines(sheet, seen):
        for number, game in enumerate(games):
            yield from (f"{name}: game {number}, {line}" for line in machine.disagreements(game))


def _machines(sheet: RuleSheet, seen: Counter[str]) -> Iterator[tuple[str, Comparison]]:
    for rewrite in (narrow, plain):
        net = compile_rules(rewrite(sheet), lambda _line: None).net
        seen["networks with loops"] += len(net.loops) > 0
        yield f"network of {rewrite.__name__} rules", Comparison.of_network(net)
    game = Game.from_rules(compile_program(sheet))
    yield "rules", Comparison(game, RulesNames(game, sheet.roles))


def _examine(number: int, seen: Counter[str]) -> bool:
    """Says whether all machines agree on the program of this number."""
    sheet = random_sheet(random.Random(number))
    try:
        lines = disagreements(sheet, random.Random(number), seen)
    except LudensError as error:
        lines = [f"{type(error).__name__}: {error}"]
    if lines:
        print(f"program {number} disagrees", *lines[:5], sheet, sep="\n")
    return not lines


def main() -> int:
    """Examines the programs that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000, help="how many (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (default: %(default)s)")
    options = parser.parse_args()
    seen: Counter[str] = Counter()
    bad, start = [], time.monotonic()
    for number in range(options.first, options.first + options.programs):
        if not _examine(number, seen):
            bad.append(number)
        if (number + 1) % 100 == 0:
            print(f"{number + 1} programs, {time.monotonic() - start:.0f} s", file=sys.stderr)
    counts = ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))
    print(f"{options.programs} programs, {counts}; {len(bad)} disagree {' '.join(map(str, bad))}".rstrip())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
