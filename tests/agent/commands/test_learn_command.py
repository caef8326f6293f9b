"""`ludens learn`: runs end in every way and go on, what was learned is found by players, and nothing bad is taken."""

from __future__ import annotations

import csv
import errno
import itertools
import json
import os
import re
import signal
import sys
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
from tests.support.command import running, status, without_progress
from tests.support.factored_sheets import MATCHES
from tests.support.killed_writes import killed_in_write
from tests.support.learning_runs import (
    GAME,
    SECONDS,
    SMALL,
    best_kept,
    favour_guided,
    sheet,
    silent,
    the_game,
    write_config,
)
from tests.support.unequal_goals import SPITE
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A file of options for runs that end soon."""
    path = tmp_path / "small.toml"
    write_config(path, SMALL)
    return path


def learn(config: Path, *more: str) -> int:
    return status("learn", GAME, "--config", str(config), "--threads", "1", "--hours", str(SECONDS / 3600), *more)


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


def test_status_export_and_import(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, file = tmp_path / "run", tmp_path / "small.npz"
    assert status("learn", GAME, "--status", "--features", "state") == 0
    assert "nothing" in capsys.readouterr().out
    assert status("learn", GAME, "--export", str(file), "--features", "state") != 0
    assert f"`ludens learn {GAME} --features state`" in capsys.readouterr().err
    assert learn(config, "--out", str(folder)) == 0
    assert status("learn", GAME, "--status", "--features", "state", "--out", str(folder)) == 0
    said = capsys.readouterr().out
    assert re.search("6 hidden units, learned in .* of all threads together", said) and "new best" in said
    assert re.search(r"\d ± \d+ % against UCT", said)
    assert status("learn", GAME, "--status", "--config", str(config)) == 0
    assert "6 hidden units" in capsys.readouterr().out
    assert status("learn", GAME, "--export", str(file), "--features", "state") == 0
    kept = EvaluationCache.of_sheet(sheet(), "state").path
    content = kept.read_bytes()
    assert file.read_bytes() == content
    os.mkfifo(pipe := tmp_path / "pipe")
    assert status("learn", GAME, "--export", str(pipe), "--features", "state") == 1
    said = without_progress(capsys.readouterr().err)
    assert said == f"ludens: cannot write {pipe}: it is no regular file\n"
    assert pipe.is_fifo()
    kept.unlink()
    assert status("learn", GAME, "--import", str(file), "--features", "state") == 0
    assert "of all threads together" in capsys.readouterr().out
    assert kept.read_bytes() == content


def of_another_network(learned: TrainedWeights) -> None:
    """Keeps an evaluation of a network that has another fact for all players."""
    game = the_game()
    cache = game.known.kept
    game.approximation.entry(cache).write(learned)
    stored = cache.load()
    assert stored is not None
    names = np.array([*stored["names"].tolist()[:-1], "(another fact)"])
    cache.store({**stored, "names": names})


def test_what_is_kept_of_another_network_of_the_game_is_in_nobodys_way(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though it took longer; and it is not said to be of use to players."""
    file, given = tmp_path / "small.npz", ("learn", GAME, "--features", "state")
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    assert status(*given, "--export", str(file)) == 0
    best = best_kept()
    of_another_network(best._replace(seconds=best.seconds + 1000))
    reason = f"another network of {GAME} than this Ludens makes"
    capsys.readouterr()
    assert status(*given, "--status") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "nothing that can be used" in said and reason in said and "hidden units" not in said
    assert status(*given, "--export", str(tmp_path / "none.npz")) == 1
    assert reason in " ".join(capsys.readouterr().err.split())
    other = the_game().known.kept.path
    others = tmp_path / "others.npz"
    others.write_bytes(other.read_bytes())
    assert status(*given, "--import", str(file)) == 0
    assert best_kept().rounds == best.rounds
    capsys.readouterr()
    assert status(*given, "--import", str(others)) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert str(others) in said and reason in said
    assert best_kept().rounds == best.rounds


