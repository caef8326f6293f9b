"""What it takes to find the unstoppable wins of games, and what they cost.

    python -m scripts.bench.unstoppable_wins breakthrough knightthrough reversi rules.kif

Prints CPU seconds until a player knows the unstoppable wins of a game, or that it has none, and why; those that go
into finding control states, which comes first; and the largest amount of memory that the process has had.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

from ludens.agent.commands.rules import find_rules
from ludens.agent.variants.races import races_of
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import find_unstoppable_wins


def row(name: str, net: Propnet) -> str:
    """A line of the table."""
    began = time.process_time()
    autonomous(reopen(net))
    control = time.process_time() - began
    began, told = time.process_time(), list[str]()
    wins = races_of(net, told.append)
    seconds = time.process_time() - began
    if wins:
        outcome = f"{len(with_unstoppable_wins(net, wins).gates) - len(net.gates)} gates more"
    else:
        outcome = told[0] if told else _why_none(net)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return f"| {name} | {len(net.gates):,} | {control:.2f} | {seconds:.2f} | {peak} | {outcome} |"


def _why_none(net: Propnet) -> str:
    try:
        find_unstoppable_wins(net)
    except CompositionError as error:
        return str(error)
    return ""


def main() -> int:
    """Prints a table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    print("| game | gates | control, s | wins, s | MB | outcome |")
    print("|---|---|---|---|---|---|", flush=True)
    try:
        for name in parser.parse_args().games:
            rules = find_rules(name)
            print(row(rules.name, load(rules.sheet())), flush=True)
    except LudensError as error:
        print(f"unstoppable_wins: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
