"""What takes time in a start clock besides learning."""

from __future__ import annotations

import pytest

from scripts.bench.preparation import main


def test_a_game_has_a_row_of_seconds_and_says_what_its_evaluation_sees(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect_four", "--startclock", "600"]) == 0
    *_, row = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    *seconds, total = map(float, cells[1:8])
    assert cells[0] == "connect_four"
    assert all(each >= 0 for each in seconds)
    assert total == pytest.approx(sum(seconds), abs=0.05)
    assert cells[-1] == "threat"
