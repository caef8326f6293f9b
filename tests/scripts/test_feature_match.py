"""Evaluations with territory and without, side by side."""

from __future__ import annotations

import math

import pytest

from scripts.strength.feature_match import main


def test_a_game_with_territory_has_a_row_and_one_without_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakthrough_small", "tic_tac_toe", "--learn", "3", "--seconds", "0.0001", "--openings", "1"]) == 1
    written = capsys.readouterr()
    *_, row = written.out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[0] == "breakthrough_small"
    assert all(math.isfinite(float(cell.rstrip("×"))) for cell in cells[1:4])
    assert "tic_tac_toe: there is no territory" in written.err
