"""Scripts that train networks of checkers: what they say of options and of failures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ludens.games.checkers.networks.network_file import read_network
from ludens.propnet.base.errors import LudensError
from scripts.common.checkers_training import add_options, attempt
from scripts.examples import checkers_network
from scripts.strength import checkers_labels
from tests.support.checkers_data import counted_pieces

COMMANDS = {checkers_network: ["data", "--out", "out"], checkers_labels: ["held", "value:data", "--out", "out"]}


@pytest.mark.parametrize("script", COMMANDS, ids=lambda script: script.__name__.rpartition(".")[2])
@pytest.mark.parametrize("wrong", [("--width", "48"), ("--blocks", "17"), ("--epochs", "0"), ("--step", "0")])
def test_options_of_no_network_are_refused_before_anything_is_done(
    script: ModuleType, wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["script", *COMMANDS[script], *wrong])
    with pytest.raises(SystemExit) as ended:
        script.main()
    assert ended.value.code == 2
    assert f"argument {wrong[0]}" in capsys.readouterr().err


def test_options_are_those_of_a_training() -> None:
    """Among them the one that is advised where a training goes astray."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'ludens[learn]'")
    from ludens.agent.checkers.training import TrainingOptions

    parser = argparse.ArgumentParser()
    add_options(parser)
    assert TrainingOptions(**vars(parser.parse_args([]))) == TrainingOptions()
    assert TrainingOptions(**vars(parser.parse_args(["--step", "0.001"]))).step == 0.001


@pytest.mark.parametrize("script", COMMANDS, ids=lambda script: script.__name__.rpartition(".")[2])
def test_without_pytorch_it_is_said_what_to_install(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["script", *COMMANDS[script]])
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("network", "training"):
        monkeypatch.delitem(sys.modules, f"ludens.agent.checkers.{name}", raising=False)
    assert script.main() == 1
    assert capsys.readouterr().err == "training a network needs PyTorch: pip install 'ludens[learn]'\n"


def test_a_training_that_is_broken_off_leaves_the_network_of_its_last_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'ludens[learn]'")
    from ludens.agent.checkers import training

    judged, epochs = training._judged, iter(range(2))

    def judge(*arguments: Any) -> training.Epoch:
        if next(epochs) == 1:
            raise LudensError("broken off")
        return judged(*arguments)

    file = tmp_path / "checkers.network"
    monkeypatch.setattr(training, "_judged", judge)
    monkeypatch.setattr(checkers_network, "read_examples", lambda _: counted_pieces(300))
    monkeypatch.setattr(checkers_network, "open_endgame", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["script", "data", "--out", str(tmp_path), "--blocks", "0"])
    assert checkers_network.main() == 1
    assert capsys.readouterr().err.endswith("broken off\n")
    read_network(file)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("error", "said"),
    [(LudensError("no data"), "no data"), (OSError(28, "No space left on device"), "out: No space left on device")],
)
def test_a_failure_is_a_line(error: Exception, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        raise error

    assert attempt(work, Path("out")) == 1
    assert capsys.readouterr().err == f"{said}\n"
