"""Matches between servers: how players are started, how matches are counted, and that they are played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ludens.agent.protocol.wire import SearchReport
from ludens.agent.records.record import MatchRecord
from ludens.agent.server.session import describe
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
from scripts.common.match_runner import Task
from scripts.strength import served_match


def test_a_player_is_described_as_in_a_match() -> None:
    options = served_match.server_options("uct:nodes_mb=64,threads=2", 7)
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given == {"--strategy": "uct", "--threads": "2", "--recall": "off", "--seed": "7", "--nodes-mb": "64"}
    with pytest.raises(LudensError, match="colour"):
        served_match.server_options("uct:colour=red", 7)


def test_scores_and_faults_are_those_of_the_sides() -> None:
    errors = [["", "", ""], ["", "TO", "IL"], ["", "TO", ""]]
    record = MatchRecord("m", "00", 0, 5, 1, ["a", "b", "c"], False, goals=[0, 100, 50], errors=errors, completed=True)
    task = Task("none", ("one", "other"), 1.0, 1, 0, seat=1)
    outcome = served_match.outcome(task, record, numbers=[1, 0, 1], efforts=[10, 40, 30])
    assert outcome.score == 0.5 + (100 - 25) / 200
    assert outcome.faults == (2, 1)
    assert outcome.playouts == (40, 20)


def test_games_are_read_as_they_were_written(tmp_path: Path) -> None:
    outcome = match_runner.Outcome("key", 0.5, 3, (1, 2), (0, 4))
    match_runner.write(tmp_path / "games.jsonl", outcome)
    assert match_runner.read(tmp_path / "games.jsonl") == {"key": outcome}


def test_servers_play_all_sheets_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.kif").write_text(
            "(role a) (role b) (legal a win) (legal b wait) (init on) (<= (next off) (true on))"
            "(<= terminal (true off)) (goal a 100) (goal b 0)"
        )
    clocks = ("--startclock", "60", "--playclock", "60")
    assert served_match.main([str(tmp_path), "random", "first", "--games", "2", *clocks]) == 0
    summaries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(summary["game"]).name for summary in summaries] == ["first.kif", "second.kif"]
    assert [(summary["won"], summary["lost"], summary["faults"]) for summary in summaries] == [(1, 1, [0, 0])] * 2


def test_more_games_at_once_than_there_are_pairs_of_processors_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert served_match.main(["nim", "random", "first", "--jobs", "1000"]) == 1
    assert "two players need two processors" in capsys.readouterr().err


def test_the_effort_of_a_server_is_read_from_its_log(tmp_path: Path) -> None:
    reports = (SearchReport(0, "a", 1200, 50.0), SearchReport(1, "a", 800, 100.0, proven=True), SearchReport(2, "a"))
    log = tmp_path / "log"
    log.write_text("".join(f"12:00:00 m: step {each.step}: a ({describe(each, roles=2)})\n" for each in reports))
    assert served_match.playouts_a_move(log) == 1000
