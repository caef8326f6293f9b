"""Compares an evaluation that sees territory with one that does not: what both foretell, and who wins.

    python -m scripts.strength.feature_match reversi breakthrough --learn 4 --seconds 0.02 --openings 6

Both learn from the same games for so many CPU seconds (agent/learning/feature_comparison.py), and then play each other
with moves of equal time: each has as many leaves as it makes in --seconds at the initial state.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ludens.agent.learning.feature_comparison import FeatureComparison
from ludens.agent.learning.features import with_features
from ludens.agent.long_learning.search_match import LimitedSearch
from ludens.agent.search.assembly import new_search
from ludens.games.rules import find_rules
from ludens.native.core import Evaluation, Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.match_runner import in_percent
from scripts.common.tables import parser_of_games, print_table
from scripts.strength.evaluation_match import limited_search, play

_COLUMNS = ("game", "error at a third", "error at the end", "leaves/s", "score with territory")
_FEATURE_SECONDS = 180.0  # for all kinds
_PROBE_SECONDS = 0.5


def compare(name: str, args: argparse.Namespace) -> Sequence[object]:
    """Returns the row of a game. Raises `LudensError` where nobody is first anywhere."""
    found = with_features(load(find_rules(name).sheet()), "all", _FEATURE_SECONDS)
    if found.plain is None:
        raise LudensError(f"{name}: there is no territory")
    games = Game.from_propnet(found.plain), Game.from_propnet(found.net)
    comparison = FeatureComparison(games[1], games[0].feature_bits, args.seed)
    ratios = []
    for share in (1 / 3, 2 / 3):
        end = time.process_time() + share * args.learn
        comparison.learn(lambda end=end: time.process_time() >= end)  # type: ignore[misc]
        ratios.append(comparison.error_ratio() or 0.0)
    plainer, richer = (
        _with_time(
            limited_search(game, Evaluation(comparison.learned(richer=game is games[1]).weights), 1), args.seconds
        )
        for game in games
    )
    scores = play(games[0], richer, plainer, args.openings, args.seed)
    speed = richer.iterations / plainer.iterations
    return (name, *(f"{ratio:.2f}" for ratio in ratios), f"{speed:.2f} ×", in_percent(scores, 1))


def _with_time(player: LimitedSearch, seconds: float) -> LimitedSearch:
    """Returns a player with as many leaves as it makes in so many CPU seconds."""
    search, began = new_search(player.config, 1), time.process_time()
    assert search is not None
    search.set_root()
    search.run(_PROBE_SECONDS)
    rate = search.stats().playouts / (time.process_time() - began)
    return replace(player, iterations=max(1, round(rate * seconds)))


def main(texts: Sequence[str] | None = None) -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--learn", type=arguments.seconds, default=4.0, metavar="S", help="CPU seconds of learning (4)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.02, metavar="S", help="of a move (0.02)")
    parser.add_argument("--openings", type=arguments.count, default=6, metavar="N", help="each for two games (6)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all random choices (1)")
    args = parser.parse_args(texts)

    def rows() -> Iterator[Sequence[object]]:
        for name in args.games:
            yield compare(name, args)

    return print_table(_COLUMNS, rows())


if __name__ == "__main__":
    sys.exit(main())
