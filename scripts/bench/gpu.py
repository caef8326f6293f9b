"""Measures a GPU beside one core of the processor: random games a second, and how long a batch takes.

    python -m scripts.bench.gpu [--games connect_four hex] [--seconds 2] [--json FILE]

Networks are played by the kernels of native/cuda and by the native simulator, English draughts also by its own kernel
and the native bitboards. The GPU is measured by the clock, the processor by the CPU time of one thread. *Batch* is the
time in which 32 games from each of 512 states come back, as a search waits for them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.kernels.playouts import CheckersKernel, CheckersPlayouts
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Reference
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.native.cuda.device import available, cuda
from ludens.native.cuda.network import CudaSimulator, NetworkKernel
from ludens.native.kernels.kernel_search import Kernel
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from scripts.common import arguments
from scripts.common.tables import print_table

GAMES = ("connect_four", "breakthrough", "reversi", "hex", "gomoku", "amazons", "english_draughts")
RULES = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)  # of the sheet english_draughts
_STATES, _EACH = 512, 32  # of a batch
_FIRST = 64  # games with which a measurement begins


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a game."""

    game: str
    played: str  # "network", or by which core of the game
    gpu: float  # games a second
    core: float  # games a second of CPU time, of one thread
    batch_ms: float

    @property
    def ratio(self) -> float:
        """How many cores the GPU is worth."""
        return self.gpu / self.core


def main() -> int:
    """Measures, shows a table, and writes what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="of each measurement (2)")
    parser.add_argument("--json", type=Path, help="write what was measured here")
    options = parser.parse_args()
    found: list[Measured] = []

    def rows() -> Any:
        if not available():
            raise LudensError("numba finds no GPU that it can use: pip install 'ludens[gpu]', and a driver")
        for game in options.games:
            for measured in _measure(game, options.seconds):
                found.append(measured)
                yield (
                    game,
                    measured.played,
                    f"{measured.gpu:,.0f}",
                    f"{measured.core:,.0f}",
                    f"{measured.ratio:.1f}",
                    f"{measured.batch_ms:.2f}",
                )

    status = print_table(("game", "played by", "GPU, games/s", "one core, games/s", "ratio", "batch, ms"), rows())
    if options.json and not status:
        data = {"device": _device(), "numba": version("numba"), "measured": [asdict(each) for each in found]}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return status


def _measure(name: str, seconds: float) -> list[Measured]:
    net = load(parse_rules(find_rules(name).text))
    game = Game.from_propnet(net)
    gpu, core = CudaSimulator(net, seed=1), Simulator(game, seed=1)
    found = [
        Measured(
            name,
            "network",
            _rate(gpu.playouts, seconds, time.monotonic),
            _rate(core.playouts, seconds, time.process_time),
            _batch(NetworkKernel(net), game),
        )
    ]
    if name == "english_draughts":
        found.append(_checkers(name, seconds))
    return found


def _checkers(name: str, seconds: float) -> Measured:
    start = Positions.of([Reference(RULES).initial()])
    gpu, game = CheckersPlayouts(RULES, gpu=True), native_game(RULES)
    core = Simulator(game, seed=1)
    return Measured(
        name,
        "bitboards",
        _rate(lambda n: gpu.play(start, n, seed=1), seconds, time.monotonic),
        _rate(core.playouts, seconds, time.process_time),
        _batch(CheckersKernel(RULES, gpu=True), game),
    )


def _rate(play: Callable[[int], object], seconds: float, clock: Callable[[], float]) -> float:
    """Returns the games a second by a clock: twice as many are played until they take half of the time."""
    games = _FIRST
    play(games)  # compiles
    while True:
        began = clock()
        play(games)
        elapsed = clock() - began
        if elapsed > seconds / 2:
            return games / elapsed
        games *= 2


def _batch(kernel: Kernel, game: Game) -> float:
    states = np.tile(game.initial, (_STATES, 1))
    kernel.play(states, _EACH, 1)  # compiles
    began = time.monotonic()
    kernel.play(states, _EACH, 2)
    return 1000 * (time.monotonic() - began)


def _device() -> str:
    name = getattr(cuda().get_current_device(), "name", "a simulated GPU")
    return name.decode() if isinstance(name, bytes) else str(name)


if __name__ == "__main__":
    sys.exit(main())
