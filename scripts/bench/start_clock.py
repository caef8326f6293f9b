"""Measures what a start clock goes into, once the network of a game is there: by CPU seconds of one thread.

    python -m scripts.bench.start_clock amazons breakthrough --startclock 30
    LUDENS_INSTRUCTION_SET=avx2-jit python -m scripts.bench.start_clock amazons breakthrough --startclock 10

*Learned* counts what was learned while features were compared, too. *Expects* is the score against UCT that a player
expects of the search that it plays by; of UCT itself nothing is said.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator

from ludens.agent.preparation.budget import CHOICE, FEATURES, TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.settings.options import PlayerOptions
from ludens.games.rules import find_rules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_COLUMNS = ("game", "learned, s", "share", "features, s", "choice, s", "plays by", "expects", "trial games")
_LEARNED = re.compile(r"^learned for ([\d.]+) s")
_PLAYS = re.compile(r"^plays by ([^ :]+).*?: (?:can expect (\d+ %) .*)?")
_TRIALS = re.compile(r"(\d+) trial games?")


def row(name: str, start_clock: float, move_seconds: float) -> list[object]:
    """The cells of a game's row."""
    rules = find_rules(name)
    net, told = load(rules.sheet()), list[str]()
    budget = TimeBudget(start_clock, move_seconds, seed=1, clock=time.process_time, tell=told.append)
    prepare(net, PlayerOptions(threads=1, recall="off"), budget)
    learned = sum(float(found[1]) for found in map(_LEARNED.match, told) if found)
    plays = next((found for found in map(_PLAYS.match, told) if found), None)
    if plays is None:
        raise LudensError(f"{rules.name} is not played by one search that was chosen for it: {'; '.join(told)}")
    trials = next((found[1] for found in map(_TRIALS.search, told) if found), "0")
    spent = [f"{budget.spent.get(purpose, 0.0):.1f}" for purpose in (FEATURES, CHOICE)]
    share = f"{100 * learned / start_clock:.0f} %"
    return [rules.name, f"{learned:.1f}", share, *spent, plays[1], plays[2] or "–", trials]


def rows(games: Iterable[str], start_clock: float, move_seconds: float) -> Iterator[list[object]]:
    """A row for each game."""
    return (row(name, start_clock, move_seconds) for name in games)


def main(given: list[str] | None = None) -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--startclock", type=arguments.seconds, default=30.0, metavar="S", help="(30)")
    parser.add_argument("--playclock", type=arguments.seconds, default=2.0, metavar="S", help="(2)")
    args = parser.parse_args(given)
    return print_table(_COLUMNS, rows(args.games, args.startclock, args.playclock))


if __name__ == "__main__":
    sys.exit(main())
