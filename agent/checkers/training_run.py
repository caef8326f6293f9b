"""Training of a network of checkers in a folder, from which it goes on whenever it was ended.

The loop around agent/checkers/training.py: checkpoints from time to time and after each epoch, the network as it is
then, and in the end what it knows. Only for import where there is PyTorch.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch

from ludens.agent.checkers.network import values
from ludens.agent.checkers.reader import Examples, read_examples
from ludens.agent.checkers.training import (
    DivergedError,
    Training,
    TrainingOptions,
    TrainingState,
    calibration,
    endgames_for_tests,
    learning_curve,
    test,
)
from ludens.agent.training.checkpoint import Checkpoint, TrainingError, check_same_options, of_this_version
from ludens.agent.training.folder import TrainingFolder
from ludens.games.checkers.kernels.planes import planes
from ludens.games.checkers.networks.network_file import SUFFIX, network_bytes
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.interruptible import running
from ludens.propnet.base.words import duration

GAME = "checkers"
NETWORK = f"checkers{SUFFIX}"
MAY_CHANGE = "step"
"""The option that may be another one when a training goes on: else one that diverges would do so again."""

_LOOK_SECONDS = 0.2  # until interrupts are noticed and progress is told


class CheckersTrainingRun:
    """A training in its folder; a KeyboardInterrupt leaves it whole."""

    def __init__(self, folder: TrainingFolder, data: Path, training: Training) -> None:
        """Begins a training on the examples of `data`; nothing is written yet."""
        self.training, self.seconds = training, 0.0
        self._folder, self._data, self._digest = folder, data, _digest(training.examples)

    @classmethod
    def resume(cls, folder: TrainingFolder, data: Path | None, given: Mapping[str, Any]) -> CheckersTrainingRun:
        """Goes on from a checkpoint, with `data` that were moved if they are named.

        Raises `LudensError`, for `given` options that are not its own too, but for the width of its steps.
        """
        checkpoint = folder.read()
        if checkpoint.game != GAME:
            raise TrainingError(f"{folder.path} has a training of {checkpoint.game}, and not of {GAME}")
        fixed = {name: value for name, value in given.items() if name != MAY_CHANGE}
        with of_this_version(folder.path):
            options, progress = TrainingOptions(**checkpoint.options), checkpoint.progress
            path, digest = Path(progress["data"]), progress["digest"]
        check_same_options(folder.path, "training", asdict(options), fixed)
        path = data or path
        if not path.exists():
            raise TrainingError(f"{path} is gone: if the data were moved, name their new folder as DATA")
        options = replace(options, step=given.get(MAY_CHANGE, options.step))
        run = cls(folder, path, Training(read_examples(path), options))
        if run._digest != digest:
            raise TrainingError(f"{path} has other data than those that the training in {folder.path} began with")
        run._restore(checkpoint)
        return run

    def run(self, threads: int, interval: float, tell: Callable[[str], None]) -> None:
        """Trains to the end, with a checkpoint at once, every `interval` seconds and after each epoch.

        A KeyboardInterrupt ends it with a checkpoint, and a second one at once, with the last one. Raises
        `TrainingError`.
        """
        self.save()
        try:
            self._train_beside(threads, interval, tell)
        except DivergedError as error:
            raise TrainingError(f"{error} with --resume, which goes on from the last checkpoint") from error

    def save(self) -> None:
        """Writes the checkpoint; raises `TrainingError`, or `DivergedError`."""
        self._write(self.training.state())

    def report(self) -> dict[str, float | None]:
        """Writes the network and what it knows in the end, which is returned; raises `LudensError`."""
        training, options = self.training, self.training.options
        tests, network = training.examples[training.unseen], training.network.cpu()
        perfect = endgames_for_tests(options.seed)
        known = {**test(network, tests, perfect), "endgames": len(perfect.words)}
        about = {"options": asdict(options), "positions": len(training.examples)}
        found = about | {"curve": [asdict(each) for each in training.curve]} | known
        self._write_network()
        picture = calibration("Held-out games", values(network, planes(tests.words)), tests.result)
        self._folder.write_file("calibration.svg", picture.encode())
        self._folder.write_file("network.json", (json.dumps(found, indent=2) + "\n").encode())
        return known

    def _restore(self, checkpoint: Checkpoint) -> None:
        progress = checkpoint.progress
        try:
            with of_this_version(self._folder.path):
                numbers = checkpoint.words.view("<f4").astype(np.float32)[: progress["numbers"]]
                state = TrainingState(numbers, progress["made"], progress["error"], progress["curve"])
                self.training.restore(state)
                self.seconds = progress["seconds"]
        except NativeError as error:
            raise TrainingError(f"{self._folder.path}: {error}") from error

    def _train_beside(self, threads: int, interval: float, tell: Callable[[str], None]) -> None:
        """Trains in a thread of its own, and tells how far it is."""
        stopped, ended, began, before = Event(), Event(), time.monotonic(), self.training.positions_done

        def work() -> None:
            self._train(threads, interval, stopped)
            ended.set()

        try:
            with closing(running(work, stopped.set, _LOOK_SECONDS)) as looks:
                for _ in looks:
                    tell(self._words((self.training.positions_done - before) / (time.monotonic() - began)))
        except KeyboardInterrupt:
            if ended.is_set():  # else a second one came in the midst of a step
                self.save()
            raise

    def _train(self, threads: int, interval: float, stopped: Event) -> None:
        """Trains to the end, or to that of the step or epoch in which it is `stopped`."""
        torch.set_num_threads(threads)
        epochs = len(self.training.curve)
        now = saved = time.monotonic()
        for _ in self.training.steps():
            self.seconds, now = self.seconds + time.monotonic() - now, time.monotonic()
            if len(self.training.curve) > epochs:
                self._keep_epoch()
                epochs, saved = len(self.training.curve), time.monotonic()
            elif now - saved > interval and not stopped.is_set():
                self.save()
                saved = time.monotonic()
            if stopped.is_set():
                return

    def _keep_epoch(self) -> None:
        """Writes all files, the checkpoint after the network: where it has the epoch there is the network, too."""
        state = self.training.state()
        self._write_network()
        title = f"Learning {self.training.options.label}"
        self._folder.write_file("curve.svg", learning_curve(title, self.training.curve).encode())
        self._write(state)

    def _write_network(self) -> None:
        self._folder.write_file(NETWORK, network_bytes(self.training.network.whole_numbers()))

    def _write(self, state: TrainingState) -> None:
        progress = {
            "data": str(self._data.absolute()),
            "digest": self._digest,
            "seconds": self.seconds,
            "numbers": len(state.numbers),
            "made": state.made,
            "error": state.error,
            "curve": state.curve,
        }
        words = np.pad(state.numbers, (0, len(state.numbers) % 2)).astype("<f4").view("<u8")
        self._folder.write(Checkpoint(GAME, asdict(self.training.options), progress, words))

    def _words(self, speed: float) -> str:
        """Says how far it is, at so many positions a second."""
        training = self.training
        done, all_, epochs = training.positions_done, training.positions, training.options.epochs
        words = [f"{done:,} of {all_:,} positions", f"{speed:,.0f} positions/s"]
        words.append(f"epoch {min(epochs, len(training.curve) + 1)} of {epochs}")
        words += [epoch.words for epoch in training.curve[-1:]]
        if speed:
            words.append(f"{duration((all_ - done) / speed)} left")
        return ", ".join(words)


def _digest(examples: Examples) -> str:
    """Returns a digest of what data hold, however they are kept.

    Shares of moves are rounded: they come from an exponential function, whose last bit is that of the processor.
    """
    positions = (examples.words, examples.game, examples.result, examples.outcome, examples.value)
    moves = (examples.moves.first, examples.moves.numbers, examples.moves.shares.astype(np.float16))
    digest = hashlib.sha256()
    for array in (*positions, *moves):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
