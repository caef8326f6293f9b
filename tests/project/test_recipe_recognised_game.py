"""The recipe of a recognised game: a folder of `games` and one line in the table of `games/registry.py`.

The folder is `tests/support/toy_recogniser.py` here; nothing else is told of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from ludens.games import registry
from tests.support.toy_recogniser import ToyRecogniser


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RECOGNISERS", (*registry.RECOGNISERS, ToyRecogniser()))


@pytest.mark.usefixtures("toy")
def test_it_is_analysed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "tic_tac_toe"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "recognised as three in a row, without a proof" in lines
    assert any(line.startswith("not checkers no facts look like a board") for line in lines)


@pytest.mark.usefixtures("toy")
def test_its_board_and_moves_are_shown_and_recorded_in_its_notation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.toy"
    clocks = ["--startclock", "600", "--playclock", "600"]
    assert main(["match", "tic_tac_toe", "first", "first", *clocks, "--toy", "--record", str(path)]) == 0
    told = capsys.readouterr().out
    assert "Start\n  marks: 0\n" in told
    assert "Turn 1: 1-1\n  marks: 1\n" in told
    assert path.read_text(encoding="utf-8").startswith("first against first: 1-1 ")


@pytest.mark.usefixtures("toy")
def test_other_games_lack_its_notation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "nim", "--toy"]) == 1
    assert "--toy: nim is not recognised as three in a row: it has other moves" in capsys.readouterr().err
