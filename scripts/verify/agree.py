"""Plays random games by the oracle and compares the native simulator with it, state for state.

    python -m scripts.verify.agree connect_four rules.kif --playouts 20

Games are built-in ones or files of rules. Compared are the legal moves of every role, the next state,
terminal and goals. Left out are facts that the network has dropped: those that nothing depends on and those
that never change.
The exit status is 0 only when all agree.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from ludens import games
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from scripts.common.replay import Comparison, play


def _rules(name: str) -> str:
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.suffix == games.SUFFIX else games.read(name)


def _compare(name: str, options: argparse.Namespace) -> bool:
    sheet = parse_rules(_rules(name))
    comparison, oracle = Comparison.of_network(load(sheet)), Interpreter(sheet)
    started, states = time.monotonic(), 0
    for playout in range(options.playouts):
        steps = list(play(oracle, random.Random(options.seed + playout), options.max_steps))
        states += len(steps)
        differences = comparison.disagreements(steps)
        if differences:
            print(f"{name}: playout {playout} differs", *differences[:10], sep="\n  ")
            return False
    print(f"{name}: {options.playouts} playouts, {states} states agree, {time.monotonic() - started:.1f} s")
    return True


def main() -> int:
    """Compares the games of the command line, or all built-in ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in game or .kif file (default: all built-in)")
    parser.add_argument("--playouts", type=int, default=5, help="random games of each (default: %(default)s)")
    parser.add_argument("--max-steps", type=int, default=500, help="moves of one game (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first playout (default: %(default)s)")
    options = parser.parse_args()
    try:
        agreed = [_compare(name, options) for name in options.games or games.names()]
    except (LudensError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
