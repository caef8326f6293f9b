"""Match records: ggp-base's fields, whole files or none, and back again."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.agent.records import record as records
from ludens.agent.records.record import MatchRecord, RecordError

_WORDS = st.text("abcxyz0123456789+-_", min_size=1, max_size=4)
_TERMS = st.recursive(
    _WORDS, lambda terms: st.lists(terms, min_size=2, max_size=4).map(lambda parts: f"({' '.join(parts)})")
)

FINISHED = MatchRecord(
    match_id="Ludens.nim.1",
    random_token="00ff",
    start_time=1_700_000_000_000,
    start_clock=10,
    play_clock=2,
    players=["uct", "127.0.0.1:9147"],
    scrambled=True,
    completed=True,
    states=[["(control white)", "(heap 2)"], ["(heap 0)"]],
    moves=[["(take 2)", "noop"]],
    state_times=[1_700_000_000_100, 1_700_000_002_100],
    errors=[["", "CE"], ["", "TO"]],
    goals=[100, 0],
)


def test_a_record_has_the_fields_of_ggp_base() -> None:
    assert records.to_json(FINISHED) == {
        "matchId": "Ludens.nim.1",
        "randomToken": "00ff",
        "startTime": 1_700_000_000_000,
        "gameMetaURL": "",
        "isCompleted": True,
        "isAborted": False,
        "states": ["( (control white) (heap 2) )", "( (heap 0) )"],
        "moves": [["(take 2)", "noop"]],
        "stateTimes": [1_700_000_000_100, 1_700_000_002_100],
        "errors": [["", "CE"], ["", "TO"]],
        "goalValues": [100, 0],
        "previewClock": -1,
        "startClock": 10,
        "playClock": 2,
        "playerNamesFromHost": ["uct", "127.0.0.1:9147"],
        "isPlayerHuman": [False, False],
        "scrambled": True,
    }


def test_a_match_that_was_broken_off_has_no_goal_values() -> None:
    assert "goalValues" not in records.to_json(replace(FINISHED, goals=[], completed=False, aborted=True))


def test_a_tournament_is_named_only_when_there_is_one() -> None:
    assert "tournamentNameFromHost" not in records.to_json(FINISHED)
    assert records.to_json(replace(FINISHED, tournament="cup"))["tournamentNameFromHost"] == "cup"


@given(states=st.lists(st.lists(_TERMS, max_size=4), max_size=3), tournament=_WORDS)
def test_what_is_written_is_read_back_the_same(states: list[list[str]], tournament: str) -> None:
    record = replace(FINISHED, states=states, tournament=tournament)
    assert records.from_json(json.loads(json.dumps(records.to_json(record)))) == record


@pytest.mark.parametrize("null", [False, True])
def test_what_ggp_base_takes_as_optional_may_be_missing(null: bool) -> None:
    """Of games that come from a file its manager writes no address; old versions write less."""
    optional = ("gameMetaURL", "isAborted", "previewClock", "scrambled", "errors", "playerNamesFromHost", "goalValues")
    fields = records.to_json(FINISHED)
    for name in optional:
        del fields[name]
    fields |= dict.fromkeys(optional) if null else {}
    assert records.from_json(fields) == replace(FINISHED, scrambled=False, errors=[], players=[], goals=[])


@pytest.mark.parametrize("name", ["matchId", "moves", "startClock"])
def test_a_field_that_is_missing_is_named(name: str) -> None:
    fields = records.to_json(FINISHED)
    del fields[name]
    with pytest.raises(RecordError, match=f"^not a match record: it lacks {name}$"):
        records.from_json(fields)


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("gameName", 5, "a text"),
        ("rules", 5, "a text"),
        ("isCompleted", "yes", "true or false"),
        ("startClock", "soon", "a number"),
        ("playClock", True, "a number"),
        ("goalValues", [50.5], "a list of whole numbers"),
        ("states", [["(a 1)"]], "a list of texts"),
        ("moves", ["noop"], "a list of lists of texts"),
        ("stateTimes", [None], "a list of numbers"),
        ("warnings", {}, "a list of texts"),
        ("remarks", [1], "a list of texts"),
        ("errors", "", "a list"),
    ],
)
def test_a_field_of_another_kind_is_named(name: str, value: object, kind: str) -> None:
    with pytest.raises(RecordError, match=f"^not a match record: its {name} must be {kind}$"):
        records.from_json(records.to_json(FINISHED) | {name: value})


def test_a_state_is_read_whatever_white_space_stands_in_it() -> None:
    fields = records.to_json(FINISHED) | {"states": ["( ( cell 1  ( 2 ) b )\n( step ) control)"]}
    assert records.from_json(fields).states == [["(cell 1 (2) b)", "(step)", "control"]]


def test_writing_makes_the_folder_and_leaves_nothing_else_in_it(tmp_path: Path) -> None:
    path = tmp_path / "records" / "match.json"
    records.write(replace(FINISHED, goals=[0, 100]), path)
    records.write(FINISHED, path)
    assert records.read(path) == FINISHED
    assert list(path.parent.iterdir()) == [path]


def test_a_record_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordError, match=r"^cannot write .*match\.json: .*$"):
        records.write(FINISHED, tmp_path / "file" / "match.json")


def test_a_record_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    link, path = tmp_path / "link.json", tmp_path / "far" / "match.json"
    link.symlink_to(path)
    for record in (replace(FINISHED, goals=[0, 100]), FINISHED):
        records.check_writable(link)
        records.write(record, link)
        assert records.read(path) == record
    assert link.is_symlink()
    assert [file.name for file in path.parent.iterdir()] == ["match.json"]


def test_what_is_no_regular_file_is_not_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in ((".", "it is a folder"), ("pipe", "it is no regular file"), (300 * "x", "name too long")):
        with pytest.raises(RecordError, match=f"(?i)^cannot write .*: .*{reason}$"):
            records.check_writable(tmp_path / name)


def test_a_text_that_no_encoding_has_is_written_all_the_same(tmp_path: Path) -> None:
    records.write_text("caf\udce9", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "caf?"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"matchId": "x"}'])
def test_what_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError):
        records.read(path)


def test_a_record_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot read"):
        records.read(tmp_path / "none.json")


def test_the_number_of_errors_counts_players_not_turns() -> None:
    assert FINISHED.error_count == 2


def test_warnings_and_remarks_are_kept_and_read_back(tmp_path: Path) -> None:
    weaker = replace(FINISHED, warnings=["plays without a network"], remarks=["plays by uct: nothing else suits"])
    assert not {"warnings", "remarks"} & set(records.to_json(FINISHED))
    records.write(weaker, tmp_path / "match.json")
    assert records.read(tmp_path / "match.json") == weaker


# ---- What players thought ----


def test_of_each_role_the_last_thought_of_a_position_counts(tmp_path: Path) -> None:
    record = replace(FINISHED, thoughts=[])
    record.note_thought(1, {"role": 0, "value": 10.0})
    record.note_thought(1, {"role": 1, "value": 20.0})
    record.note_thought(1, {"role": 0, "value": 30.0})
    assert record.thoughts == [[], [{"role": 0, "value": 30.0}, {"role": 1, "value": 20.0}]]
    records.write(record, tmp_path / "match.json")
    assert records.read(tmp_path / "match.json") == record


def test_game_and_rules_are_kept_and_read_back(tmp_path: Path) -> None:
    record = replace(FINISHED, game="nim", rules="(role white)")
    assert {"gameName": "nim", "rules": "(role white)"}.items() <= records.to_json(record).items()
    records.write(record, tmp_path / "match.json")
    assert records.read(tmp_path / "match.json") == record


@pytest.mark.parametrize(
    "thoughts",
    [
        "x",
        [{}],
        [["x"]],
        [[{"value": 3}]],
        [[{"role": "white"}]],
        [[{"role": 0, "line": 3}]],
        [[{"role": 0, "line": [[1]]}]],
        [[{"role": 0, "candidates": [{}]}]],
        [[{"role": 0, "candidates": [{"move": "noop", "visits": "many"}]}]],
        [[{"role": 0, "playouts": "many"}]],
        [[{"role": 0, "value": "good"}]],
        [[{"role": True}]],
    ],
)
def test_thoughts_that_are_none_are_refused(thoughts: object) -> None:
    with pytest.raises(RecordError, match="thoughts"):
        records.from_json(records.to_json(FINISHED) | {"thoughts": thoughts})
