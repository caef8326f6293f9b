"""What it takes to find the races of games, and what they cost.

    python -m scripts.bench.races breakthrough knightthrough reversi rules.kif

CPU seconds in which a player knows what races there are, or that there are none, and why; of what moves by itself
alone, which is looked for first; and the largest amount of memory that the process has had.
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
from ludens.propnet.races.races import find_races, with_races


def row(name: str, net: Propnet) -> str:
    """A line of the table."""
    began = time.process_time()
    autonomous(reopen(net))
    by_itself = time.process_time() - began
    began, told = time.process_time(), list[str]()
    races = races_of(net, told.append)
    seconds = time.process_time() - began
    if races:
        outcome = f"{len(with_races(net, races).gates) - len(net.gates)} gates more"
    else:
        outcome = told[0] if told else _why_none(net)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return f"| {name} | {len(net.gates):,} | {by_itself:.2f} | {seconds:.2f} | {peak} | {outcome} |"


def _why_none(net: Propnet) -> str:
    try:
        find_races(net)
    except CompositionError as error:
        return str(error)
    return ""


def main() -> int:
    """Prints a table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    print("| game | gates | by itself, s | races, s | MB | races |")
    print("|---|---|---|---|---|---|", flush=True)
    try:
        for name in parser.parse_args().games:
            rules = find_rules(name)
            print(row(rules.name, load(rules.sheet())), flush=True)
    except LudensError as error:
        print(f"races: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
