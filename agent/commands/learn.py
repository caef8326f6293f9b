"""`ludens learn`: learns a game for hours, in a folder from which it goes on, and tells what has been learned."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ludens.agent.cluster.connection import connected
from ludens.agent.cluster.errors import ClusterError
from ludens.agent.commands.progress import progress
from ludens.agent.long_learning import kept
from ludens.agent.long_learning.approximation import check_installed
from ludens.agent.long_learning.cluster_play import ClusterPlay
from ludens.agent.long_learning.curve import LearnPoint
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.long_learning.learning_run import BEST, KIND, LearningRun, Reached
from ludens.agent.long_learning.options import RATES, LearnOptions, options_of, read_options, usual
from ludens.agent.settings.processors import processors
from ludens.agent.training.checkpoint import (
    Checkpoint,
    TrainingError,
    check_same_options,
    other_options,
    read_checkpoint,
)
from ludens.agent.training.folder import CHECKPOINT, TrainingFolder
from ludens.games.rules import find_rules
from ludens.propnet.base.child import Limits
from ludens.propnet.base.words import counted, duration, duration_of_threads


@dataclass(frozen=True, slots=True)
class WantedGame:
    """A game that the user names, and how it is learned."""

    name: str
    config: Path | None  # a file of options,
    given: Mapping[str, Any]  # ... and those given beside it
    limits: Limits  # of making a network of the rules

    def options(self) -> dict[str, Any]:
        """Returns the options that the file sets, or the command line, which has the last word.

        Raises `TrainingError`.
        """
        return read_options(self.config, self.given) if self.config else dict(self.given)

    def known(self, features: str) -> KnownGame:
        """Makes the game as its players meet it. Raises `LudensError`."""
        rules = find_rules(self.name)
        with progress(f"reading {rules.name}") as tell:
            return KnownGame.of(rules.name, rules.sheet(), features, tell, self.limits)

    def folder(self) -> Path:
        """Returns the folder of its run where the user names none."""
        return Path(f"{find_rules(self.name).name}-learning")


@dataclass(frozen=True, slots=True)
class LearnRequest:
    """A run that the user wants to begin, or to go on with."""

    game: WantedGame
    out: Path | None  # its folder
    seconds: float  # that it takes in all
    resume: bool
    threads: int  # 0 for one on each processor

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.out or self.game.folder()


def run(request: LearnRequest, cluster: str | None) -> int:
    """Learns until the run has taken its time; `cluster` is the address of one that plays.

    Raises `LudensError`, or `KeyboardInterrupt`.
    """
    with connected(cluster) as ray:
        if request.resume:
            _go_on(request, ray)
        else:
            _begin(request, ray)
    return 0


def _begin(request: LearnRequest, ray: Any) -> None:
    """Begins a run, in a folder that is made once its options and its game are known to be right."""
    wanted = request.game.options()
    options = LearnOptions(**{**usual(str(wanted.get("features"))), **wanted})
    check_installed(options.features)
    known = request.game.known(options.features)
    known.check_new()
    with TrainingFolder(request.folder, resume=False) as folder:
        _learn(request, known, folder, options, None, ray)


def _go_on(request: LearnRequest, ray: Any) -> None:
    """Goes on with the run of a folder."""
    wanted = request.game.options()
    with TrainingFolder(request.folder, resume=True) as folder:
        checkpoint = folder.read()
        options = _with_rates(_resumed_options(checkpoint, wanted, folder.path), wanted)
        check_installed(options.features)
        known = request.game.known(options.features)
        reached = _reached(checkpoint, known, folder.path)
        known = known.for_goals(relative=reached.relative)
        _learn(request, known, folder, options, checkpoint, ray)


def _learn(
    request: LearnRequest,
    known: KnownGame,
    folder: TrainingFolder,
    options: LearnOptions,
    checkpoint: Checkpoint | None,
    ray: Any,
) -> None:
    """Learns, from a checkpoint on or anew, and says what came of it or how to go on. Has `ray` play if it is one."""
    with progress(f"reading {known.name}") as tell:
        tell("looking for independent parts")
        parts = known.parts()
    if parts:
        _say(
            f"auto plays {known.name} {parts}: what is learned of the whole is used by guided alone, and by players "
            "with factored=off"
        )
    with progress(f"learning {known.name}") as tell:
        seen = known.kept.features_named(Reached.of(checkpoint, folder.path).names) if checkpoint else None
        game = LearnedGame.of(known, options.seed, tell, seen)
        elsewhere = ClusterPlay(ray, game.source, _say) if ray else None
        learning = LearningRun(folder, game, options, request.threads or processors(), tell, elsewhere)
        if checkpoint:
            learning.restore(checkpoint)
        try:
            learning.run(request.seconds)
        except (KeyboardInterrupt, ClusterError):
            if learning.rounds:
                taken = duration(learning.progress.seconds)
                print(f"ended after {taken}; go on by the same with --resume --out {folder.path}", file=sys.stderr)
            raise
    _report(learning, folder.path)


def status(game: WantedGame, out: Path | None) -> int:
    """Says what is kept of a game, and how far its run has come; raises `LudensError`.

    Where the user names no folder, the usual one may have another run.
    """
    path, wanted = out or game.folder(), game.options()
    checkpoint, options = None, None
    with _told_only(out is None):
        checkpoint = read_checkpoint(path / CHECKPOINT) if out or (path / CHECKPOINT).exists() else None
        options = _told_options(checkpoint, wanted, path) if checkpoint else None
    known = game.known((options or LearnOptions(**wanted)).features)
    print(f"kept for players of {known.name} with the features {known.features}: {_kept(known)}")
    if checkpoint and options:
        with _told_only(out is None):
            reached = _reached(checkpoint, known, path)
            print(f"run in {path}: {duration(reached.progress.seconds)}, {counted(reached.rounds, 'round')}")
            for point in reached.progress.curve:
                print(_point(point, reached.progress.reference))
    return 0


@contextmanager
def _told_only(only: bool) -> Iterator[None]:
    """Says what is wrong with a run, where that is all that is to be done about it, in place of a `TrainingError`."""
    try:
        yield
    except TrainingError as error:
        if not only:
            raise
        _say(str(error))


def _kept(known: KnownGame) -> str:
    """Says what is kept of a game."""
    if fault := kept.fault(known):
        return f"nothing that can be used: {known.kept.path}: {fault}"
    found = kept.look(known.kept)
    if found is None:
        return "nothing"
    learned = f"learned in {duration_of_threads(found.seconds)} ({counted(found.rounds, 'round')})"
    return f"{found.size}, {learned}: {found.path}"


def export(game: WantedGame, path: Path) -> int:
    """Writes what is kept of a game to a file; raises `LudensError`."""
    known = game.known(LearnOptions(**game.options()).features)
    kept.export(known, path)
    print(f"the evaluation of {known.name}: {path}")
    return 0


def take(game: WantedGame, path: Path) -> int:
    """Keeps the evaluation of a file for all players; raises `LudensError`."""
    known = game.known(LearnOptions(**game.options()).features)
    with progress(f"reading {path}") as tell:
        found = kept.take(known, path, tell)
    print(f"kept for all players of {known.name}: what was learned in {duration_of_threads(found.seconds)}")
    return 0


def _resumed_options(checkpoint: Checkpoint, wanted: Mapping[str, Any], path: Path) -> LearnOptions:
    """Returns the options of a run that goes on; raises `TrainingError` where it is none, or one with others.

    But for rates, which may be others.
    """
    options = _options(checkpoint, path)
    fixed = {name: value for name, value in wanted.items() if name not in RATES}
    check_same_options(path, "run", asdict(options), fixed)
    return options


def _told_options(checkpoint: Checkpoint, wanted: Mapping[str, Any], path: Path) -> LearnOptions:
    """Returns the options of a run of which is told; raises `TrainingError` where it is none, or one with others."""
    options = _options(checkpoint, path)
    if other := other_options(path, "run", asdict(options), wanted):
        raise TrainingError(other)
    return options


def _options(checkpoint: Checkpoint, path: Path) -> LearnOptions:
    """Returns the options of a run; raises `TrainingError` where it is none."""
    if checkpoint.progress.get("kind") != KIND:
        raise TrainingError(f"{path} has a training of {checkpoint.game}, and no run of `ludens learn`")
    return options_of(checkpoint.options, path)


def _with_rates(options: LearnOptions, wanted: Mapping[str, Any]) -> LearnOptions:
    """Returns the options with the rates of learning that are wanted, and says which are others than before."""
    rates = {name: wanted[name] for name in RATES if wanted.get(name, getattr(options, name)) != getattr(options, name)}
    for name, value in rates.items():
        _say(f"goes on with {name.replace('_', ' ')} {value}, and no longer {getattr(options, name)}")
    return replace(options, **rates)


def _reached(checkpoint: Checkpoint, known: KnownGame, path: Path) -> Reached:
    """Returns how far the run in a folder has come; raises `TrainingError` where it is one of another game."""
    reached = Reached.of(checkpoint, path)
    if checkpoint.game != known.kept.digest:
        raise TrainingError(f"{path} has a run of {reached.name}, and not of {known.name}")
    return reached


def _say(news: str) -> None:
    print(f"! {news}", file=sys.stderr)


def _report(learning: LearningRun, path: Path) -> None:
    """Says what came of it."""
    done, point = learning.progress, learning.progress.curve[-1]
    kept_at = f": {path / BEST}" if (path / BEST).exists() else ""
    print(
        f"{counted(done.totals.positions, 'position')} of self-play in {duration(done.seconds)}; the best evaluation "
        f"scores {100 * point.against_uct:.0f} % against UCT and {100 * point.against_reference:.0f} % against "
        f"{done.reference}{kept_at}"
    )
    if learning.not_kept:
        _say(f"not kept for other players: {learning.not_kept}")
    elif (seen := learning.options.features) != "all":
        print(f"players with features={seen} use it")


def _point(point: LearnPoint, reference: str) -> str:
    """Says what a match with the best evaluation before has shown."""
    verdict = "new best" if point.better else "no better"
    score = f"{_percent(point.score, point.score_within)} of {point.games} games" if point.games else "the first one"
    return (
        f"  {point.minutes:6.1f} min  {point.positions:>13,} positions  {verdict:9}  {score:23}  "
        f"{_percent(point.against_uct, point.against_uct_within)} against UCT  "
        f"{_percent(point.against_reference, point.against_reference_within)} against {reference}"
    )


def _percent(score: float, within: float) -> str:
    """Says a score, with its interval at 95 % if that is known."""
    return f"{100 * score:3.0f} {f'± {100 * within:.0f} ' if within < 1 else ''}%"
