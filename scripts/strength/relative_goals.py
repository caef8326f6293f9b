"""Measures what two roles get that play for their own goals, and for their goals less the other's, against UCT.

    python -m scripts.strength.relative_goals skirmish.kif kalaha5x2x3.kif --learn 6 --seconds 0.05 --games 12

The opponent is UCT that plays for its own goal. *Own* is what a player got on the mean, *other* what UCT got; both are
goals of the rules. *±* is the standard error of how far it is ahead. The control is UCT against itself, whose lead
would be 0 in many games. Seconds are CPU time on one thread. Every opening is played from both seats.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare_candidates
from ludens.agent.preparation.ratings import Pairing
from ludens.agent.preparation.trial import Candidate, TrialRunner
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import PlayerOptions
from ludens.games.rules import find_rules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_COLUMNS = ("game", "player", "plays for", "own", "other", "ahead", "±", "games")
_SETTINGS = {"strategy": "auto", "recall": "off", "threads": "1", "nodes_mb": "256"}


def rows(name: str, learn: float, seconds: float, games: int, seed: int) -> list[Sequence[object]]:
    """The rows of a game. Raises `LudensError` where its goals cannot be compared."""
    net = load(find_rules(name).sheet())
    budget = TimeBudget(learn, seconds, seed, time.process_time)
    own, relative = (_players(net, budget.part(learn, seconds), relative=each) for each in (False, True))
    found: list[Sequence[object]] = []
    for goal, players in (("its goal", own), ("its goal less the other's", relative)):
        for player in players:
            runner = TrialRunner([own[0], player], budget.part(math.inf, seconds))
            played = [runner.play_for_goals(Pairing(1, 0, 0.0)) for _ in range(games)]
            goals = np.array([each for each in played if each is not None]).reshape(-1, 2)
            if len(goals):
                mine, theirs = goals.mean(axis=0)
                cells = (f"{mine:.0f}", f"{theirs:.0f}", f"{mine - theirs:+.0f}", error(goals), len(goals))
                role = f"{goal} (control)" if player is own[0] else goal
                found.append((find_rules(name).name, player.config.strategy, role, *cells))
    return found


def error(goals: npt.NDArray[np.float64]) -> str:
    """Returns the standard error of the mean lead in float64[games, 2], over openings of two games; a dash for one."""
    leads = (goals[:, 0] - goals[:, 1])[: len(goals) // 2 * 2].reshape(-1, 2).mean(axis=1)
    return f"{leads.std(ddof=1) / math.sqrt(len(leads)):.0f}" if len(leads) > 1 else "–"


def _players(net: Propnet, budget: TimeBudget, *, relative: bool) -> list[Candidate]:
    """UCT, and guided search where something can be learned."""
    _, candidates = prepare_candidates(net, PlayerOptions.from_texts(_SETTINGS), budget, relative=relative)
    return [candidates[0], *(each for each in candidates if each.config.strategy == GUIDED)]


def _rows_or_error(name: str, learn: float, seconds: float, games: int, seed: int) -> list[Sequence[object]]:
    try:
        return rows(name, learn, seconds, games, seed)
    except LudensError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return []


def _all_rows(args: argparse.Namespace) -> Iterator[Sequence[object]]:
    work = partial(_rows_or_error, learn=args.learn, seconds=args.seconds, games=args.count, seed=args.seed)
    with ProcessPoolExecutor(args.jobs, max_tasks_per_child=1) as pool:
        yield from chain.from_iterable(pool.map(work, args.games))


def main(given: list[str] | None = None) -> int:
    """Prints the rows of all games."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--learn", type=arguments.seconds, default=6.0, metavar="S", help="CPU seconds (6)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.05, metavar="S", help="of a move (0.05)")
    parser.add_argument(
        "--games", dest="count", type=arguments.count, default=12, metavar="N", help="of each player (12)"
    )
    parser.add_argument("--jobs", type=arguments.count, default=1, metavar="N", help="games at a time (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all random choices (1)")
    return print_table(_COLUMNS, _all_rows(parser.parse_args(given)))


if __name__ == "__main__":
    sys.exit(main())
