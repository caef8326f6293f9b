"""The conformance script: what it compares, what it finds, and that it leaves nothing out."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ludens import games
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from scripts.common.replay import play
from scripts.verify.conformance import Examination, Report, Task, conditions_of, sheets
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

SHEET = """
(role p) (init (at 1)) (place 1) (place 2) (place 3) (colour red)
(<= (legal p (to ?x)) (place ?x) (not (true (at ?x))))
(<= (next (at ?x)) (does p (to ?x)))
(<= (next (painted ?c)) (colour ?c))
(<= terminal (true (at 3)))
(<= (goal p 100) (true (at 3)))
"""


def recorded(text: str, playouts: int = 2) -> dict[str, Any]:
    """A trace of random games by the oracle, in the form in which traces are recorded."""
    oracle = Interpreter(parse_rules(text))
    return {
        "roles": list(oracle.roles),
        "playouts": [
            {"steps": [_as_json(step) for step in play(oracle, random.Random(seed), 50)], "cut": False}
            for seed in range(playouts)
        ],
    }


def _as_json(step: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"state": [f"( true {fact} )" for fact in step.state], "terminal": step.terminal}
    if step.terminal:
        return told | {"goals": list(step.goals)}
    legal = [[str(move) for move in moves] for moves in step.legal]
    return told | {"legal": legal, "moves": [str(move) for move in step.moves]}


def examine(folder: Path, text: str, trace: dict[str, Any] | None = None) -> Report:
    """The report on one sheet, made in this process."""
    rules, path = folder / "game.kif", None
    rules.write_text(text)
    if trace is not None:
        path = folder / "game.json.gz"
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    reports: list[Report] = []
    task = Task("game", rules, path, seconds=PATIENCE, memory_mb=2048, oracle_seconds=0.5)
    Examination(task, reports.append).run()
    return reports[-1]


def test_a_right_trace_agrees_with_both_machines(tmp_path: Path) -> None:
    report = examine(tmp_path, SHEET, recorded(SHEET))
    assert report.good and report.machine == "network" and report.against == "trace"
    assert report.states == sum(len(playout["steps"]) for playout in recorded(SHEET)["playouts"])
    assert report.dropped == 1  # nothing depends on what is painted


def _another_state(step: dict[str, Any]) -> None:
    step["state"] = ["( true ( at 2 ) )"]


def _one_move_more(step: dict[str, Any]) -> None:
    step["legal"][0].append("( to 1 )")


def _other_moves_as_many(step: dict[str, Any]) -> None:
    step["legal"][0] = ["( to 1 )", "( to 3 )"]


def _another_end(step: dict[str, Any]) -> None:
    step["terminal"] = True
    step["goals"] = [None]
    del step["legal"], step["moves"]


@pytest.mark.parametrize("spoil", [_another_state, _one_move_more, _other_moves_as_many, _another_end])
def test_a_wrong_trace_disagrees_with_both_machines(tmp_path: Path, spoil: Any) -> None:
    trace = recorded(SHEET)
    spoil(trace["playouts"][0]["steps"][0])
    faults = examine(tmp_path, SHEET, trace).faults
    assert any(fault.startswith("network: playout 0, step 0") for fault in faults)
    assert any(fault.startswith("rules: playout 0, step 0") for fault in faults)


def test_other_goals_disagree_with_both_machines(tmp_path: Path) -> None:
    trace = recorded(SHEET)
    trace["playouts"][1]["steps"][-1]["goals"] = [99]
    assert len(examine(tmp_path, SHEET, trace).faults) == 2


def test_without_a_trace_the_oracle_is_asked(tmp_path: Path) -> None:
    report = examine(tmp_path, SHEET)
    assert report.good and report.against == "oracle" and report.states > 1


def test_a_sheet_that_is_no_game_is_a_fault(tmp_path: Path) -> None:
    report = examine(tmp_path, "(role p")
    assert not report.good and "GdlError" in report.faults[0]


def test_what_is_no_trace_is_a_fault(tmp_path: Path) -> None:
    assert examine(tmp_path, SHEET, {"roles": ["p"]}).faults == ["KeyError: 'playouts'"]


def test_sheets_are_found_in_folders_of_their_own_and_beside_each_other(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for path in (tmp_path / "inner" / "inner.kif", tmp_path / "outer.kif", tmp_path / "METADATA"):
        path.touch()
    assert list(sheets(tmp_path)) == ["inner", "outer"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scripts.verify.conformance", *map(str, arguments)]
    root = ROOT
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=root, check=False)


def test_the_command_reports_every_game_and_fails_if_one_does(tmp_path: Path) -> None:
    (tmp_path / "good.kif").write_text(games.read("tic_tac_toe"))
    (tmp_path / "bad.kif").write_text("(role p) (legal p wait) (<= (next on) (not (next on)))")
    result = tmp_path / "result.json"
    done = run("--rules", tmp_path, "--oracle-seconds", "0.2", "--json", result)
    assert done.returncode == 1
    assert [(report["game"], report["machine"]) for report in json.loads(result.read_text())] == [
        ("bad", ""),
        ("good", "network"),
    ]
    assert "played by nothing: 1 bad" in done.stdout


def test_a_report_is_taken_over_if_it_is_of_the_same_sheet_and_limits(tmp_path: Path) -> None:
    sheet, result = tmp_path / "good.kif", tmp_path / "result.json"
    sheet.write_text(SHEET)

    def said(seconds: str) -> str:
        done = run("--rules", tmp_path, "--oracle-seconds", "0.2", "--seconds", seconds, "--json", result, "--resume")
        assert done.returncode == 0 and "1 games" in done.stdout, done.stdout
        return done.stdout

    said("20")
    [report] = json.loads(result.read_text())
    result.write_text(json.dumps([report | {"gates": 987_654}]))
    assert "987654" in said("20")
    assert "987654" not in said("30"), "other limits"
    result.write_text(json.dumps([json.loads(result.read_text())[0] | {"gates": 987_654}]))
    sheet.write_text(SHEET + "(colour blue)")
    assert "987654" not in said("30"), "another sheet"


def test_a_report_of_other_code_is_not_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sheet := tmp_path / "good.kif").write_text(SHEET)
    task = Task("good", sheet, None, seconds=1, memory_mb=1, oracle_seconds=1)
    before = conditions_of(task)
    assert conditions_of(task) == before
    monkeypatch.setattr("scripts.verify.conformance.code_digest", lambda: "other code")
    assert conditions_of(task) != before


def test_a_game_without_a_trace_is_named_where_there_are_traces(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.kif").write_text(SHEET)
    (tmp_path / "old.json.gz").write_bytes(gzip.compress(json.dumps(recorded(SHEET)).encode()))
    done = run("--rules", tmp_path, "--traces", tmp_path, "--oracle-seconds", "0.2")
    assert done.returncode == 0 and "without a trace: 1 new\n" in done.stdout


def test_a_folder_without_traces_is_refused(tmp_path: Path) -> None:
    (tmp_path / "good.kif").write_text(SHEET)
    for folder in (tmp_path, tmp_path / "missing"):
        done = run("--rules", tmp_path, "--traces", folder)
        assert done.returncode != 0 and f"--traces {folder}: no trace" in done.stderr


def test_an_unknown_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "good.kif").touch()
    done = run("--rules", tmp_path, "goood")
    assert done.returncode != 0 and "goood" in done.stderr
