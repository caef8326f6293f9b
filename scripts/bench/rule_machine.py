"""Measures what networks gain over the machine that interprets rules: how long they take, and how fast they play.

    python -m scripts.bench.rule_machine checkers.kif chess.kif

Loading is parsing, grounding and all passes, in a process of its own: seconds of the processor, and the most memory
that any child process has held so far. Random games are counted in state changes for a second of the processor, one
thread, as games on both machines are of the same length. A network is measured with all numbers of games side by side,
as what is fastest depends on its size.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable, Iterator

from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

LANES = (64, 128, 256, 512)  # games side by side
_WALL_SECONDS = 3600.0  # for a network: a busy machine must not refuse it


def loaded(sheet: RuleSheet) -> tuple[Propnet, float, float]:
    """The network, the CPU seconds that it took, and the most memory of a child process so far, in MB."""
    before = _child_seconds()
    net = load(sheet, Limits(seconds=_WALL_SECONDS))
    return net, _child_seconds() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def rate(game: Game, lanes: int, seconds: float) -> float:
    """State changes of random games in a CPU second; a first game is not counted."""
    simulator = Simulator(game, lanes, seed=1)
    simulator.playouts(1)
    begun = time.process_time()
    result = simulator.playouts(1 << 40, seconds=seconds)
    return result.state_changes / (time.process_time() - begun)


def rows(games: Iterable[str], seconds: float) -> Iterator[list[object]]:
    """A row for each game and number of lanes."""
    for name in games:
        rules = find_rules(name)
        sheet = rules.sheet()
        interpreted = rate(Game.from_rules(compile_program(sheet)), 0, seconds)
        net, taken, megabytes = loaded(sheet)
        game = Game.from_propnet(net)
        made = [rules.name, f"{taken:.1f}", f"{megabytes:,.0f}", f"{len(net.gates):,}", f"{interpreted:,.0f}"]
        for lanes in LANES:
            speed = rate(game, lanes, seconds)
            yield [*made, lanes, f"{speed:,.0f}", f"{speed / interpreted:.0f}"]


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Prints a row for each game and number of games side by side."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--seconds", type=arguments.seconds, default=5.0, help="of each run of random games (5)")
    args = parser.parse_args()
    columns = "game", "s to load", "MB", "gates", "interpreted/s", "lanes", "state changes/s", "× interpreted"
    return print_table(columns, rows(args.games, args.seconds))


if __name__ == "__main__":
    sys.exit(main())
