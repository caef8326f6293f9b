"""What is read of a rule sheet whose parentheses do not match, and what is said about them."""

from bisect import bisect_right

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens import games
from ludens.propnet.gdl.conditions import atoms
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.recovery import read
from ludens.propnet.gdl.syntax import Position

GAME = """\
(role red)
(init (cell 1 b))
(init (cell 2 b))
(<= (legal red (mark ?x))
    (true (cell ?x b)))
(<= (next (cell ?x r))
    (does red (mark ?x)))
(<= terminal
    (true (cell 1 r))
    (true (cell 2 r)))
(goal red 100)
"""

LACKS_ONE = "is not closed: a ')' is missing, it seems in"
ONE_TOO_MANY = "this ')' closes nothing: take it away, or add the '(' that is missing in the rule that begins in line"


def told(text: str) -> list[str]:
    return [str(fault) for fault in read(text).faults]


def test_a_sheet_without_a_fault_is_read_as_the_parser_reads_it() -> None:
    for name in games.names():
        reading = read(games.read(name))
        assert reading.sheet == parse_rules(games.read(name))
        assert reading.faults == ()
        assert reading.unread == frozenset()


@pytest.mark.parametrize(
    ("whole", "damaged", "message"),
    [
        (
            "(legal red (mark ?x))\n",
            "(legal red (mark ?x)\n",
            f"line 4, column 1: this rule for legal {LACKS_ONE} line 4 behind column 24",
        ),
        (
            "(true (cell 2 r)))",
            "(true (cell 2 r))",
            f"line 8, column 1: this rule for terminal {LACKS_ONE} line 10 behind column 21",
        ),
        (
            "(init (cell 1 b))",
            "(init (cell 1 b)",
            f"line 2, column 1: this fact for init {LACKS_ONE} line 2 behind column 16",
        ),
        (
            "(goal red 100)",
            "(goal red 100",
            f"line 11, column 1: this fact for goal {LACKS_ONE} line 11 behind column 13",
        ),
        (
            "    (does red (mark ?x)))",
            "    (does red (mark ?x",
            "line 6, column 1: this rule for next is not closed: 3 ')' are missing, before line 8, "
            "where the next one begins",
        ),
        ("    (does red (mark ?x)))", "    (does red (mark ?x))))", f"line 7, column 26: {ONE_TOO_MANY} 6"),
        ("    (true (cell 1 r))", "    true (cell 1 r))", f"line 10, column 22: {ONE_TOO_MANY} 8"),
        ("(<= terminal", "<= terminal", "line 8, column 1: a '(' is missing before this '<='"),
        ("(role red)\n", ")\n", "line 1, column 1: this ')' closes nothing: take it away"),
    ],
)
def test_each_parenthesis_is_told_with_the_rule_that_it_belongs_to(whole: str, damaged: str, message: str) -> None:
    assert told(GAME.replace(whole, damaged)) == [message]


def test_all_faults_are_told_and_what_is_right_is_read() -> None:
    text = GAME.replace("(mark ?x))\n", "(mark ?x)\n").replace("(goal red 100)", "(goal red 100))")
    text = text.replace("(true (cell 1 r))", "(not (true (cell 1 r)) p)")
    assert [fault.line for fault in read(text).faults] == [4, 9, 11]
    lost = read(text)
    assert {str(rule.head) for rule in parse_rules(GAME).rules} - {str(rule.head) for rule in lost.sheet.rules} == {
        "terminal"
    }
    assert {"terminal", "not", "r"} <= lost.unread
    assert "goal" not in lost.unread


def test_a_rule_whose_missing_parenthesis_has_one_place_only_is_read_with_it() -> None:
    assert set(read(GAME.replace("(mark ?x))\n", "(mark ?x)\n")).sheet.rules) == set(parse_rules(GAME).rules)


@pytest.mark.parametrize("end", ["\n", " ", " ; a comment\n"])
def test_all_that_a_rule_read_so_says_has_its_place_in_the_text(end: str) -> None:
    text = GAME.replace("(mark ?x))\n    (true", f"(mark ?x){end}    (true")
    (rule,) = (rule for rule in read(text).sheet.rules if rule.head.name == "legal")
    found = [atom.position for atom in atoms(rule)]
    before = text[: text.index("(true (cell ?x b))")]
    assert found == [Position(4, 5), Position(before.count("\n") + 1, len(before) - before.rfind("\n"))]


def test_conditions_that_are_not_indented_do_not_end_a_rule() -> None:
    text = "\n".join(line.lstrip() for line in GAME.splitlines())
    assert [fault.line for fault in read(text.replace("(true (cell 2 r)))", "(true (cell 2 r))")).faults] == [8]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_parenthesis_that_is_dropped_from_a_game_is_missed_in_its_rule(data: st.DataObject) -> None:
    text = games.read(data.draw(st.sampled_from(games.names())))
    places = [i for i, character in enumerate(text) if character in "()" and not _in_comment(text, i)]
    place = data.draw(st.sampled_from(places))
    starts = [rule.position.line for rule in parse_rules(text).rules]
    line = text.count("\n", 0, place) + 1
    first = starts[bisect_right(starts, line) - 1]
    (fault,) = read(text[:place] + text[place + 1 :]).faults
    assert first <= fault.line <= line + _lines_to_end_of_rule(text, place)


@given(st.text(alphabet="()?;<= \n\rapno\ufeffr\0", max_size=40))
@settings(max_examples=300)
def test_any_text_gives_a_sheet_or_faults_with_their_places(text: str) -> None:
    reading = read(text)
    assert all(fault.line > 0 and fault.column > 0 for fault in reading.faults)
    assert parse_rules(str(reading.sheet)) == reading.sheet


@pytest.mark.parametrize("opening", ["(", "(p ", "(<= p (not ", "(<= p (or (and q ", "(p\n", ")", "p ) "])
def test_of_thousands_of_faults_some_are_told(opening: str) -> None:
    assert read(opening * 20_000).faults


def _in_comment(text: str, place: int) -> bool:
    return ";" in text[text.rfind("\n", 0, place) + 1 : place]


def _lines_to_end_of_rule(text: str, place: int) -> int:
    """How many lines follow that of `place` before the next line that is not indented."""
    rest = text[place:].split("\n")[1:]
    return next((i for i, line in enumerate(rest) if not line.startswith((" ", "\t"))), len(rest))
