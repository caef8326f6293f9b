"""Records of several makes are read, whole or damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.agent.records import record as records
from ludens.agent.records.reading import PAGE_DATA, read_record, read_text, written_notation
from ludens.agent.records.record import RecordError
from ludens.agent.records.salvage import salvage
from tests.agent.records.test_record import FINISHED

MATCH = replace(FINISHED, game="nim", rules="(role white)", thoughts=[[{"role": 0, "value": 50.0}]])

DRESDEN = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE match SYSTEM "http://games.stanford.edu/gamemaster/xml/viewmatch.dtd">
<match><match-id>Cup.7</match-id><role>XPLAYER</role><role>OPLAYER</role><player>ALICE</player><player>BOB</player>
<timestamp>1300000000000</timestamp><startclock>30</startclock><playclock>10</playclock>
<history>
<step><step-number>1</step-number><move>(MARK 1  1)</move><move>NOOP</move></step>
<step><step-number>2</step-number><move>NOOP</move><move>(MARK 2 (S 2))</move></step>
</history>
<scores><reward>100</reward><reward>0</reward></scores>
<state><fact><prop-f>CELL</prop-f><arg>1</arg><arg><prop-f>S</prop-f><arg>2</arg></arg></fact>
<fact><prop-f>OVER</prop-f></fact></state></match>
"""

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


# ---- JSON that ends in the middle ----


@given(value=_JSON, share=st.floats(0, 1))
def test_whatever_is_salvaged_of_json_is_a_part_of_it(value: object, share: float) -> None:
    text = json.dumps({"all": value})
    try:
        found = salvage(text[: round(share * len(text))])
    except ValueError:
        return
    assert _is_part(found, {"all": value})


def _is_part(part: object, whole: object) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_part, part, whole))
    return part == whole


def test_whole_json_is_salvaged_whole_and_a_cut_number_is_left_out() -> None:
    assert salvage('{"a": [1, {"b": "x\\"]"}]}  ') == {"a": [1, {"b": 'x"]'}]}
    assert salvage('{"a": 1, "b": 23') == {"a": 1}
    assert salvage('{"a": [["p", "q"], ["r"') == {"a": [["p", "q"], ["r"]]}
    assert salvage('{"a": {"b": 1, "c"') == {"a": {"b": 1}}


def test_many_open_brackets_take_no_longer_than_other_text() -> None:
    """So many lists, each in the one before, would take hours if each cost as much as all around it."""
    with pytest.raises(RecursionError):
        salvage(300_000 * "[")


# ---- ggp-base's and our own JSON ----


def test_a_whole_record_is_read_without_a_notice() -> None:
    found = read_record(json.dumps(records.to_json(MATCH)))
    assert found.record == MATCH
    assert not found.notice


def test_a_record_cut_in_the_middle_is_told_and_what_there_is_is_read() -> None:
    text = json.dumps(records.to_json(MATCH), indent=1)
    found = read_record(text[: text.index('"stateTimes"')])
    assert "breaks off in line" in found.notice
    assert (found.record.moves, found.record.states) == (MATCH.moves, MATCH.states)
    assert found.record.rules == MATCH.rules
    assert not found.record.completed


@pytest.mark.parametrize("damage", ["#", "1 2", '"\\q"', "}"])
def test_a_record_damaged_in_the_middle_is_read_up_to_there(damage: str) -> None:
    text = json.dumps(records.to_json(MATCH), indent=1)
    found = read_record(text.replace('"stateTimes": [', f'"stateTimes": [{damage}'))
    assert "breaks off in line" in found.notice
    assert (found.record.moves, found.record.states) == (MATCH.moves, MATCH.states)


@pytest.mark.parametrize("cut", ['"role"', '"move": "(take', '"visits"'])
def test_a_thought_that_is_cut_is_left_out(cut: str) -> None:
    first = {"role": 0, "value": 50.0}
    second = {"role": 1, "candidates": [{"role": 1, "move": "noop"}, {"role": 1, "move": "(take 1)", "visits": 3}]}
    text = json.dumps(records.to_json(replace(MATCH, thoughts=[[first, second]])))
    found = read_record(text[: text.rindex(cut) + len(cut)])
    whole = second | {"candidates": [{"role": 1, "move": "noop"}, {"role": 1, "move": "(take 1)"}]}
    assert found.record.thoughts == [[first, whole] if cut == '"visits"' else [first]]


def test_a_joint_move_that_is_cut_is_left_out() -> None:
    played = replace(MATCH, moves=[["(take 1)", "noop"], ["noop", "(take 1)"]])
    text = json.dumps(records.to_json(played))
    found = read_record(text[: text.index('"noop", "(take 1)"') + len('"noop", "(ta')])
    assert found.record.moves == [["(take 1)", "noop"]]


