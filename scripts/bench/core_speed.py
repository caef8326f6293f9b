"""How fast recognised games are played by the network and by their game core, in one run, on one thread.

    python -m scripts.bench.core_speed english_draughts tak_4 FOLDER/checkers.kif

The rules are recognised in the sheet. The two take turns with a few thousand random games each; figures are
medians over the rounds, in CPU seconds, since machines are shared.
"""

from __future__ import annotations

import sys
import time
from statistics import median

from ludens.games.registry import recognise
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_GAMES = (2_000, 10_000)  # a turn, of the network and of the core
_RECOGNITION = 30.0  # seconds


def rate(simulator: Simulator, games: int) -> tuple[float, float]:
    """Playouts and state changes a CPU second."""
    start = time.thread_time()
    played = simulator.playouts(games)
    seconds = time.thread_time() - start
    return played.count / seconds, played.state_changes / seconds


def row(name: str, rounds: int) -> list[object]:
    """The cells of a game's row. Raises `NotRecognisedError` if it is none that has a core."""
    net = load(find_rules(name).sheet())
    recognised = recognise(net, _RECOGNITION, games=200)
    if recognised.game is None:
        reasons = "; ".join(f"{game}: {reason}" for game, reason in recognised.refusals.items())
        raise NotRecognisedError(f"{name} is not recognised: {reasons}")
    simulators = Simulator(Game.from_propnet(net)), Simulator(recognised.game.native_game())
    rates = [[rate(s, games) for s, games in zip(simulators, _GAMES, strict=True)] for _ in range(rounds)]
    network, core = ([median(turn[i][kind] for turn in rates) / 1e6 for kind in (0, 1)] for i in (0, 1))
    ratio = median(turn[1][1] / turn[0][1] for turn in rates)
    cells: list[object] = [find_rules(name).name]
    for simulator, (playouts, changes) in zip(simulators, (network, core), strict=True):
        cells += [simulator.instruction_set, f"{playouts:.2f}", f"{changes:.0f}"]
    return [*cells, f"{ratio:.1f}"]


def main() -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--rounds", type=arguments.count, default=15, metavar="N", help="turns of each (15)")
    args = parser.parse_args()
    speeds = "M playouts/s", "M state changes/s"
    columns = "game", "network", *speeds, "core", *speeds, "×"
    return print_table(columns, (row(name, args.rounds) for name in args.games))


if __name__ == "__main__":
    sys.exit(main())
