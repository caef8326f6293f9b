"""`ludens validate`: mistakes of rule sheets and of their hints, with their places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.commands import validate
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.diagnosis.child_process import PlayDiagnosis
from tests.support.command import status

UNSAFE = """\
(role red) (init start) (legal red wait) terminal (goal red 100)
(<= (next ?x)
    (not (true ?y)))
"""
STUCK = """\
(role cross)
(role nought)
(init (control cross))
(<= (legal ?player mark) (true (control ?player)))
(<= (next (control nought)) (true (control cross)) (does cross mark))
(<= terminal (true (control nought)))
(<= (goal ?player 100) (role ?player))
"""
UNUSED = """\
(role red) (init start) (legal red wait) (next start) terminal (goal red 100)
(helper 1)
"""
SELF_DENYING = """\
(role r) (init (p a)) (legal r go) (e a b) (e b a)
(<= (q ?x) (true (p a)) (e ?x ?y)
    (not (q ?y)))
(<= (next (p ?x)) (true (p ?x))) (<= terminal (q a)) (goal r 100)
"""


def test_validate_passes_good_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "good.kif"
    sheet.write_text(games.read("tic_tac_toe"), encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    assert "no mistake" in capsys.readouterr().out


def test_validate_says_where_each_file_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unsafe, broken, good = (tmp_path / name for name in ("unsafe.kif", "broken.kif", "good.kif"))
    unsafe.write_text(UNSAFE, encoding="utf-8")
    broken.write_text("(role white", encoding="latin-1")
    good.write_text(games.read("nim"), encoding="utf-8")
    assert status("validate", str(unsafe), str(good), str(broken)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"^\S*unsafe\.kif: line 2, column \d+: .*\?x", shown, re.MULTILINE)
    assert re.search(r"^\S*unsafe\.kif: line 3, column \d+: .*\?y", shown, re.MULTILINE)
    assert re.search(r"^\S*broken\.kif: line 1, column \d+: ", shown, re.MULTILINE)
    assert re.search(r"^\S*good\.kif: no mistake", shown, re.MULTILINE)


def test_validate_warns_of_what_looks_like_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "unused.kif"
    sheet.write_text(UNUSED, encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    assert re.search(
        r"unused\.kif: line 2, column 1: warning: .*helper.*\n +2 \| \(helper 1\)\n +\| \^\n", capsys.readouterr().out
    )


def test_validate_plays_random_games_unless_told_not_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(STUCK, encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    shown = capsys.readouterr().out
    assert re.search(r"stuck\.kif: line 4, column 5: warning: nought has no legal move in 100 % of .* noop", shown)
    assert re.search(r"stuck\.kif: 1 warning; played [\d,]+ random games\n$", shown)
    assert status("validate", "--no-play", str(sheet)) == 0
    assert capsys.readouterr().out == f"{sheet}: no mistake found\n"


def test_validate_plays_no_rules_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "wrong.kif"
    sheet.write_text(STUCK.replace("(does cross mark)", "(does nobody mark)"), encoding="utf-8")
    assert status("validate", str(sheet)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"wrong\.kif: line 5, column \d+: error: nobody in .* is no role: the roles are cross", shown)
    assert "random games" not in shown


def test_validate_tells_an_error_that_only_playing_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "denies.kif"
    sheet.write_text(SELF_DENYING, encoding="utf-8")
    assert status("validate", str(sheet)) == ExitCode.FAULTY_INPUT
    shown = capsys.readouterr().out
    assert "denies.kif: line 2, column 1: error: q depends on its own negation through (q ?y)\n" in shown
    assert shown.endswith("denies.kif: 1 error; no random games were played: the rules are refused\n")
    assert status("validate", "--no-play", str(sheet)) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "line 3, column 10: warning: (q ?x) may depend on its own negation through (q ?y)" in shown
    assert shown.endswith("denies.kif: 1 warning\n")


def test_validate_warns_of_what_only_playing_would_tell_where_nothing_could_be_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "denies.kif").write_text(SELF_DENYING, encoding="utf-8")
    monkeypatch.setattr(validate, "diagnose_by_play", lambda _sheet: PlayDiagnosis(obstacle="it takes too long"))
    assert status("validate", str(tmp_path / "denies.kif")) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "line 3, column 10: warning: (q ?x) may depend on its own negation through (q ?y)" in shown
    assert shown.endswith("denies.kif: 1 warning; no random games were played: it takes too long\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_validate_shows_the_line_of_a_mistake_whatever_ends_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    sheet = tmp_path / "open.kif"
    sheet.write_bytes(f"(role white){end}{end}\t(init (cell 1 1){end}(legal white wait){end}".encode())
    assert status("validate", str(sheet)) == 1
    assert "\n     3 | \t(init (cell 1 1)\n       | \t^\n" in capsys.readouterr().out


def test_validate_shows_a_part_of_a_long_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "long.kif"
    sheet.write_text("(role white) " + "(legal white wait) " * 100 + "(goal whit 100)\n", encoding="utf-8")
    assert status("validate", str(sheet)) == 1
    line, mark = re.findall(r"\|(.*whit 100.*)\n +\|(.*\^)\n", capsys.readouterr().out)[0]
    assert len(line) < 110
    assert line[mark.index("^") :] == "(goal whit 100)"


def test_built_in_games_can_be_validated(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("validate", "tic_tac_toe", "nim") == 0
    assert capsys.readouterr().out.count("no mistake found") == 2


def test_validate_shows_mistakes_of_hints_in_the_header_and_in_the_file_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet, beside = tmp_path / "nim.kif", tmp_path / "nim.view.json"
    sheet.write_text('; Nim\n; View: {"ignor": []}\n' + games.read("nim"), encoding="utf-8")
    beside.write_text('{\n  "pieces": {"1": {"owner": "nobody"}}\n}\n', encoding="utf-8")
    assert status("validate", str(sheet)) == ExitCode.FAULTY_INPUT
    shown = capsys.readouterr().out
    assert f"{sheet}: line 2, column 10: error: view: there is no hint 'ignor'; did you mean ignore?\n" in shown
    assert f"{beside}: line 2, column 29: error: view: owner of '1': there is no role 'nobody'" in shown
    assert f'     2 |   "pieces": {{"1": {{"owner": "nobody"}}}}\n       | {" " * 28}^\n' in shown
    assert shown.endswith(f"{sheet}: 2 errors\n")


def test_validate_accepts_good_hints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "nim.kif"
    sheet.write_text('; View: {"pieces": {"1": {"shape": "stone", "owner": null}}}\n' + games.read("nim"))
    assert status("validate", "--no-play", str(sheet)) == ExitCode.OK
    assert capsys.readouterr().out == f"{sheet}: no mistake found\n"


def test_validate_warns_of_hints_about_names_that_the_rules_do_not_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "ttt.kif"
    hints = '{"pieces": {"crosss": {"shape": "stone"}, "nought": {}}, "boards": {"cell": {}}, "ignore": ["contrl"]}'
    sheet.write_text(f"; View: {hints}\n" + games.read("tic_tac_toe"), encoding="utf-8")
    assert status("validate", "--no-play", str(sheet)) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "line 1, column 21: warning: view: nothing in the rules is called 'crosss'; did you mean cross" in shown
    assert "warning: view: nothing in the rules is called 'contrl'; did you mean control?" in shown
    assert shown.endswith("2 warnings\n")
