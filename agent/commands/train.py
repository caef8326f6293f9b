"""`ludens train`: trains the evaluation of a game, in a folder from which it goes on whenever it was ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.agent.commands.progress import progress
from ludens.agent.settings.processors import processors
from ludens.agent.tak.training import TakOptions, TakTrainingRun
from ludens.agent.training.folder import TrainingFolder
from ludens.agent.training.pytorch import check_pytorch
from ludens.propnet.base.words import counted, duration


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """A training that the user wants to begin, or to go on with."""

    out: Path | None  # its folder
    given: Mapping[str, Any]  # the options of the training that the user gave
    resume: bool
    threads: int  # 0 for one on each processor
    interval: float  # seconds between checkpoints


def train_tak(request: TrainRequest) -> int:
    """Trains an evaluation of Tak to the end; raises `LudensError`, or `KeyboardInterrupt`."""
    options = TakOptions(**request.given)
    path = request.out or Path(f"tak-{options.size}")
    with TrainingFolder(path, resume=request.resume) as folder:
        run = TakTrainingRun.resume(folder, request.given) if request.resume else TakTrainingRun(folder, options)
        with _told(lambda: f"{run.stats.games:,} of {run.options.games:,} games", "tak", path) as tell:
            run.run(request.threads or processors(), request.interval, tell)
    print(f"{counted(run.stats.games, 'game')} in {run.seconds:.1f} s: {path / 'weights.td'}")
    return 0


def train_checkers(request: TrainRequest, data: Path | None) -> int:
    """Trains a network of checkers on data, which one that goes on knows, and shows what it knows in the end.

    Raises `LudensError`, or `KeyboardInterrupt`.
    """
    check_pytorch("training a network of checkers")
    from ludens.agent.checkers.reader import read_examples
    from ludens.agent.checkers.training import Training, TrainingOptions, in_percent
    from ludens.agent.checkers.training_run import NETWORK, CheckersTrainingRun

    path = request.out or Path("checkers-network")
    with ExitStack() as opened:
        if request.resume:
            folder = opened.enter_context(TrainingFolder(path, resume=True))
            with progress("reading data"):
                run = CheckersTrainingRun.resume(folder, data, request.given)
        else:
            assert data is not None
            with progress(f"reading {data}"):
                training = Training(read_examples(data), TrainingOptions(**request.given))
            folder = opened.enter_context(TrainingFolder(path, resume=False))
            run = CheckersTrainingRun(folder, data, training)
        made = run.training
        with _told(lambda: f"{made.positions_done:,} of {made.positions:,} positions", "checkers", path) as tell:
            run.run(request.threads or processors(), request.interval, tell)
            known = run.report()
    print(
        f"{known['held_out']:,} held-out positions: error of results {known['error_of_results']:.3f}, best moves "
        f"{in_percent(known['best_moves'])}; {known['endgames']:,} endgames: error {known['error_of_endgames']:.3f}, "
        f"winners {in_percent(known['winners_of_endgames'])}; trained in {duration(run.seconds)}: {path / NETWORK}"
    )
    return 0


@contextmanager
def _told(done: Callable[[], str], game: str, path: Path) -> Iterator[Callable[[str], None]]:
    """Shows how far a training is, and says how to go on with it, and what was `done`, when it is interrupted."""
    try:
        with progress(f"training {game}") as tell:
            yield tell
    except KeyboardInterrupt:
        print(f"{done()} are trained; go on with `ludens train {game} --resume --out {path}`", file=sys.stderr)
        raise
