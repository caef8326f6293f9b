"""`ludens learn`: what is kept is told, exported and imported, and no file that does not fit is taken."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.training.checkpoint import read_checkpoint
from tests.support.command import status, without_progress
from tests.support.learning_runs import GAME, best_kept, learn, sheet, the_game

pytestmark = pytest.mark.usefixtures("own_cache")


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


def test_a_cache_that_cannot_be_written_does_not_end_the_run(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(config))  # a file, which holds no folders
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    said = capsys.readouterr()
    assert "not kept for other players: cannot write" in said.err and "Traceback" not in said.err
    assert "use it" not in said.out
