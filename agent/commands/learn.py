"""`ludens learn`: learns a game for hours, in a folder from which it goes on, and tells what has been learned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.long_learning import kept
from ludens.agent.long_learning.learned_game import LearnedGame
from ludens.agent.long_learning.learning_run import BEST, LATEST, LearningRun
from ludens.agent.long_learning.options import LearnOptions, read_options
from ludens.agent.settings.options import processors
from ludens.agent.training.checkpoint import Checkpoint, TrainingError, read_checkpoint
from ludens.agent.training.folder import TrainingFolder
from ludens.games.rules import NamedRules
from ludens.propnet.base.words import counted, duration
from ludens.propnet.compile.loader import load

_DEFAULT_FEATURES = "all"


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
    rules = find_rules(game)
    wanted = {**(read_options(config) if config else {}), **given}
    path = out or default_folder(rules)
    with TrainingFolder(path, resume=resume) as folder, progress(f"learning {rules.name}") as tell:
        checkpoint = folder.read() if resume else None
        options = _options_of(checkpoint, wanted, path) if checkpoint else LearnOptions(**wanted)
        learning = _begin(rules, folder, options, checkpoint, threads or processors(), tell)
        try:
            learning.run(seconds)
        except KeyboardInterrupt:
            taken = duration(learning.progress.seconds)
            print(f"ended after {taken}; go on with `ludens learn {game} --resume --out {path}`", file=sys.stderr)
            raise
    _report(learning, path)
    return 0


def status(game: str, out: Path | None, given: Mapping[str, Any]) -> int:
    """Says what is kept of a game, and how far its run has come; raises `LudensError`."""
    rules = find_rules(game)
    found = kept.look(_cache(rules, given))
    if found is None:
        print(f"kept for all players: nothing; `ludens learn {game}` learns it")
    else:
        print(
            f"kept for all players: {counted(found.hidden, 'hidden unit')}, learned in {duration(found.seconds)} "
            f"({counted(found.rounds, 'round')}): {found.path}"
        )
    path = out or default_folder(rules)
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
    rules = find_rules(game)
    kept.export(_cache(rules, given), rules.name, path)
    print(f"the evaluation of {rules.name}: {path}")
    return 0


def take(game: str, path: Path, given: Mapping[str, Any]) -> int:
    """Keeps the evaluation of a file for all players; raises `LudensError`."""
    rules = find_rules(game)
    found = kept.take(rules.sheet(), given.get("features", _DEFAULT_FEATURES), rules.name, path)
    print(f"kept for all players of {rules.name}: what was learned in {duration(found.seconds)}")
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
    rules: NamedRules,
    folder: TrainingFolder,
    options: LearnOptions,
    checkpoint: Checkpoint | None,
    threads: int,
    tell: Callable[[str], None],
) -> LearningRun:
    """Makes the network and finds the features: those of the run, if it has begun, else those of what is kept."""
    sheet = rules.sheet()
    cache = EvaluationCache(sheet, options.features)
    if checkpoint and checkpoint.game != cache.digest:
        raise TrainingError(f"{folder.path} has a run of {checkpoint.progress['name']}, and not of {rules.name}")
    tell("making a network of the rules")
    net = load(sheet)
    known = EvaluationCache(sheet, options.features, path=folder.path / LATEST) if checkpoint else cache
    game = LearnedGame.of(rules.name, sheet, net, options.features, options.seed, tell, known)
    learning = LearningRun(folder, game, options, cache, threads, tell)
    if checkpoint:
        learning.restore(checkpoint)
    return learning


def _cache(rules: NamedRules, given: Mapping[str, Any]) -> EvaluationCache:
    return EvaluationCache(rules.sheet(), given.get("features", _DEFAULT_FEATURES))


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
