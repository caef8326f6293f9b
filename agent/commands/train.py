"""`ludens train`: trains the evaluation of a game, in a folder from which it goes on whenever it was ended."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludens.agent.commands.progress import progress
from ludens.agent.settings.processors import processors
from ludens.agent.tak.training import GAME, TakOptions, TakTrainingRun
from ludens.agent.training.folder import TrainingFolder
from ludens.propnet.base.words import counted


def run(out: Path | None, given: Mapping[str, Any], *, resume: bool, threads: int, interval: float) -> int:
    """Trains to the end with `threads` threads (0: one on each processor).

    `given` are the options of the training that the user gave. Raises `LudensError`, or `KeyboardInterrupt`.
    """
    options = TakOptions(**given)
    path = out or Path(f"{GAME}-{options.size}")
    with TrainingFolder(path, resume=resume) as folder:
        training = TakTrainingRun.resume(folder, given) if resume else TakTrainingRun(folder, options)
        try:
            with progress(f"training {GAME}") as tell:
                training.run(threads or processors(), interval, tell)
        except KeyboardInterrupt:
            print(
                f"{training.stats.games:,} of {training.options.games:,} games are trained; go on with "
                f"`ludens train {GAME} --resume --out {path}`",
                file=sys.stderr,
            )
            raise
    print(f"{counted(training.stats.games, 'game')} in {training.seconds:.1f} s: {path / 'weights.td'}")
    return 0
