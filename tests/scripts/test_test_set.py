"""The standing test set: games of every kind that exist, and every pair of players at every clock."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import pytest

from ludens import games
from ludens.propnet.base.errors import LudensError
from scripts.strength import served_match, test_set
from scripts.strength.served_match import Places


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


def test_a_part_of_the_games_can_be_named() -> None:
    entries = test_set.read_test_set()
    assert test_set.chosen(entries, quick=False, sheets=None, only=["hex", "tron"]) == [
        entry for entry in entries if entry.game in ("hex", "tron")
    ]
    other = test_set.chosen(entries, quick=False, sheets={"chess.kif": "", "go.kif": ""}, only=["hex", "chess.kif"])
    assert [entry.game for entry in other] == ["hex", "chess.kif"]
    with pytest.raises(LudensError, match="chess is neither in the test set nor among --sheets"):
        test_set.chosen(entries, quick=False, sheets=None, only=["hex", "chess"])


def test_every_opponent_is_played_at_every_clock_and_failures_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = [test_set.Entry(game, "kind", quick=True) for game in ("nim", "hex")]
    monkeypatch.setattr(test_set, "read_test_set", lambda: entries)
    played = []

    def play_series(args: argparse.Namespace, places: Places) -> None:
        if args.game == "nim" and args.second == "uct":
            raise LudensError("no series")
        played.append((args.startclock, args.seconds, args.game, args.first, args.second))

    monkeypatch.setattr(served_match, "play_series", play_series)
    assert test_set.main(["auto", "uct", "rave", "--clocks", "30/2", "60.5/5"]) == 1
    assert "nim, auto against uct: no series" in capsys.readouterr().err
    assert played == [
        (start, play, game, "auto", opponent)
        for start, play in ((30.0, 2.0), (60.5, 5.0))
        for game, opponent in (("nim", "rave"), ("hex", "uct"), ("hex", "rave"))
    ]


def test_sheets_of_a_folder_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_set, "read_test_set", lambda: [test_set.Entry("tiny.kif", "kind", quick=True)])
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "tiny.kif").write_text(
        "(role a) (role b) (legal a win) (legal b wait) (init on) (<= (next off) (true on))"
        "(<= terminal (true off)) (goal a 100) (goal b 0)"
    )
    clocks = ("--clocks", "60/60")
    assert test_set.main(["random", "first", "--games", "1", "--sheets", str(tmp_path), *clocks]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["game"], summary["startclock"], summary["won"]) == ("tiny.kif", 60.0, 1)


def test_clocks_are_a_pair(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        test_set.main(["first", "random", "--clocks", "30"])
    assert "no pair of clocks" in capsys.readouterr().err
