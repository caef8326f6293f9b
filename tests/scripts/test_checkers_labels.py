"""The script that compares what a network of checkers may be taught: what it says of options and of failures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.strength import checkers_labels

COMMAND = ["script", "held", "value:data", "--out", "out"]


def test_options_are_those_of_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among them the one that is advised where a training diverges."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'ludens[learn]'")
    from ludens.agent.checkers.training import TrainingOptions

    found = []

    def compare(*work: Any) -> list[Any]:
        found.append(work[-1])
        return []

    monkeypatch.setattr(checkers_labels, "_compare", compare)
    for given in ([], ["--step", "0.001"]):
        monkeypatch.setattr(sys, "argv", [*COMMAND, *given])
        assert checkers_labels.main() == 0
    assert [TrainingOptions(**each) for each in found] == [TrainingOptions(), TrainingOptions(step=0.001)]


@pytest.mark.parametrize("wrong", [("--width", "48"), ("--blocks", "17"), ("--epochs", "0"), ("--step", "0")])
def test_options_of_no_network_are_refused_before_anything_is_done(
    wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [*COMMAND, *wrong])
    with pytest.raises(SystemExit) as ended:
        checkers_labels.main()
    assert ended.value.code == 2
    assert f"argument {wrong[0]}" in capsys.readouterr().err


def test_without_pytorch_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", COMMAND)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert checkers_labels.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("training networks needs PyTorch (") and said.endswith("pip install 'ludens[learn]'\n")


@pytest.mark.parametrize(
    ("error", "said"),
    [(LudensError("no data"), "no data"), (OSError(28, "No space left on device"), "out: No space left on device")],
)
def test_a_failure_is_a_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compare(*_: object) -> None:
        raise error

    monkeypatch.setattr(checkers_labels, "check_pytorch", lambda _: None)
    monkeypatch.setattr(checkers_labels, "_compare", compare)
    monkeypatch.setattr(sys, "argv", COMMAND)
    assert checkers_labels.main() == 1
    assert capsys.readouterr().err == f"{said}\n"


def test_best_moves_that_are_not_known_are_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'ludens[learn]'")
    names = ("error_of_results", "error_of_endgames", "winners_of_endgames", "cpu_seconds")
    checkers_labels._show([dict.fromkeys(names, 0.5) | {"label": "value", "data": "data", "best_moves": None}])
    assert capsys.readouterr().out.splitlines()[-1] == "| value | data | 0.500 | 0.500 | 50.0% | – | 0 |"
