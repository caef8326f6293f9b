"""Random checkers games a second: the kernel (on the GPU if there is one), the native bitboards, the network.

    python -m scripts.bench.checkers_playouts --seconds 2

English draughts, one jump a ply. On the processor rates are per CPU second of one thread; on a GPU per second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.kernels.playouts import CheckersPlayouts
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Reference
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import print_table

RULES = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
_FIRST = 1_000  # games with which a measurement begins


def main() -> int:
    """Prints a row for each way to play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="of each measurement (2)")
    seconds = parser.parse_args().seconds
    start = Positions.of([Reference(RULES).initial()])
    kernel = CheckersPlayouts(RULES)
    bitboards = Simulator(native_game(RULES), seed=1)
    network = Simulator(Game.from_propnet(load(find_rules("english_draughts").sheet())), seed=1)
    device, clock = ("GPU", time.monotonic) if kernel.gpu else ("processor", time.process_time)
    players: list[tuple[str, Callable[[], float], Callable[[int], tuple[int, int]]]] = [
        (f"the kernel, {device}", clock, lambda n: (n, kernel.play(start, n, seed=1).moves)),
        ("native bitboards", time.process_time, _plays(bitboards)),
        ("network", time.process_time, _plays(network)),
    ]
    columns = "played by", "games/s", "M moves/s", "moves a game"
    return print_table(columns, (_row(name, seconds, clock, play) for name, clock, play in players))


def _plays(simulator: Simulator) -> Callable[[int], tuple[int, int]]:
    return lambda games: (games, simulator.playouts(games).state_changes)


def _row(name: str, seconds: float, clock: Callable[[], float], play: Callable[[int], tuple[int, int]]) -> list[str]:
    """The cells of a row: random games are played until they take half of `seconds`."""
    games = _FIRST
    play(games)  # compiles
    while True:
        began = clock()
        played, moves = play(games)
        elapsed = clock() - began
        if elapsed > seconds / 2:
            break
        games *= 2
    return [name, f"{played / elapsed:,.0f}", f"{moves / elapsed / 1e6:.1f}", f"{moves / played:.1f}"]


if __name__ == "__main__":
    sys.exit(main())
