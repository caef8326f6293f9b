"""Measures what takes time in a start clock besides learning and trial games, in CPU seconds on one thread.

    python -m scripts.bench.preparation amazons reversi mini_chess gomoku --startclock 10
    ../before/.venv/bin/python -m scripts.bench.preparation amazons reversi mini_chess gomoku --startclock 10

Limits of time are a player's, by the clock on the wall, so measure on an idle core. With the interpreter of another
checkout, as in the second line, it measures that one. *gates* are those of the network that an evaluation sees; *sees*
are its kinds of features, and those in brackets are left out for want of time.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ludens.agent.learning.features import feature_seconds, with_features
from ludens.agent.search.decomposition import factors_of
from ludens.agent.settings.strategies import AUTO
from ludens.agent.variants.early_wins import early_wins
from ludens.agent.variants.policy_networks import CAPTURES, START_SECONDS, playable
from ludens.games.rules import find_rules
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.apply import with_policy
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_COLUMNS = ("game", "factors", "policy", "features", "wins", "symmetries", "captures", "all", "gates", "sees")

_Result = TypeVar("_Result")


class _Stopwatch:
    """The CPU seconds of one stage after another."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def time(self, stage: Callable[[], _Result]) -> _Result:
        began = time.process_time()
        try:
            return stage()
        finally:
            self.seconds.append(time.process_time() - began)


def row(name: str, start_clock: float) -> list[object]:
    """The cells of a game's row."""
    rules = find_rules(name)
    net, watch = load(rules.sheet()), _Stopwatch()
    watch.time(lambda: factors_of(net, start_clock))
    played, _ = watch.time(lambda: playable(net, AUTO, lambda _text: None))
    left = start_clock - sum(watch.seconds)
    found = watch.time(lambda: with_features(net, "all", feature_seconds(left)))
    watch.time(lambda: early_wins(found.net, lambda _text: None))
    watch.time(lambda: symmetries(found.net))
    watch.time(lambda: _with_captures(played))
    kinds = sorted({feature.what.split()[0] for feature in found.net.feature_names})
    sees = ", ".join([*kinds, *(f"({kind})" for kind in sorted(found.timed_out))])
    seconds = [f"{each:.2f}" for each in (*watch.seconds, sum(watch.seconds))]
    return [rules.name, *seconds, f"{len(found.net.gates):,}", sees]


def _with_captures(net: Propnet) -> None:
    with contextlib.suppress(CompositionError):
        with_policy(net, CAPTURES, seconds=START_SECONDS)


def rows(games: Iterable[str], start_clock: float) -> Iterator[list[object]]:
    """A row for each game."""
    return (row(name, start_clock) for name in games)


def main(given: list[str] | None = None) -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--startclock", type=arguments.seconds, default=10.0, metavar="S", help="(10)")
    args = parser.parse_args(given)
    return print_table(_COLUMNS, rows(args.games, args.startclock))


if __name__ == "__main__":
    sys.exit(main())
