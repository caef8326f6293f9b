"""Training of an evaluation of Tak by temporal differences, in a folder from which it goes on whenever it was ended.

What is learned, and how, is described in games/tak/temporal_differences and native/src/tak/td_training.hpp. This is
the loop around it: the points of the curve, checkpoints, and the files of weights.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ludens.agent.tak.training_curve import CurvePoint, picture
from ludens.agent.training.checkpoint import Checkpoint, TrainingError, check_same_options, of_this_version
from ludens.agent.training.curve import to_csv, to_json
from ludens.agent.training.folder import TrainingFolder
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import SUFFIX, TrainedWeights
from ludens.native.core import TakTraining
from ludens.native.core.tak import TrainingStats
from ludens.propnet.base.words import duration

GAME = "tak"
_POINTS = 100  # of the curve
_KEPT = (1, 2, 5, *range(10, 101, 10))  # those of them at which weights are kept
_SLICE = 0.2  # seconds until interrupts are noticed and progress is told
_SPEED_SECONDS = 20.0  # over which the time left is estimated


@dataclass(frozen=True, slots=True)
class TakOptions:
    """What makes a training: the same options always make the same weights."""

    size: int = 5
    games: int = 500_000
    seed: int = 0
    half_komi: int = 0  # in halves of a flat
    side_by_side: int = 16  # games
    random_plies: int = 8  # at most, with which a game begins: at least the first two
    most_plies: int = 200  # of a game; longer ones are ties
    rate: float = 0.005  # of learning in a game,
    end_rate: float = 0.01  # ... and at its end
    trace: float = 0.0  # λ of TD(λ)
    symmetries: int = 1  # images of a state that are learned from: 1 or 8

    def __post_init__(self) -> None:
        """Checks size and komi; raises `TakError`."""
        TakRules(self.size, self.half_komi)


class TakTrainingRun:
    """A training in its folder. Not for several threads; a KeyboardInterrupt leaves it whole."""

    def __init__(self, folder: TrainingFolder, options: TakOptions) -> None:
        """Begins a training; nothing is written yet. Raises `LudensError`."""
        self.options = options
        self._folder, self._rules = folder, TakRules(options.size, options.half_komi)
        network = Network.random(input_count(self._rules), options.seed)
        first = TrainedWeights.of_network(network, self._rules, 0, options.seed)
        self._training = TakTraining(weights=first.weights, **dataclasses.asdict(options))
        self._curve: list[CurvePoint] = []
        self._before = self._training.stats  # at the last point of the curve,
        self._seconds_before = 0.0  # ... and the seconds of training until then
        self._seconds = 0.0

    @classmethod
    def resume(cls, folder: TrainingFolder, given: Mapping[str, Any]) -> TakTrainingRun:
        """Goes on from a checkpoint. Raises `LudensError`, for `given` options that are not its own too."""
        checkpoint = folder.read()
        if checkpoint.game != GAME:
            raise TrainingError(f"{folder.path} has a training of {checkpoint.game}, and not of {GAME}")
        with of_this_version(folder.path):
            options = TakOptions(**checkpoint.options)
        check_same_options(folder.path, "training", dataclasses.asdict(options), given)
        run = cls(folder, options)
        run._restore(checkpoint)
        return run

    @property
    def stats(self) -> TrainingStats:
        """What has been trained."""
        return self._training.stats

    @property
    def seconds(self) -> float:
        """How long that took, in all runs together."""
        return self._seconds

    @property
    def curve(self) -> list[CurvePoint]:
        """The curve so far."""
        return self._curve

    @property
    def weights(self) -> TrainedWeights:
        """The weights so far."""
        return TrainedWeights(self._rules, self.stats.games, self.options.seed, self._training.weights)

    def run(self, threads: int, interval: float, tell: Callable[[str], None]) -> None:
        """Trains to the end, with a checkpoint at once and every `interval` seconds; raises `TrainingError`.

        A KeyboardInterrupt ends it with a checkpoint.
        """
        try:
            self.save()
            self._train(threads, interval, tell)
        finally:
            self.save()

    def save(self) -> None:
        """Writes all files; raises `TrainingError`."""
        progress = {
            "curve": [dataclasses.astuple(point) for point in self._curve],
            "before": dataclasses.astuple(self._before),
            "seconds": self._seconds,
            "seconds_before": self._seconds_before,
        }
        options = dataclasses.asdict(self.options)
        self._folder.write(Checkpoint(GAME, options, progress, self._training.save()))
        self._folder.write_file(f"weights{SUFFIX}", self.weights.to_bytes())
        self._write_curve(options)

    def _write_curve(self, options: Mapping[str, Any]) -> None:
        about = {"game": GAME, "options": options, "seconds": round(self._seconds, 1)}
        self._folder.write_file("curve.json", to_json(self._curve, about).encode())
        self._folder.write_file("curve.csv", to_csv(self._curve, CurvePoint).encode())
        if self._curve:
            title = f"Training of Tak on {self.options.size} × {self.options.size} squares"
            self._folder.write_file("curve.svg", picture(self._curve, title).encode())

    def _restore(self, checkpoint: Checkpoint) -> None:
        self._training.restore(checkpoint.words)
        progress = checkpoint.progress
        with of_this_version(self._folder.path):
            self._curve = [CurvePoint(*point) for point in progress["curve"]]
            self._before = TrainingStats(*progress["before"])
            self._seconds, self._seconds_before = progress["seconds"], progress["seconds_before"]

    def _train(self, threads: int, interval: float, tell: Callable[[str], None]) -> None:
        self._note_point()
        saved = time.monotonic()
        recent = [(self._seconds, self.stats.games)]
        while self.stats.games < self.options.games:
            began = time.monotonic()
            self._training.run(_SLICE, threads, self._next_point)
            self._seconds += time.monotonic() - began
            self._note_point()
            recent = [each for each in recent if each[0] > self._seconds - _SPEED_SECONDS] or recent[-1:]
            recent.append((self._seconds, self.stats.games))
            tell(self._words(recent))
            if time.monotonic() - saved > interval:
                self.save()
                saved = time.monotonic()

    @property
    def _next_point(self) -> int:
        """How many games are over at the next point of the curve."""
        games = self.options.games
        return -(-games * (self._points(self._before.games) + 1) // _POINTS)

    def _points(self, games: int) -> int:
        """Returns how many points of the curve lie within so many games."""
        return games * _POINTS // self.options.games

    def _note_point(self) -> None:
        """Keeps the weights from time to time, and then adds the point of the curve that was reached.

        In this order: a training whose checkpoint has the point has the weights too, however it ended.
        """
        now, before = self.stats, self._before
        games, plies = now.games - before.games, now.plies - before.plies
        if now.games < self._next_point:
            return
        if any(self._points(before.games) < kept <= self._points(now.games) for kept in _KEPT):
            self._folder.write_file(f"weights-{now.games:07}{SUFFIX}", self.weights.to_bytes())
        point = CurvePoint(
            games=now.games,
            plies=plies / games,
            loss=(now.squared_error - before.squared_error) / max(1, plies),
            roads=(now.roads - before.roads) / games,
            flats=(now.flats - before.flats) / games,
            ties=(now.ties - before.ties) / games,
            games_per_second=games / max(self._seconds - self._seconds_before, 1e-9),
        )
        self._curve.append(point)
        self._before, self._seconds_before = now, self._seconds

    def _words(self, recent: list[tuple[float, int]]) -> str:
        """Says how far it is; `recent` are seconds and games, the first and last of which give the speed."""
        now, games = self.stats, self.options.games
        (first, from_games), (last, _) = recent[0], recent[-1]
        speed = (now.games - from_games) / max(last - first, 1e-9)
        words = [f"{now.games:,} of {games:,} games", f"{speed:,.0f} games/s"]
        if self._curve:
            words += [f"loss {self._curve[-1].loss:.4f}", f"{100 * self._curve[-1].roads:.0f} % won by roads"]
        if speed:
            words.append(f"{duration((games - now.games) / speed)} left")
        return ", ".join(words)
