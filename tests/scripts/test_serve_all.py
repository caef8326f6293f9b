"""The examination of every built-in game over HTTP: what counts as a fault."""

from __future__ import annotations

import pytest

from ludens.agent.records.record import MatchRecord
from scripts.verify.serve_all import faults_of, main


def record(*errors: list[str], completed: bool = True) -> MatchRecord:
    return MatchRecord("m", "00", 0, 5, 1, ["a", "b"], False, completed=completed, errors=list(errors))


def test_a_match_without_errors_has_no_faults() -> None:
    assert faults_of(record(["", ""], ["", ""])) == []


def test_every_error_of_a_player_is_a_fault() -> None:
    found = faults_of(record(["", "CE"], ["TO", ""], ["", "IL (mark 9 9)"]))
    assert found == ["START: player 2: CE", "turn 1: player 1: TO", "turn 2: player 2: IL (mark 9 9)"]


def test_a_match_that_was_broken_off_is_a_fault() -> None:
    assert faults_of(record(["", ""], completed=False)) == ["not completed"]


def test_a_game_that_does_not_exist_is_refused_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nim", "no_such_game"]) == 2
    assert "no_such_game" in capsys.readouterr().err
