"""`ludens learn`: options and folders that make no sense are refused with one clear message."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ludens.agent.long_learning.options import read_options
from ludens.agent.training.checkpoint import TrainingError, read_checkpoint
from tests.support.command import status
from tests.support.learning_runs import GAME, SMALL, learn

pytestmark = pytest.mark.usefixtures("own_cache")


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
