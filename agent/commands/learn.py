"""`ludens learn`: learns a game for hours, in a folder from which it goes on, and tells what has been learned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.agent.long_learning import kept
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.long_learning.learning_run import BEST, LATEST, LearningRun
from ludens.agent.long_learning.options import LearnOptions, read_options
from ludens.agent.settings.options import processors
from ludens.agent.training.checkpoint import Checkpoint, TrainingError, read_checkpoint
from ludens.agent.training.folder import TrainingFolder
from ludens.games.rules import NamedRules
from ludens.propnet.base.words import counted, duration


def run(
    game: str,
    out: Path | None,
    config: Path | None,
    given: Mapping[str, Any],
    *,
    seconds: float,
    resume: bool,
    threads: int,
) -> int:
    """Learns until the run has taken so many seconds, by the options of a file and those given beside it.

    `threads`: 0 for one on each processor. Raises `LudensError`, or `KeyboardInterrupt`.
    """
    wanted = {**(read_options(config) if config else {}), **given}
    path = out or default_folder(find_rules(game))
    with TrainingFolder(path, resume=resume) as folder:
        checkpoint = folder.read() if resume else None
        options = _options_of(checkpoint, wanted, path) if checkpoint else LearnOptions(**wanted)
        known = _known(game, {"features": options.features})
        _learn(known, folder, options, checkpoint, seconds, threads or processors())
    return 0


def _learn(
    known: KnownGame,
    folder: TrainingFolder,
    options: LearnOptions,
    checkpoint: Checkpoint | None,
    seconds: float,
    threads: int,
) -> None:
    """Learns, and says what came of it or how to go on."""
    with progress(f"learning {known.name}") as tell:
        learning = _begin(known, folder, options, checkpoint, threads, tell)
        try:
            learning.run(seconds)
        except KeyboardInterrupt:
            taken = duration(learning.progress.seconds)
            print(f"ended after {taken}; the same command goes on with --resume --out {folder.path}", file=sys.stderr)
            raise
    _report(learning, folder.path)


def status(game: str, out: Path | None, given: Mapping[str, Any]) -> int:
    """Says what is kept of a game, and how far its run has come; raises `LudensError`."""
    found, path = kept.look(_known(game, given).kept), out or default_folder(find_rules(game))
    if found is None:
        print(f"kept for all players: nothing; `ludens learn {game}` learns it")
    else:
        print(
            f"kept for all players: {counted(found.hidden, 'hidden unit')}, learned in {duration(found.seconds)} "
            f"({counted(found.rounds, 'round')}): {found.path}"
        )
    if (path / "checkpoint").exists():
        known = read_checkpoint(path / "checkpoint").progress
        print(f"run in {path}: {duration(known['progress']['seconds'])}, {counted(known['shape']['rounds'], 'round')}")
        for point in known["progress"]["curve"]:
            print(_point(point))
    elif out is not None:
        raise TrainingError(f"{path} has no run")
    return 0


def export(game: str, path: Path, given: Mapping[str, Any]) -> int:
    """Writes what is kept of a game to a file; raises `LudensError`."""
    known = _known(game, given)
    kept.export(known.kept, known.name, path)
    print(f"the evaluation of {known.name}: {path}")
    return 0


def take(game: str, path: Path, given: Mapping[str, Any]) -> int:
    """Keeps the evaluation of a file for all players; raises `LudensError`."""
    known = _known(game, given)
    found = kept.take(known.kept, known.name, path)
    print(f"kept for all players of {known.name}: what was learned in {duration(found.seconds)}")
    return 0


def default_folder(rules: NamedRules) -> Path:
    """Returns the folder of a game's run where the user names none."""
    return Path(f"{rules.name}-learning")


def _options_of(checkpoint: Checkpoint, wanted: Mapping[str, Any], path: Path) -> LearnOptions:
    """Returns the options of a run; raises `TrainingError` where others are wanted."""
    for name, value in wanted.items():
        if checkpoint.options.get(name) != value:
            raise TrainingError(
                f"{path} has a run with {name.replace('_', ' ')} {checkpoint.options.get(name)}, and not {value}: "
                "leave the option out to go on with it, or begin another one with --out"
            )
    return LearnOptions(**checkpoint.options)


def _begin(
    known: KnownGame,
    folder: TrainingFolder,
    options: LearnOptions,
    checkpoint: Checkpoint | None,
    threads: int,
    tell: Callable[[str], None],
) -> LearningRun:
    """Finds what evaluations see: as those of the run do, if it has begun, else as that which is kept does."""
    if checkpoint and checkpoint.game != known.kept.digest:
        raise TrainingError(f"{folder.path} has a run of {checkpoint.progress['name']}, and not of {known.name}")
    seen = known.kept.at(folder.path / LATEST) if checkpoint else known.kept
    learning = LearningRun(folder, LearnedGame.of(known, options.seed, tell, seen), options, threads, tell)
    if checkpoint:
        learning.restore(checkpoint)
    return learning


def _known(game: str, given: Mapping[str, Any]) -> KnownGame:
    """Returns a game that the user names."""
    rules = find_rules(game)
    with progress(f"reading {rules.name}") as tell:
        return KnownGame.of(rules.name, rules.sheet(), given.get("features", LearnOptions().features), tell)


def _report(learning: LearningRun, path: Path) -> None:
    """Says what came of it."""
    done, point = learning.progress, learning.progress.curve[-1]
    print(
        f"{counted(done.totals.positions, 'position')} of self-play in {duration(done.seconds)}; the best evaluation "
        f"scores {100 * point.against_uct:.0f} % against UCT and {100 * point.against_first:.0f} % against the first "
        f"one: {path / BEST}"
    )


def _point(point: Mapping[str, Any]) -> str:
    """Says what a match with the best evaluation before has shown."""
    verdict = "new best" if point["better"] else "no better"
    return (
        f"  {point['minutes']:6.1f} min  {point['positions']:>13,} positions  {verdict:9}  "
        f"{100 * point['score']:3.0f} % of {point['games']} games  {100 * point['against_uct']:3.0f} % against UCT"
    )
