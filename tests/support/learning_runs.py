"""Long runs of learning that end soon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.long_learning.learning_run import LearningRun
from ludens.agent.long_learning.options import LearnOptions, as_toml
from ludens.agent.preparation import prepare
from ludens.agent.preparation.ratings import Ratings, StrengthPrior
from ludens.agent.preparation.trial import Candidate
from ludens.agent.training.folder import TrainingFolder
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from tests.support.command import status

GAME = "breakthrough_small"
SMALL = LearnOptions(
    hidden=6,
    features="state",
    random_games=2000,
    round_states=20_000,
    searched_after=5,
    searched_leaves=8,
    searched_visits=2,
    searched_states=20_000,
    first_gate=3,
    gate_games=4,
    gate_leaves=8,
    rated_games=2,
    rated_seconds=0.001,
    reference_seconds=0.05,
)
SECONDS = 0.0003 * 3600


def write_config(path: Path, options: LearnOptions) -> None:
    """Writes a file of options, as `ludens learn` takes it."""
    path.write_text(as_toml({name: getattr(options, name) for name in LearnOptions.__dataclass_fields__}))


def learn(config: Path, *more: str) -> int:
    """Runs `ludens learn` for a moment on one thread, and returns its exit status."""
    return status("learn", GAME, "--config", str(config), "--threads", "1", "--hours", str(SECONDS / 3600), *more)


def silent(_text: str) -> None:
    """Hears how far a run is."""


def sheet() -> RuleSheet:
    return parse_rules(games.read(GAME))


def the_game() -> LearnedGame:
    known = KnownGame.of(GAME, sheet(), "state", silent)
    return LearnedGame.of(known, 0, silent)


def best_kept() -> TrainedWeights:
    """What all players use."""
    game = the_game()
    best: TrainedWeights | None = game.approximation.entry(game.known.kept).read()
    assert best is not None
    return best


def favour_guided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the trial of `auto` show that guided search is the strongest."""

    def trial(candidates: Sequence[Candidate], *_: object) -> Ratings:
        return Ratings([StrengthPrior(5.0 if each.config.strategy == "guided" else -5.0) for each in candidates[1:]])

    monkeypatch.setattr(prepare, "trial", trial)


def new_run(folder: TrainingFolder, options: LearnOptions = SMALL, threads: int = 1) -> LearningRun:
    return LearningRun(folder, the_game(), options, threads, silent)
