"""`ludens analyse`: what it says of games, for people and as JSON."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.command import status


def test_analyse_tells_the_size_of_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "tic_tac_toe", "--json") == 0
    analysis = json.loads(capsys.readouterr().out)
    assert analysis["game"] == "tic_tac_toe"
    assert analysis["moves"] == [10, 10]
    assert analysis["loops"] == analysis["feedback"] == 0
    assert 1 < analysis["levels"] < analysis["gates"] == analysis["stages"][-1]["gates"]
    assert analysis["profile"]["alternating"] == {"holds": True, "proven": True}
    assert len(analysis["fingerprint"]) == 32


def test_analyse_says_what_kind_of_game_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "connect_four", "--seconds", "600") == 0
    shown = capsys.readouterr().out
    assert re.search(r"turns +one role chooses at a time \(proven\): red, then yellow, and again", shown)
    assert re.search(
        r"board +42 places, by facts like \(cell \* \* \?\), where \? is a piece of red \(red\) or ", shown
    )
    assert re.search(r"red( +\d+\.\d % \(\d+\.\d-\d+\.\d\)){3} +5\d\.\d \(", shown)  # wins, draws, losses; mean goal
    assert "±" not in shown


def test_analyse_claims_no_more_than_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "nim", "--seconds", "1") == 0
    shown = capsys.readouterr().out
    assert re.search(r"facts +\d+: no others can ever hold", shown)
    assert re.search(r"winning moves +at most \d+ of \d+ moves can win the game at once \(proven\)", shown)
    assert "none (proven)" not in shown


def test_analyse_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert status("analyse", "connect_four", "--seconds", "1") == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(r"^  red( +\d+\.\d %){3} +5\d\.\d\n( +\(\d+\.\d-\d+\.\d\)){4}$", shown, re.MULTILINE)


def test_analyse_shows_the_gates_before_and_after_each_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "nim", "--verbose") == 0
    rows = re.findall(r"^ +\w+ +([\d,]+) → +([\d,]+) gates in [\d.]+ s$", capsys.readouterr().out, re.MULTILINE)
    assert len(rows) > 1
    assert [before for before, _ in rows[1:]] == [after for _, after in rows[:-1]]


def test_analyse_has_a_player_play_itself(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("analyse", "tic_tac_toe", "--seconds", "0.2", "--json")
    assert status(*arguments, "--strength", "--games", "3", "--playclock", "0.01", "--player", "flat") == 0
    played = json.loads(capsys.readouterr().out)["good_play"]
    assert played["games"] == 3
    assert sum(played["results"][0][kind]["count"] for kind in ("wins", "draws", "losses")) == 3


def test_a_game_in_which_a_role_runs_out_of_moves_is_told_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(
        "(role red) (role blue) (init on) (legal red go) (<= (legal blue go) (true on)) (<= (next off) (true on))\n"
        "(<= (next off) (true off)) (<= terminal (true never)) (goal red 50) (goal blue 50)"
    )
    assert status("analyse", str(sheet), "--seconds", "600") == 0
    shown = capsys.readouterr().out
    assert re.search(r"! blue has no legal move in 100\.0 % of [\d,]+ random games, .* after 1 step: go \| go", shown)
    command = re.search(r"see one: ludens (.*)", shown)
    assert command is not None
    assert status(*shlex.split(command.group(1))) == 0
    assert capsys.readouterr().out.endswith("The game is not over: red has 1 legal move; blue has no legal move.\n")
    assert status("bench", str(sheet), "--seconds", "0.05") == 0
    assert re.search(r"! 100\.0 % of the random games were never over", capsys.readouterr().out)


def test_rules_whose_network_takes_too_much_are_analysed_and_measured_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in ("analyse", "bench"):
        assert status(command, "tic_tac_toe", "--seconds", "0.2", "--grounding-seconds", "0") == 0
        assert "--grounding-seconds allows more" in " ".join(capsys.readouterr().out.split())
