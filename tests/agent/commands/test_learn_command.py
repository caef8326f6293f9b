"""`ludens learn`: runs leave what players find and use, end in every way, and go on."""

from __future__ import annotations

import csv
import errno
import itertools
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ludens
from ludens import games
from ludens.agent.commands import learn as learn_command
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.long_learning import learning_run
from ludens.agent.long_learning.fit_words import from_words, shape_of, to_words
from ludens.agent.long_learning.learned_game import KnownGame
from ludens.agent.long_learning.options import LearnOptions, read_options
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.decomposition import Decomposition
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.training.checkpoint import TrainingError, read_checkpoint
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.command import running, status
from tests.support.factored_sheets import MATCHES
from tests.support.killed_writes import killed_in_write
from tests.support.learning_runs import (
    GAME,
    SECONDS,
    SMALL,
    best_kept,
    favour_guided,
    learn,
    sheet,
    silent,
    the_game,
    write_config,
)
from tests.support.unequal_goals import SPITE
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_run_leaves_its_curve_and_what_players_use(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert learn(config, "--out", str(folder)) == 0
    said = capsys.readouterr().out
    assert str(folder / "best.npz") in said
    rows = list(csv.DictReader((folder / "curve.csv").read_text().splitlines()))
    known = json.loads((folder / "curve.json").read_text())
    assert [float(row["error"]) for row in rows] == [point["error"] for point in known["curve"]]
    assert all(0 < point["against_uct_within"] <= 1 < point["games_per_second"] for point in known["curve"])
    assert known["options"]["hidden"] == 6 and known["curve"][0]["better"]
    rounds = [int(row["rounds"]) for row in rows]
    assert all(one < other for one, other in itertools.pairwise(rounds))
    assert ElementTree.parse(folder / "curve.svg").getroot().tag.endswith("svg")
    assert read_options(folder / "config.toml") == {
        name: getattr(SMALL, name) for name in LearnOptions.__dataclass_fields__
    }
    game, best = the_game(), best_kept()
    assert best.weights.hidden == 6 and best.seconds > 0
    assert best.gated == (sum(point["better"] for point in known["curve"]) > 1)  # the first one has met nobody
    again = game.approximation.entry(game.known.kept.at(folder / "best.npz")).read()
    assert again is not None and again.rounds == best.rounds
    np.testing.assert_array_equal(again.weights.inner, best.weights.inner)
    loaded = ludens.load(GAME)
    recalled = ludens.Evaluation.recall(loaded, "state")
    assert recalled is not None and recalled.rounds == best.rounds
    with ludens.Search(loaded, evaluation=recalled) as search:
        assert search.strategy == "guided"
    assert ludens.Evaluation.recall(loaded) is None


def test_a_run_plays_matches_as_the_command_line_says(tmp_path: Path, config: Path) -> None:
    folder = tmp_path / "run"
    assert learn(config, "--out", str(folder), "--gate-games", "6", "--gate-leaves", "9") == 0
    options = read_options(folder / "config.toml")
    assert (options["gate_games"], options["gate_leaves"]) == (6, 9)


def test_auto_and_guided_play_by_it_under_other_names(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What took long enough is not learned on in a start clock."""
    favour_guided(monkeypatch)
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    game, best = the_game(), best_kept()
    game.approximation.entry(game.known.kept).write(best._replace(seconds=3600.0))
    scrambled = Scrambler(sheet(), seed=3).scramble(sheet())
    net = load(scrambled)
    for strategy in ("auto", "guided"):
        told: list[str] = []
        options = PlayerOptions(strategy=strategy, nodes_mb=16, features="state")
        found = prepare(net, options, TimeBudget(6.0, 0.1, tell=told.append), sheet=scrambled)
        assert found.strategy == "guided"
        assert found.evaluation is not None and found.evaluation.weights.hidden == 6
        assert any("learned of this game before, in 60 min" in line for line in told)


def test_the_same_file_of_options_learns_the_same(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In as many rounds on one thread, whatever the times at which checkpoints are made, if none takes too long."""

    def seven_rounds(self: Learner, _finished: object) -> None:
        for _ in range(7):
            self.round()

    monkeypatch.setattr(Learner, "learn", seven_rounds)
    for limit in ("_RANDOM_SECONDS", "_PART_SECONDS", "_ROUND_SECONDS"):
        monkeypatch.setattr(learning_run, limit, 0.0)  # none
    found, file = [], config
    for name in ("one", "other"):
        folder = tmp_path / name
        given = ("--config", str(file), "--threads", "1", "--hours", "1e-9", "--out", str(folder))
        assert status("learn", GAME, *given) == 0
        game, file = the_game(), folder / "config.toml"
        found.append(game.approximation.entry(game.known.kept.at(folder / "latest.npz")).read())
    one, other = found
    assert one is not None and other is not None
    assert one.rounds == other.rounds > SMALL.searched_after
    for mine, same in zip(one.weights, other.weights, strict=True):
        np.testing.assert_array_equal(mine, same)
    assert read_options(file) == read_options(tmp_path / "one" / "config.toml")


def test_a_fit_goes_on_as_if_it_had_never_ended() -> None:
    """Weights, their mean and the optimiser's memory come back from the words of a checkpoint."""
    game = the_game()
    pace = LearningPace(2000, 0.0, 20_000, 0.0)
    learner = Learner(game.game, 1, pace=pace, hidden=5)
    learner.round()
    state = learner.state()
    restored = from_words(to_words(state), json.loads(json.dumps(shape_of(state))))
    for one, other in zip(
        (*state.weights[1:], *state.mean[1:]), (*restored.weights[1:], *restored.mean[1:]), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    followers = [Learner(game.game, 2, each, pace=pace) for each in (state, restored)]
    for follower in followers:
        follower.round()
    np.testing.assert_array_equal(followers[0].state().weights.inner, followers[1].state().weights.inner)
    forgetful = Learner(game.game, 2, TrainedWeights(state.weights, state.rounds), pace=pace)
    forgetful.round()
    assert (forgetful.state().weights.inner != followers[0].state().weights.inner).any()
    with pytest.raises(TrainingError, match="fewer numbers"):
        from_words(to_words(state)[:5], shape_of(state))
    negative = state.memory._replace(moments=-np.abs(state.memory.moments))
    with pytest.raises(NativeError, match="none can have"):
        Learner(game.game, 2, state._replace(memory=negative), pace=pace)
    with pytest.raises(NativeError, match="another size"):
        Learner(
            game.game, 2, state._replace(memory=state.memory._replace(moments=state.memory.moments[:-1])), pace=pace
        )


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_ended_goes_on(tmp_path: Path, config: Path, ending: signal.Signals) -> None:
    folder = tmp_path / "run"
    checkpoint = folder / "checkpoint"
    with running("learn", GAME, "--config", str(config), "--threads", "1", "--out", str(folder)) as run:
        until(checkpoint.exists)
        run.send_signal(ending)
        _, said = run.communicate()
    if ending == signal.SIGINT:
        assert run.returncode == 130
        assert f"--resume --out {folder}" in said and "Traceback" not in said
    reached = read_checkpoint(checkpoint).progress
    after = reached
    while after["shape"]["rounds"] == reached["shape"]["rounds"]:  # a match may take all of the time
        goal = after["progress"]["seconds"] + 2.0
        assert status("learn", GAME, "--resume", "--out", str(folder), "--hours", str(goal / 3600)) == 0
        after = read_checkpoint(checkpoint).progress
        assert after["progress"]["seconds"] >= goal
    curve, before = after["progress"]["curve"], reached["progress"]["curve"]
    assert curve[: len(before)] == before
    assert status("learn", GAME, "--resume", "--out", str(folder), "--hours", "0.00001") == 0  # over: nothing is done
    assert read_checkpoint(checkpoint).progress["shape"] == after["shape"]


@pytest.mark.parametrize("operation", range(1, 9))
def test_a_run_that_ends_in_any_write_goes_on(
    tmp_path: Path, config: Path, operation: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    with killed_in_write(operation, monkeypatch):
        learn(config, "--out", str(folder))
    begun = (folder / "checkpoint").exists()
    assert learn(config, "--out", str(folder), *(["--resume"] if begun else [])) == 0
    assert read_checkpoint(folder / "checkpoint").progress["progress"]["curve"]


def test_a_full_disk_is_one_clear_message(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which advises to go on only if there is something to go on from."""
    folder = tmp_path / "run"

    def full(draft: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert learn(config, "--out", str(folder)) == 1
    said = capsys.readouterr().err
    assert "checkpoint: No space left on device" in " ".join(said.split()) and "--resume" not in said
    assert learn(config, "--out", str(folder)) == 0
    before = (folder / "checkpoint").read_bytes()

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert status("learn", GAME, "--resume", "--out", str(folder), "--hours", "1") != 0
    said = capsys.readouterr().err
    assert "No space left on device" in said and "--resume" in said and "Traceback" not in said
    assert (folder / "checkpoint").read_bytes() == before


def test_rules_that_take_long_to_ground_have_more_time_where_they_are_allowed_it(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(config, "--grounding-seconds", "0", "--out", str(tmp_path / "run")) == 1
    assert "--grounding-seconds allows more" in " ".join(capsys.readouterr().err.split())
    assert status("learn", GAME, "--status", "--grounding-seconds", "600", "--grounding-mb", "4096") == 0


def test_a_game_that_players_play_in_parts_is_learned_with_a_warning(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since `auto` plays each part as one learns it before a match. That it is being found out is shown."""
    parts, shown = KnownGame.parts, list[str]()

    @contextmanager
    def progress(what: str) -> Iterator[Callable[[str], None]]:
        shown.append(what)
        yield silent
        shown.pop()

    def shown_parts(known: KnownGame) -> Decomposition | None:
        assert shown
        return parts(known)

    monkeypatch.setattr(learn_command, "progress", progress)
    monkeypatch.setattr(KnownGame, "parts", shown_parts)
    (rules := tmp_path / "races.kif").write_text(MATCHES["two races"])
    given = ("--config", str(config), "--threads", "1", "--hours", str(SECONDS / 3600), "--out", str(tmp_path / "run"))
    assert status("learn", str(rules), *given) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "! auto plays races in 2 independent parts" in said and "by players with factored=off" in said
    assert learn(config, "--out", str(tmp_path / "other")) == 0
    assert "parts" not in capsys.readouterr().err


def test_a_run_goes_on_for_the_goals_for_which_it_began(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if random games then show something else."""
    folder, checkpoint = tmp_path / "run", tmp_path / "run" / "checkpoint"
    (sheet := tmp_path / "spite.kif").write_text(SPITE)
    given = ("learn", str(sheet), "--threads", "1", "--out", str(folder), "--hours")
    assert status(*given, str(SECONDS / 3600), "--config", str(config)) == 0
    rounds = read_checkpoint(checkpoint).progress["shape"]["rounds"]
    monkeypatch.setattr("ludens.agent.long_learning.learned_game.are_opponents", lambda *_: False)
    longer = read_checkpoint(checkpoint).progress["progress"]["seconds"] + 0.5
    assert status(*given, str(longer / 3600), "--resume") == 0
    after = read_checkpoint(checkpoint).progress
    assert after["relative"] and after["shape"]["rounds"] > rounds
    kept = {each: EvaluationCache.of_sheet(parse_rules(SPITE), "state", relative=each) for each in (True, False)}
    assert kept[True].seconds() > 0 == kept[False].seconds()


def test_checkers_are_learned_on_their_core(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`auto` recalls it there, whatever the names."""
    favour_guided(monkeypatch)
    config, folder = tmp_path / "tiny.toml", tmp_path / "run"
    small = replace(SMALL, features="all", round_states=5000)
    write_config(config, small)
    draughts = parse_rules(games.read("english_draughts"))
    given = ("--config", str(config), "--threads", "1", "--hours", str(SECONDS / 3600))
    assert status("learn", "english_draughts", *given, "--out", str(folder)) == 0
    capsys.readouterr()
    assert status("learn", "english_draughts", "--status", "--out", str(folder)) == 0
    assert "6 hidden units" in capsys.readouterr().out
    known = KnownGame.of("draughts", Scrambler(draughts, seed=2).scramble(draughts), "all", silent)
    assert known.recognised is not None
    for strategy in ("auto", "guided"):
        settings = PlayerOptions(strategy=strategy, nodes_mb=16, endgame_pieces=0)
        found = prepare(known.net, settings, TimeBudget(0.5, 0.1), recognised=known.recognised)
        assert found.evaluation is not None and found.evaluation.weights.hidden == 6