def test_status_says_what_is_kept_though_the_usual_folder_has_another_run(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other features, of another version, or of rules that were changed since; if it is named that is an error."""
    monkeypatch.chdir(tmp_path)
    assert learn(config) == 0
    folder = Path(f"{GAME}-learning")
    checkpoint = folder / "checkpoint"
    run = read_checkpoint(checkpoint)
    older = replace(run, options={name: value for name, value in run.options.items() if name != "rate"})
    for content, features, kept, reason in (
        (run, "all", "nothing", "has a run with features state, and not all\n"),
        (older, "state", "6 hidden units", "has a run of another version of Ludens"),
        (replace(run, game="0" * 32), "state", "6 hidden units", f"has a run of {GAME}, and not of {GAME}"),
    ):
        checkpoint.write_bytes(content.to_bytes())
        capsys.readouterr()
        assert status("learn", GAME, "--features", features, "--status") == 0
        said = capsys.readouterr()
        assert f"with the features {features}: {kept}" in said.out and "run in" not in said.out
        assert f"! {folder} {reason}" in said.err
        assert status("learn", GAME, "--features", features, "--status", "--out", str(folder)) == 1
        assert reason in capsys.readouterr().err


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


def test_status_and_export_tell_of_what_is_kept_in_another_version(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    kept = EvaluationCache.of_sheet(sheet(), "state").path
    header, _, body = kept.read_bytes().partition(b"\n")
    kept.write_bytes(json.dumps(json.loads(header) | {"version": 5}).encode() + b"\n" + body)
    capsys.readouterr()
    assert status("learn", GAME, "--status", "--features", "state") == 0
    assert "an evaluation of version 5, and this Ludens reads version" in " ".join(capsys.readouterr().out.split())
    assert status("learn", GAME, "--export", str(tmp_path / "small.npz"), "--features", "state") == 1
    assert "an evaluation of version 5, and this Ludens reads version" in " ".join(capsys.readouterr().err.split())


def damaged(content: bytes) -> Iterator[tuple[bytes, str]]:
    """Yields what is no good file, and what is said of it."""
    header, _, body = content.partition(b"\n")
    known = json.loads(header)
    yield b"", "no evaluation"
    yield b"\x00\xff\x80" * 1000, "no evaluation"
    yield content[: len(content) // 2], "damaged or cut short"
    yield content[:-1] + bytes([content[-1] ^ 1]), "damaged or cut short"
    for name, value, expected in (
        ("version", 5, "version 5"),
        ("game", "0" * 32, f"another game than {GAME}"),
        ("features", "all", "sees the features all"),
    ):
        yield json.dumps(known | {name: value}).encode() + b"\n" + body, expected


def test_files_that_do_not_fit_are_refused(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.npz"
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    kept = EvaluationCache.of_sheet(sheet(), "state").path
    content = kept.read_bytes()
    for bad, expected in damaged(content):
        file.write_bytes(bad)
        capsys.readouterr()
        assert status("learn", GAME, "--import", str(file), "--features", "state") != 0
        said = capsys.readouterr().err
        assert expected in said and str(file) in said and "Traceback" not in said
        assert kept.read_bytes() == content
    assert status("learn", GAME, "--import", str(tmp_path / "none.npz"), "--features", "state") != 0
    assert "No such file" in capsys.readouterr().err


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


def test_what_took_longer_is_not_replaced(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "short.npz"
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    assert status("learn", GAME, "--export", str(file), "--features", "state") == 0
    game, best = the_game(), best_kept()
    game.approximation.entry(game.known.kept).write(best._replace(seconds=best.seconds + 1000))
    content = game.known.kept.path.read_bytes()
    assert status("learn", GAME, "--import", str(file), "--features", "state") != 0
    assert str(game.known.kept.path) in capsys.readouterr().err
    assert game.known.kept.path.read_bytes() == content


def test_what_the_command_line_says_makes_sense_of_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "wide.toml"
    path.write_text("width = 64")
    assert read_options(path, {"features": "planes"}) == {"width": 64, "features": "planes"}
    with pytest.raises(TrainingError, match="width is of no use without the features planes"):
        read_options(path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("hiden = 3", "no option hiden; did you mean hidden?"),
        ("hidden = 0", "hidden is 0, and not a whole number from 1 to 96"),
        ("hidden = true", "hidden is True"),
        ("rate = 0", "rate is 0, and not a number above 0"),
        ('features = "all of them"', "none of"),
        ("hidden = [", "is not TOML"),
        ("hidden = 3.5", "hidden is 3.5"),
    ],
)
def test_a_wrong_configuration_is_refused(
    tmp_path: Path, given: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "wrong.toml", tmp_path / "run"
    path.write_text(given)
    assert status("learn", GAME, "--config", str(path), "--out", str(folder)) != 0
    said = " ".join(capsys.readouterr().err.split())
    assert expected in said and "wrong.toml" in said
    assert not folder.exists()


@pytest.mark.parametrize(
    "torch", ["raise ModuleNotFoundError('No module named torch')", "raise OSError('libcudart.so: cannot open')"]
)
def test_without_pytorch_it_says_what_to_install(
    tmp_path: Path, torch: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But only to learn: networks of others may be kept, looked at and carried on."""
    (tmp_path / "torch.py").write_text(torch)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert status("learn", GAME, "--features", "planes", "--out", str(tmp_path / "run")) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "pip install 'ludens[learn]'" in said and torch.split("'")[1] in said and "Traceback" not in said
    assert status("learn", GAME, "--features", "planes", "--status") == 0


def test_what_cannot_go_on_is_refused(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert status("learn", GAME, "--resume", "--out", str(folder)) != 0
    assert "no training to resume" in capsys.readouterr().err
    assert learn(config, "--out", str(folder)) == 0
    assert learn(config, "--out", str(folder)) != 0
    assert "--resume" in capsys.readouterr().err
    assert status("learn", GAME, "--resume", "--out", str(folder), "--hidden", "9") != 0
    assert "hidden 6, and not 9" in " ".join(capsys.readouterr().err.split())
    assert status("learn", "connect_four", "--resume", "--out", str(folder)) != 0
    assert f"a run of {GAME}, and not of connect_four" in " ".join(capsys.readouterr().err.split())
    for name, *given, expected in (
        ("eight_puzzle", "one player"),
        ("gomoku", "by patterns on a game core of its own"),
        ("english_draughts", "--features", "state", "whose evaluation sees the state alone, without features"),
    ):
        assert status("learn", name, *given, "--out", str(tmp_path / name)) != 0
        assert expected in " ".join(capsys.readouterr().err.split())


def test_a_run_goes_on_with_another_rate(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As is advised where weights grow beyond all bounds."""
    folder, lower = tmp_path / "run", tmp_path / "lower.toml"
    assert learn(config, "--out", str(folder)) == 0
    hours = (read_checkpoint(folder / "checkpoint").progress["progress"]["seconds"] + 1) / 3600
    lower.write_text("searched_rate = 0.0001\n")
    given = ("--resume", "--rate", "0.001", "--config", str(lower), "--hours", str(hours), "--threads", "1")
    assert status("learn", GAME, *given, "--out", str(folder)) == 0
    options = read_checkpoint(folder / "checkpoint").options
    assert (options["rate"], options["searched_rate"], options["hidden"]) == (0.001, 0.0001, SMALL.hidden)
    assert "! goes on with rate 0.001, and no longer 0.003" in capsys.readouterr().err
    for refused in (("--resume", "--rate", "0.01", "--hidden", "9"), ("--status", "--rate", "0.01")):
        assert status("learn", GAME, *refused, "--out", str(folder)) != 0
    assert status("learn", GAME, "--resume", "--rate", "2", "--out", str(folder)) != 0
    assert read_checkpoint(folder / "checkpoint").options == options
    assert read_options(folder / "config.toml")["rate"] == 0.001


def test_a_training_of_another_kind_or_version_is_refused(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tak, folder = tmp_path / "tak", tmp_path / "run"
    assert status("train", "tak", "--size", "3", "--games", "20", "--threads", "1", "--out", str(tak)) == 0
    assert learn(config, "--out", str(folder)) == 0
    other = read_checkpoint(folder / "checkpoint")
    older = replace(other, options={name: value for name, value in other.options.items() if name != "rate"})
    named = replace(other, progress={**other.progress, "names": other.progress["names"][1:]})
    newer = replace(other, progress={**other.progress, "progress": {**other.progress["progress"], "later": 1}})
    lacking = [
        replace(other, progress={name: value for name, value in other.progress.items() if name != missing})
        for missing in ("names", "shape", "progress")
    ]
    shapeless = replace(other, progress={**other.progress, "shape": {"rounds": 1}})
    for content, expected in (
        *((each.to_bytes(), f"{folder} has the checkpoint of another version of Ludens") for each in lacking),
        (shapeless.to_bytes(), f"{folder} has the checkpoint of another version of Ludens"),
        ((tak / "checkpoint").read_bytes(), "a training of tak, and no run of `ludens learn`"),
        (older.to_bytes(), "another version of Ludens, with other options: rate"),
        (named.to_bytes(), "other propositions or features"),
        (newer.to_bytes(), f"{folder} has the checkpoint of another version of Ludens"),
        (b"garbage", "is not the checkpoint of a training"),
    ):
        (folder / "checkpoint").write_bytes(content)
        for given in (("--resume", "--hours", "1"), ("--status",)):
            capsys.readouterr()
            code = status("learn", GAME, *given, "--out", str(folder))
            said = " ".join(capsys.readouterr().err.split())
            assert "Traceback" not in said
            if content not in (named.to_bytes(), shapeless.to_bytes()) or "--resume" in given:
                assert code != 0 and expected in said, (given, expected)


def test_a_cache_that_cannot_be_written_does_not_end_the_run(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(config))  # a file, which holds no folders
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    said = capsys.readouterr()
    assert "not kept for other players: cannot write" in said.err and "Traceback" not in said.err
    assert "use it" not in said.out


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
