"""The script that measures relative goals tells the goals of the rules, of all that play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.strength import relative_goals
from tests.support.unequal_goals import SPITE


def test_each_player_has_a_row_with_goals_of_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sheet := tmp_path / "spite.kif").write_text(SPITE)
    assert relative_goals.main([str(sheet), "--learn", "1.5", "--seconds", "0.02", "--games", "2"]) == 0
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [(row[1], row[2]) for row in rows[:1]] == [("uct", "its goal (control)")]
    assert ("uct", "its goal less the other's") in [(row[1], row[2]) for row in rows]
    for _, _, _, own, other, _, error, games in rows:
        assert (error, games) == ("–", "2")
        assert 0 <= float(own) <= 81 and 0 <= float(other) <= 81


def test_the_error_of_a_lead_is_that_of_openings() -> None:
    goals = np.array([[100.0, 0.0], [0.0, 100.0], [60.0, 40.0], [60.0, 40.0], [100.0, 0.0]])
    assert relative_goals.error(goals[:4]) == relative_goals.error(goals) == "10"  # leads of 0 and 20


def test_a_game_of_another_number_of_roles_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert relative_goals.main(["connect_four_three", "--learn", "1", "--games", "1"]) == 0
    assert "relative goals are for two roles, and this game has 3" in capfd.readouterr().err
