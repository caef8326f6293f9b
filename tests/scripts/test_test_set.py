"""The standing test set: games of every kind that exist, and every pair of players at every clock."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ludens import games
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
from scripts.strength import test_set

CLOCKS = ("--clocks", "60/60", "90/60")


def test_there_are_many_games_of_every_kind() -> None:
    entries = test_set.read_test_set()
    assert len(entries) >= 40
    assert len({entry.game for entry in entries}) == len(entries)
    kinds = Counter(entry.kind for entry in entries)
    assert len(kinds) == 8
    assert min(kinds.values()) >= 3


def test_the_quick_games_are_one_of_each_kind_and_built_in() -> None:
    entries = test_set.read_test_set()
    quick = test_set.chosen(entries, quick=True, sheets=None)
    assert sorted(entry.kind for entry in quick) == sorted({entry.kind for entry in entries})
    assert quick == [entry for entry in entries if entry.quick]


def test_games_without_a_file_are_built_in_and_have_opponents() -> None:
    for entry in test_set.read_test_set():
        if entry.built_in:
            assert games.about(entry.game).players >= 2, entry.game
            assert (games.about(entry.game).players > 2) == (entry.kind == "three and more roles"), entry.game


def test_sheets_of_a_folder_must_be_complete() -> None:
    entries = test_set.read_test_set()
    named = [entry.game for entry in entries if not entry.built_in]
    assert test_set.chosen(entries, quick=False, sheets=dict.fromkeys(named, "")) == entries
    with pytest.raises(LudensError, match=f"has no {named[0]}$"):
        test_set.chosen(entries, quick=False, sheets=dict.fromkeys(named[1:], ""))


def test_every_opponent_is_played_at_every_clock_and_failures_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = [test_set.Entry(game, "kind", quick=True) for game in ("tic_tac_toe", "no_such_game")]
    monkeypatch.setattr(test_set, "read_test_set", lambda: entries)
    out = tmp_path / "games.jsonl"
    opponents = ("random", "first:seed=3")
    assert test_set.main(["first", *opponents, "--games", "2", "--out", str(out), *CLOCKS]) == 1
    told = capsys.readouterr()
    assert "no_such_game" in told.err
    summaries = [json.loads(line) for line in told.out.splitlines()]
    assert [(each["startclock"], each["second"]) for each in summaries] == [
        (clock, opponent) for clock in (60.0, 90.0) for opponent in opponents
    ]
    assert len(match_runner.read(out)) == 8


def test_clocks_are_a_pair(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        test_set.main(["first", "random", "--clocks", "30"])
    assert "no pair of clocks" in capsys.readouterr().err
