"""The script that checks claims of forced wins by roads: it counts them, and tells those that are false."""

from __future__ import annotations

import re
import sys

import pytest

from scripts.verify import tinue_claims


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Returns the exit status and what is printed for a few positions on 3 × 3 squares."""
    monkeypatch.setattr(sys, "argv", ["tinue_claims", "3", "--positions", "60", "--seed", "2"])
    status = tinue_claims.main()
    return status, capsys.readouterr().out


def test_claims_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = run(monkeypatch, capsys)
    first, second, *verdicts = printed.splitlines()
    told = re.fullmatch(r"60 positions, (\d+) claims of wins, 0 false", first)
    assert told and int(told[1]) > 0
    assert sum(int(count) for count in re.findall(r"(\d+) in \d+", second)) == int(told[1])
    assert sum(int(line.split()[1]) for line in verdicts) == 60
    assert status == 0


def test_false_claims_are_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tinue_claims, "refutation", lambda position, proof: "a1 completes no road")
    status, printed = run(monkeypatch, capsys)
    assert re.search(r": a1 completes no road\n", printed)
    assert ", 0 false" not in printed
    assert status == 1