def test_rules_stand_before_the_moves_so_that_what_is_left_can_be_replayed() -> None:
    names = list(records.to_json(MATCH))
    assert names.index("rules") < names.index("moves") < names.index("states") < names.index("thoughts")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("[1, 2]", "neither"),
        ('{"name": "x"}', "no|not a match record"),
        ('{"name": "x", "', "not a match record"),
        ("hello", "neither"),
        (json.dumps(records.to_json(MATCH) | {"moves": [3]}), "not a match record"),
        (json.dumps(records.to_json(MATCH) | {"playerNamesFromHost": [None, 1]}), "not a match record"),
        ('{"matchId": ' + 100_000 * "[", "too deeply"),
        ('{"matchId" ' + 100_000 * "[", "not a match record"),
        ("<html><body>hello", "none of ours"),
        ("<a><b/></a>", "not a match record"),
        ('<!DOCTYPE match [<!ENTITY a "b">]><match><match-id>&a;</match-id></match>', "entities"),
    ],
)
def test_what_is_no_record_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        read_record(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_file_is_read_in_the_usual_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_bytes("Zürich".encode(encoding))
    assert read_text(path) == "Zürich"


def test_a_file_that_is_cut_in_a_letter_is_read_up_to_it(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_bytes("aü".encode()[:-1])
    assert read_text(path) == "a"


def test_a_file_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot read"):
        read_text(tmp_path / "nothing")


# ---- Dresden's XML ----


def test_dresdens_xml_is_read_in_the_spelling_of_rule_sheets() -> None:
    found = read_record(DRESDEN)
    assert found.roles == ("xplayer", "oplayer")
    assert found.record.match_id == "Cup.7"
    assert found.record.players == ["ALICE", "BOB"]
    assert found.record.moves == [["(mark 1 1)", "noop"], ["noop", "(mark 2 (s 2))"]]
    assert (found.record.goals, found.record.completed) == ([100, 0], True)
    assert (found.record.start_clock, found.record.play_clock) == (30, 10)
    assert found.record.start_time == 1_300_000_000_000
    assert not found.notice


def test_a_time_that_is_no_number_is_left_out() -> None:
    assert read_record(DRESDEN.replace("1300000000000", "12ab")).record.start_time == 0


def test_a_state_before_any_move_is_kept_with_nested_facts() -> None:
    start, _, rest = DRESDEN.partition("<history>")
    text = start + rest.partition("</scores>")[2]
    assert read_record(text).record.states == [["(cell 1 (s 2))", "over"]]


def test_xml_cut_in_the_middle_is_told_and_its_whole_moves_are_read() -> None:
    found = read_record(DRESDEN[: DRESDEN.index("(MARK 2")])
    assert found.record.moves == [["(mark 1 1)", "noop"]]
    assert not found.record.completed
    assert "breaks off" in found.notice


# ---- Our own pages ----


def page(text: str) -> str:
    return f"<!doctype html><html><body>{PAGE_DATA}{text}</script><script>run()</script></body></html>"


def test_a_page_of_ours_holds_its_record() -> None:
    data = json.dumps({"record": records.to_json(MATCH), "view": {"roles": ["white", "black"]}})
    found = read_record(page(data))
    assert found.record == MATCH
    assert found.roles == ("white", "black")


def test_a_page_whose_roles_are_none_still_holds_its_record() -> None:
    found = read_record(page(json.dumps({"record": records.to_json(MATCH), "view": {"roles": 5}})))
    assert (found.record, found.roles) == (MATCH, ())


def test_a_page_that_is_cut_still_gives_what_it_has() -> None:
    text = page(json.dumps({"record": records.to_json(MATCH)}))
    found = read_record(text[: text.index('"stateTimes"')])
    assert found.record.moves == MATCH.moves
    assert found.notice
    with pytest.raises(RecordError, match="cut before its match begins"):
        read_record(text[: text.index(PAGE_DATA) + len(PAGE_DATA) + 5])


@pytest.mark.parametrize(
    ("text", "name", "notation"),
    [
        ("1. 11-15", "game.PDN", "pdn"),
        ("{a comment} 1. 11-15", "game.pdn", "pdn"),
        ('{\n "matchId": "M.1"}', "game.pdn", None),
        ('{"matchId": "M.1"}', "match.json", None),
    ],
)
def test_a_notation_is_known_by_the_name_of_the_file_but_json_by_its_beginning(
    text: str, name: str, notation: str | None
) -> None:
    found = written_notation(text, name)
    assert (found and found.name) == notation
