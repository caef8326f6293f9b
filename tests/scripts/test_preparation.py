"""What takes time in a start clock besides learning."""

from __future__ import annotations

from itertools import accumulate, count
from types import SimpleNamespace

import pytest

from scripts.bench import preparation


def test_a_game_has_a_row_of_seconds_and_says_what_its_evaluation_sees(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a clock that is read twice for each stage, and passes a second more from each reading to the next."""
    monkeypatch.setattr(preparation, "time", SimpleNamespace(process_time=accumulate(count()).__next__))
    assert preparation.main(["connect_four", "--startclock", "600"]) == 0
    *_, row = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[0] == "connect_four"
    assert cells[1:8] == ["1.00", "3.00", "5.00", "7.00", "9.00", "11.00", "36.00"]
    assert cells[-1] == "threat"
