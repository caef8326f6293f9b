"""Runs a training: options, rounds of learning, measurements on the way, the curve, and checkpoints to go on from.

A folder holds all of a training: `checkpoint` with what was learned, `history.json` with what was measured, and
`curve.svg`. A training that was ended, by Ctrl-C or a power cut, goes on from its checkpoint when it is run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ludens import Batch, Game, LudensError, load
from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.env import Actions, read_opponent
from scripts.common import arguments
from scripts.examples.arena import Score, score

MEASUREMENTS = 10  # on the way; there is one more before learning


class Learner(Protocol):
    """What learns."""

    def learn(self, share: float) -> int:
        """Plays a round and learns from it; `share` of the training is over, 0 to 1. Returns the positions seen."""

    def choose(self, batch: Batch) -> Actions:
        """Returns the best actions that are known, one for each game."""

    def save(self, file: Path) -> None:
        """Writes all that it has learned."""

    def restore(self, file: Path) -> None:
        """Goes on from what `save` wrote."""


@dataclass
class History:
    """How far a training is, and what was measured on the way."""

    game: str
    rounds: int = 0
    positions: int = 0
    seconds: float = 0.0  # of the wall clock, measurements included
    processor_seconds: float = 0.0  # of all threads
    measured: list[dict[str, Any]] = field(default_factory=list)


def read_options(description: str | None, arguments_given: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game or a .kif file; players move by turns")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="of the training; it goes on there")
    parser.add_argument("--minutes", type=arguments.minutes, default=15.0, help="how long, measurements included (15)")
    parser.add_argument("--rounds", type=arguments.count, help="how many rounds of learning, in place of minutes")
    parser.add_argument("--seed", type=arguments.count, default=1, help="of all that is random (1)")
    parser.add_argument("--opponent", default="uct:iterations=1000", help="to measure against, beside random players")
    parser.add_argument("--measure", type=arguments.count, default=60, help="games of a measurement on the way (60)")
    parser.add_argument("--measure-last", type=arguments.count, default=400, help="games of the last one (400)")
    return parser.parse_args(arguments_given)


def run(options: argparse.Namespace, make: Callable[[Game, int], Learner]) -> int:
    """Trains the learner that `make` makes of a game and a seed, and prints its scores; returns the exit status."""
    try:
        game = load(options.game)
        read_opponent(options.opponent, game)
        Training(options, game, make(game, options.seed)).run()
    except LudensError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nEnded early; the same command goes on from {options.out}.", file=sys.stderr)
        return 130
    return 0


class Training:
    """A training in its folder."""

    def __init__(self, options: argparse.Namespace, game: Game, learner: Learner) -> None:
        self._options, self._game, self._learner = options, game, learner
        self._folder: Path = options.out
        self._history = self._restored()
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn(),
            console=self._console,
        )  # fmt: skip
        self._task = self._bar.add_task("learning", total=1.0)
        self._wall, self._processor = time.monotonic(), time.process_time()

    def run(self) -> None:
        """Learns until the time or the rounds are over, measures, and saves."""
        with self._bar:
            if not self._history.measured:
                self._measure(self._options.measure)
            try:
                while (share := self._share()) < 1:
                    self._history.positions += self._learner.learn(share)
                    self._history.rounds += 1
                    self._show(f"learning, {self._history.positions:,} positions")
                    if self._share() * MEASUREMENTS >= len(self._history.measured) and self._share() < 1:
                        self._measure(self._options.measure)
                self._measure(self._options.measure_last)
            finally:
                self._save()
        last = self._history.measured[-1]
        for opponent in ("random", self._options.opponent):
            print(f"against {opponent}: {Score(*last[opponent])}")

    def _share(self) -> float:
        """Returns how much of the training is over, 0 to 1."""
        self._tick()
        rounds: int | None = self._options.rounds
        minutes: float = self._options.minutes
        return min(1.0, self._history.rounds / rounds if rounds else self._history.seconds / (60 * minutes))

    def _tick(self) -> None:
        """Adds the time since the last tick."""
        wall, processor = time.monotonic(), time.process_time()
        self._history.seconds += wall - self._wall
        self._history.processor_seconds += processor - self._processor
        self._wall, self._processor = wall, processor

    def _show(self, text: str) -> None:
        self._bar.update(self._task, completed=self._share(), description=text)

    def _measure(self, games: int) -> None:
        scores = {
            opponent: score(self._game, self._learner.choose, opponent, games, self._options.seed, self._show)
            for opponent in ("random", self._options.opponent)
        }
        self._tick()
        minutes, positions = self._history.seconds / 60, self._history.positions
        self._history.measured.append({"positions": positions, "minutes": minutes, **scores})
        told = ", ".join(f"{result.mean:.0%} against {opponent}" for opponent, result in scores.items())
        self._console.print(f"{minutes:5.1f} min, {positions:,} positions: {told}", highlight=False, soft_wrap=True)
        self._save()

    # ---- Files ----

    def _restored(self) -> History:
        checkpoint, history = self._folder / "checkpoint", self._folder / "history.json"
        if not checkpoint.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            return History(self._game.name)
        found = History(**json.loads(history.read_text("utf-8")))
        if found.game != self._game.name:
            raise LudensError(f"{self._folder} holds a training of {found.game}, not of {self._game.name}")
        self._learner.restore(checkpoint)
        return found

    def _save(self) -> None:
        """Writes everything: each file is whole at any time."""
        self._learner.save(self._folder / "checkpoint.new")
        (self._folder / "checkpoint.new").replace(self._folder / "checkpoint")
        (self._folder / "history.json").write_text(json.dumps(asdict(self._history), indent=1) + "\n", "utf-8")
        (self._folder / "curve.svg").write_text(self._curve(), "utf-8")

    def _curve(self) -> str:
        curves = {
            f"against {opponent}": [
                CurvePoint(point["minutes"], *(100 * share for share in point[opponent][:3]))
                for point in self._history.measured
            ]
            for opponent in ("random", self._options.opponent)
        }
        return curve_chart(f"Score of a learner of {self._game.name}", "minutes", "%", curves)
