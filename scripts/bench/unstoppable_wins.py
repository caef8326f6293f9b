"""Measures how long it takes to find the unstoppable wins of games, and what they cost.

    python -m scripts.bench.unstoppable_wins breakthrough knightthrough reversi rules.kif

Prints CPU seconds until a player knows the unstoppable wins of a game, or that it has none, and why; those that go
into finding control states, which comes first; and the largest amount of memory that the process has had.
"""

from __future__ import annotations

import resource
import sys
import time

from ludens.agent.variants.early_wins import early_wins
from ludens.games.rules import find_rules
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import find_unstoppable_wins
from scripts.common.tables import parser_of_games, print_table


def row(name: str) -> list[object]:
    """The cells of a game's row."""
    rules = find_rules(name)
    net = load(rules.sheet())
    began = time.process_time()
    autonomous(reopen(net))
    control = time.process_time() - began
    began, told = time.process_time(), list[str]()
    wins = early_wins(net, told.append)
    seconds = time.process_time() - began
    if wins:
        outcome = f"{len(with_unstoppable_wins(net, wins).gates) - len(net.gates)} gates more"
    else:
        outcome = told[0] if told else _why_none(net)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return [rules.name, f"{len(net.gates):,}", f"{control:.2f}", f"{seconds:.2f}", peak, outcome]


def _why_none(net: Propnet) -> str:
    try:
        find_unstoppable_wins(net)
    except CompositionError as error:
        return str(error)
    return ""


def main() -> int:
    """Prints a row for each game."""
    columns = "game", "gates", "control, s", "wins, s", "MB", "outcome"
    return print_table(columns, map(row, parser_of_games(__doc__).parse_args().games))


if __name__ == "__main__":
    sys.exit(main())
