"""scripts/strength/solve_times.py: what is solved is said, and what could not be prepared."""

from __future__ import annotations

import sys

import pytest

from scripts.strength import solve_times


def table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[list[str], str]:
    """The rows that a call prints, and what it says besides."""
    monkeypatch.setattr(sys, "argv", ["solve_times", *args])
    assert solve_times.main() == 0
    told = capsys.readouterr()
    return told.out.splitlines()[2:], told.err


def test_solved_starts_are_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows, _ = table(monkeypatch, capsys, "uct", "alphabeta", "--games", "nim", "--limit", "100")
    assert [row.split(" | ")[2:4] for row in rows] == [["`uct`", "1 of 1"], ["`alphabeta`", "1 of 1"]]


def test_positions_near_the_end_are_solved(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows, _ = table(
        monkeypatch,
        capsys,
        "alphabeta",
        *["--games", "connect_four", "--left", "4", "--positions", "3", "--limit", "100"],
    )
    assert [row.split(" | ")[1:4] for row in rows] == [["4 plies before the end", "`alphabeta`", "3 of 3"]]


def test_a_search_that_could_not_learn_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, told = table(monkeypatch, capsys, "guided:learn=0.1", "--games", "tic_tac_toe", "--limit", "100")
    assert rows and "no time to learn" in told
