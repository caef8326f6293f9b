"""Recorded matches are followed through their rules, as far as they make sense."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludens.agent.commands.cli import main
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.play.replay import Replay, follow, without_rules
from ludens.agent.play.replayed_game import ReplayedGame, replayed_game
from ludens.agent.records import record as records
from ludens.agent.records.reading import FoundRecord, read_record
from ludens.agent.records.record import Ending
from ludens.agent.web.record_page import record_page
from ludens.games.rules import NamedRules
from ludens.propnet.base.child import Limits
from tests.support.recorded_match import MOVES, RECORD, RULES


@pytest.fixture(scope="module")
def game() -> ReplayedGame:
    """Tic-tac-toe."""
    return replayed_game(NamedRules("tic_tac_toe", RULES), Limits(60, 512))


def data_of(page: str) -> dict[str, Any]:
    """The data in a page."""
    found = re.search(r'<script type="application/json" id="replay">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


# ---- Following a record ----


def test_a_whole_match_has_a_view_of_each_position_and_no_notice(game: ReplayedGame) -> None:
    replay = follow(game, FoundRecord(RECORD))
    assert not replay.notice
    assert len(replay.views) == len(replay.states) == len(MOVES) + 1
    assert [sum(piece is not None for piece in view.boards[0]) for view in replay.views] == [0, 1, 2, 3, 4, 5]
    assert replay.states[-1].terminal
    assert len(replay.record.states) == 6


def test_goals_that_a_record_lacks_are_those_of_the_rules(game: ReplayedGame) -> None:
    replay = follow(game, FoundRecord(replace(RECORD, goals=[], completed=False)))
    assert (replay.record.goals, replay.record.completed) == ([100, 0], True)


def test_moves_in_capitals_are_understood(game: ReplayedGame) -> None:
    shouted = [[f" {move.upper()} " for move in joint] for joint in MOVES]
    assert follow(game, FoundRecord(replace(RECORD, moves=shouted))).record.moves == MOVES


@pytest.mark.parametrize(
    ("moves", "shown", "reason"),
    [
        ([*MOVES[:2], ["(mark 1 1)", "noop"], *MOVES[3:]], 2, r"turn 3: \(mark 1 1\) is no legal move of cross"),
        ([*MOVES[:2], ["(mark 1 2", "noop"]], 2, "turn 3"),
        ([*MOVES[:1], ["noop"]], 1, "turn 2: 1 moves for 2 roles"),
        ([*MOVES, ["noop", "noop"]], 5, "turn 6: the game was over"),
        (MOVES[:3], 3, "after 3 turns"),
    ],
)
def test_a_match_is_shown_as_far_as_it_makes_sense(
    moves: list[list[str]], shown: int, reason: str, game: ReplayedGame
) -> None:
    replay = follow(game, FoundRecord(replace(RECORD, moves=moves)))
    assert replay.record.moves == MOVES[:shown]
    assert re.search(reason, replay.notice)


@pytest.mark.parametrize("ending", [Ending.TURN_LIMIT, Ending.INTERRUPTED])
def test_why_a_match_has_no_end_is_told(ending: Ending, game: ReplayedGame) -> None:
    stopped = replace(RECORD, moves=MOVES[:2], goals=[], completed=False, aborted=True, ending=ending)
    assert str(ending) in follow(game, FoundRecord(stopped)).notice


def test_without_rules_the_facts_of_a_record_are_shown() -> None:
    found = FoundRecord(replace(RECORD, rules="", states=[["(a 1)"], ["(a 2)"]], moves=MOVES[:1]))
    replay = without_rules(found)
    assert [view.facts for view in replay.views] == [("(a 1)",), ("(a 2)",)]
    assert replay.roles == ("role 1", "role 2")
    assert "--game" in replay.notice


def test_without_rules_moves_that_are_missing_are_made_up_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uneven = replace(RECORD, rules="", game="", moves=[["noop"], ["(mark 1 1)", "noop"], []])
    records.write(uneven, tmp_path / "m.json")
    code, told = run(capsys, tmp_path / "m.json", "--text")
    assert code == ExitCode.OK
    assert "Turn 1: role 1 noop, role 2 ?" in told
    assert "Turn 3: role 1 ?, role 2 ?" in told


@pytest.mark.parametrize("knows_rules", [True, False])
def test_marks_and_goals_in_the_middle_of_which_a_record_breaks_off_are_made_up_for(
    game: ReplayedGame, knows_rules: bool
) -> None:
    marks: Any = [["", ""], ["TO"], None, ["", "CE", "TO"], [None, "CE"]]
    found = FoundRecord(replace(RECORD, goals=[100], errors=marks))
    record = (follow(game, found) if knows_rules else without_rules(found)).record
    assert record.errors == [["", ""], ["TO", ""], ["", ""], ["", "CE"], ["", "CE"]]
    assert (record.goals, record.completed) == (([100, 0], True) if knows_rules else ([], False))


def test_thoughts_of_roles_that_the_game_lacks_are_left_out(game: ReplayedGame) -> None:
    strange = replace(RECORD, thoughts=[[{"role": 7, "value": 1.0}, {"role": 1, "value": 2.0}]])
    assert follow(game, FoundRecord(strange)).record.thoughts == [[{"role": 1, "value": 2.0}]]


# ---- The page ----


@pytest.fixture(scope="module")
def replay(game: ReplayedGame) -> Replay:
    """The whole match."""
    return follow(game, FoundRecord(RECORD))


def test_a_page_loads_nothing_and_runs_only_its_own_script(replay: Replay) -> None:
    page = record_page(replay)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r'(src|href)="|url\(|@import|\bimport\b[^.]*from|fetch\(', page)


def test_texts_of_a_record_are_no_markup_of_its_page(game: ReplayedGame) -> None:
    evil = "</script><script>alert(1)</script>"
    named = follow(game, FoundRecord(replace(RECORD, players=[evil, evil], match_id=evil)))
    page = record_page(named)
    assert evil not in page
    assert data_of(page)["record"]["playerNamesFromHost"] == [evil, evil]


def test_a_page_is_read_back_as_the_record_that_it_shows(replay: Replay) -> None:
    found = read_record(record_page(replay))
    assert found.record == replay.record
    assert found.roles == replay.roles


def test_a_page_holds_only_moves_that_its_record_names(replay: Replay) -> None:
    data = data_of(record_page(replay))
    texts = [{move["text"] for move in moves} for moves in data["view"]["moves"]]
    assert texts[0] == {"(mark 1 1)", "(mark 1 2)", "(mark 1 3)", "(mark 2 2)", "noop"}
    assert texts[1] == {"(mark 3 3)", "(mark 3 2)", "(mark 2 1)", "noop"}
    assert all(position["legal"] == [[], []] for position in data["positions"])


# ---- The command ----


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """The exit code and what is printed."""
    code = main(["replay", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_a_record_is_told_in_the_terminal_with_thoughts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.write(RECORD, tmp_path / "m.json")
    code, text = run(capsys, tmp_path / "m.json", "--text")
    assert code == ExitCode.OK
    assert "Turn 5: cross (mark 1 3)" in text
    assert "cross thinks: 900 playouts, value 88.5" in text
    assert text.index("cross: plays by <b>uct</b>: no other search suits the game") < text.index("Start")
    assert re.search(r"cross +100 +Ann", text)


def test_a_record_gives_a_terminal_no_orders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    won = "\x1b]0;won\x1b\\"
    for change in ({"players": [won, "Ben"]}, {"moves": [*MOVES[:2], [won, "noop"]]}):
        records.write(replace(RECORD, **change, thoughts=[]), tmp_path / "m.json")
        code, text = run(capsys, tmp_path / "m.json", "--text")
        assert code == ExitCode.OK
        assert "␛]0;won␛" in text and "\x1b" not in text


def test_a_record_becomes_a_page_and_a_page_is_replayed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records.write(RECORD, tmp_path / "m.json")
    assert run(capsys, tmp_path / "m.json", "--html", tmp_path / "m.html")[0] == ExitCode.OK
    assert run(capsys, tmp_path / "m.html", "--html", tmp_path / "again.html")[0] == ExitCode.OK
    first, second = (data_of((tmp_path / name).read_text()) for name in ("m.html", "again.html"))
    assert first == second


def test_a_record_cut_in_the_middle_is_told_clearly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps(records.to_json(RECORD), indent=1)
    cut = tmp_path / "cut.json"
    cut.write_text(text[: text.index("(mark 3 2)")])
    code, told = run(capsys, cut, "--text")
    assert code == ExitCode.OK
    assert "the record breaks off in line" in told
    assert "Turn 3: cross (mark 1 2)" in told
    assert "Turn 4" not in told


def test_a_record_that_is_cut_anywhere_is_shown_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps(records.to_json(RECORD))
    cut = tmp_path / "cut.json"
    for place in range(text.index('"moves"'), len(text), 31):
        cut.write_text(text[:place])
        code, told = run(capsys, cut, "--text")
        assert code in (ExitCode.OK, ExitCode.FAULTY_INPUT), (place, told)


def test_dresdens_record_is_replayed_by_rules_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = "".join(f"<step>{''.join(f'<move>{m.upper()}</move>' for m in joint)}</step>" for joint in MOVES)
    path = tmp_path / "finalstate.xml"
    path.write_text(
        f"<match><match-id>X</match-id><role>CROSS</role><role>NOUGHT</role><history>{steps}</history></match>"
    )
    code, told = run(capsys, path, "--game", "tic_tac_toe", "--text")
    assert code == ExitCode.OK
    assert "Turn 5: cross (mark 1 3)" in told
    assert "Result after 5 turns" in told
    assert "the rules of this match are not known" in run(capsys, path, "--text")[1]


def test_a_game_in_pdn_is_replayed_with_its_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.pdn"
    path.write_text('[Black "Ann"]\n[White "Ben"]\n1. 11-15 22-18 2. 15x22 25x18')
    code, told = run(capsys, path, "--text")
    assert code == ExitCode.OK
    assert "the text ends without a result" in told
    assert told.count("Turn ") == 4


def test_a_game_in_ptn_is_replayed_on_the_sheet_of_its_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.ptn"
    path.write_text('[Player1 "Ann"]\n[Player2 "Ben"]\n[Size "3"]\n\n1. a1 c3 2. b2 Sb1 3. c3<\n')
    code, told = run(capsys, path, "--text")
    assert code == ExitCode.OK
    assert "the text ends without a result" in told
    assert "Turn 5: white (spread c 3 left 1)" in told and told.count("Turn ") == 5


def test_json_is_read_as_such_whatever_its_file_is_called(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.pdn"
    records.write(RECORD, path)
    code, told = run(capsys, path, "--text")
    assert code == ExitCode.OK
    assert told.count("Turn ") == len(MOVES)


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["nothing.json"], ExitCode.FAULTY_INPUT, "cannot read"),
        (["bad.json"], ExitCode.FAULTY_INPUT, "bad.json: not a match record"),
        (["bad.json", "--text", "--html", "x.html"], ExitCode.WRONG_USAGE, "choose one"),
        (["bad.pdn", "--text"], ExitCode.FAULTY_INPUT, "bad.pdn: line 1: 'hello'"),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    arguments: list[str],
    code: int,
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{} hello")
    Path("bad.pdn").write_text("hello world *")
    found, told = run(capsys, *arguments)
    assert found == code
    assert reason in told
