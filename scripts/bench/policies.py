"""Measures what playout policies cost: gates, seconds to compose them, and random games per CPU second.

    python -m scripts.bench.policies connect_four breakthrough --seconds 0.5

What they gain is for `scripts.strength.match`: `uct:policy=decisive` against `uct`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from ludens.agent.settings.options import UNIFORM
from ludens.games.rules import find_rules
from ludens.native.core import Game, Playouts, Simulator
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.apply import with_policy
from ludens.propnet.policies.table import POLICIES
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table


def rate(net: Propnet, seconds: float) -> tuple[float, Playouts]:
    """Random games per CPU second from the first state, and what they came to."""
    simulator = Simulator(Game.from_propnet(net), seed=1)
    simulator.playouts(simulator.lanes * 8)
    begun = time.process_time()
    result = simulator.playouts(10**12, seconds=seconds)
    return result.count / (time.process_time() - begun), result


def rows(games: Iterable[str], seconds: float) -> Iterator[list[object]]:
    """A row for each game and policy, whose random games are played for so many seconds."""
    for name in games:
        net = load(find_rules(name).sheet())
        uniform = 0.0
        for policy in (UNIFORM, *POLICIES):
            begun = time.process_time()
            try:
                made = net if policy == UNIFORM else with_policy(net, policy)
            except CompositionError as error:
                yield [name, policy, f"refused: {error}", "", "", "", ""]
                continue
            taken = time.process_time() - begun
            speed, result = rate(made, seconds)
            uniform = uniform or speed
            speeds = [f"{speed:,.0f}", f"{speed / uniform:.2f}", f"{result.mean_length:.1f}"]
            yield [name, policy, f"{len(made.gates):,}", f"{taken:.2f}", *speeds]


def main() -> int:
    """Prints a row for each game and policy."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--seconds", type=arguments.seconds, default=0.5, help="to play each policy (0.5)")
    args = parser.parse_args()
    columns = "game", "policy", "gates", "s to compose", "playouts/s", "× uniform", "length"
    return print_table(columns, rows(args.games, args.seconds))


if __name__ == "__main__":
    sys.exit(main())
