"""Which mistakes of a rule sheet are found by playing it at random."""

import math

import pytest

from ludens import games
from ludens.agent.diagnosis.child_process import PlayDiagnosis, diagnose_by_play
from ludens.agent.diagnosis.diagnose import diagnose
from ludens.agent.diagnosis.marks import relations_of_state, with_marks
from ludens.propnet.base.child import Limits
from ludens.propnet.diagnosis.finding import Severity
from ludens.propnet.gdl.parser import parse_rules

ENOUGH = Limits(seconds=600, memory_mb=4096)
NO_NETWORK = Limits(seconds=0, memory_mb=4096)

COUNTED = """
(role x) (role o) (init (control x)) (init (count 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r (mark ?n)) (true (control ?r)) (succ ?m ?n))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?n ?r)) (does ?r (mark ?n)))
(<= (next (cell ?n ?r)) (true (cell ?n ?r)))
(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))
(<= (next (count ?n)) (true (count ?m)) (succ ?m ?n))
(<= (pair ?r) (true (cell 1 ?r)) (true (cell 2 ?r)))
(<= terminal (true (count 4)))
(<= (goal ?r 100) (pair ?r))
(<= (goal ?r 0) (role ?r) (not (pair ?r)))
"""


def played(text: str, number: int = 1000) -> PlayDiagnosis:
    """What some games show, which are the same on every machine."""
    return diagnose(parse_rules(text), lambda _line: None, math.inf, number, ENOUGH)


def told(text: str, number: int = 1000) -> list[str]:
    return [str(finding) for finding in played(text, number).findings]


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "connect_four", "breakthrough_small", "goofspiel", "lights_out"]
)
def test_nothing_is_found_in_built_in_games(name: str) -> None:
    assert played(games.read(name)).findings == ()


def test_nothing_is_found_in_a_good_game() -> None:
    found = played(COUNTED)
    assert found.findings == ()
    assert found.games == 1040


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (
            "tic_tac_toe",
            "(<= (legal ?player noop)\n    (opponent ?player ?mover)\n    (true (control ?mover)))",
            "",
            "nought has no legal move in 100 % of 1,040 random games, for example at the very beginning: each",
        ),
        (
            "tic_tac_toe",
            "(<= (goal ?player 50)\n    (role ?player)\n    (not decided))",
            "",
            r"cross and nought have no goal at the end of",
        ),
        (
            "tic_tac_toe",
            "    (role ?player)\n    (not decided))",
            "    (role ?player))",
            "have several goals (100, 50)",
        ),
        ("tic_tac_toe", "(<= terminal\n    (not open))", "", "nought has no legal move in"),
        (
            "tic_tac_toe",
            "(<= (next (control ?player))\n    (opponent ?player ?mover)\n    (true (control ?mover)))",
            "(<= (next (control ?player)) (true (control ?player)))",
            "nought won none of 1,040 random games, of which cross won 1,040",
        ),
        (
            "nim",
            "(<= terminal",
            "(<= (terminal_state)",
            "terminal is never reached in 1,040 random games: check the rules for terminal",
        ),
    ],
)
def test_mutants_of_built_in_games_are_found(name: str, old: str, new: str, words: str) -> None:
    text = games.read(name)
    assert old in text
    assert words in "\n".join(told(text.replace(old, new)))


def test_a_fact_that_is_not_carried_on_is_found_where_it_is_made() -> None:
    assert told(changed(COUNTED, "(<= (next (cell ?n ?r)) (true (cell ?n ?r)))\n", ""))[0] == (
        "line 5, column 5: warning: facts (cell … …), such as (cell 1 o), last one step only: what is not to change "
        "needs a rule that says so, such as (<= (next (cell ?a ?b)) (true (cell ?a ?b)) …)"
    )


@pytest.mark.parametrize(
    ("name", "frame", "shape"),
    [
        (
            "tic_tac_toe",
            "(<= (next (cell ?column ?row ?player))\n    (true (cell ?column ?row ?player)))",
            "(cell … … …)",
        ),
        (
            "nim",
            "(<= (next (pile ?pile ?size))\n    (true (pile ?pile ?size))\n    (not (touched ?pile)))",
            "(pile … …)",
        ),
    ],
)
def test_a_missing_frame_axiom_of_a_built_in_game_is_found(name: str, frame: str, shape: str) -> None:
    found = told(changed(games.read(name), frame, "(<= terminal (true (control nobody)))"), 1)
    assert any(f"facts {shape}" in line and "last one step only" in line for line in found)


def test_facts_of_one_value_that_are_not_carried_on_are_found() -> None:
    text = games.read("tic_tac_toe").replace(
        "    (true (cell ?column ?row ?player)))\n(<= (next (cell ?column ?row ?player))",
        "    (true (cell ?column ?row ?player)) (distinct ?player nought))\n(<= (next (cell ?column ?row ?player))",
    )
    assert any("facts (cell … … nought), such as" in line for line in told(text))


def test_a_game_that_goes_on_for_ever_is_told() -> None:
    text = changed(COUNTED, "(<= terminal (true (count 4)))", "(<= terminal (true (count 9)))")
    text = changed(text, "(succ ?m ?n))\n(<= (legal ?r noop)", "(count ?n))\n(<= (legal ?r noop)")
    found = [str(finding) for finding in played(text + "(count 1) (count 2)", 1).findings]
    assert any(
        "terminal is never reached in 16 random games, which went on for 1,000 steps: check" in line for line in found
    )


def test_a_relation_that_never_holds_is_told_unless_another_is_to_blame() -> None:
    text = changed(
        COUNTED, "(true (cell 1 ?r)) (true (cell 2 ?r))", "(true (cell 1 x)) (true (cell 1 o)) (true (cell 3 ?r))"
    )
    text = changed(
        text, "(<= (next (cell ?n ?r)) (does ?r (mark ?n)))", "(<= (next (cell ?n ?r)) (does ?r (mark ?n)) (free ?n))"
    )
    text += "(<= (free ?n) (succ ?m ?n) (not (taken ?n))) (<= (taken ?n) (true (cell ?n ?r)))"
    found = told(text + "(<= (rich ?r) (pair ?r)) (<= (goal ?r 50) (rich ?r))")
    assert "line 10, column 5: warning: pair never held in 1,040 random games: check what its rules ask for" in found
    assert not any("rich" in line for line in found)


def test_relations_that_depend_on_moves_have_no_mark() -> None:
    sheet = parse_rules(COUNTED + "(<= (moved ?r) (does ?r (mark ?n))) (<= (still ?r) (role ?r) (not (moved ?r)))")
    assert relations_of_state(sheet) == ("pair",)


def test_marks_are_not_seen_by_rules_that_ask_for_legal_moves() -> None:
    text = COUNTED + "(<= (may ?r ?m) (legal ?r ?m)) (<= terminal (may x holds:pair))"
    _, marks = with_marks(parse_rules(text))
    assert set(marks.values()) == {"pair", "may"}
    assert all(mark not in text for mark in marks)
    assert told(text) == told(COUNTED) == []


def test_chance_needs_no_goal_at_the_end() -> None:
    assert (
        told(
            COUNTED.replace("(role o)", "(role random)")
            .replace(" o)", " random)")
            .replace("(<= (goal ?r 0) (role ?r)", "(<= (goal x 0) (role x)")
            .replace("(goal ?r 100) (pair ?r)", "(goal x 100) (pair x)")
            .replace("(pair ?r)))", "(pair x)))")
        )
        == []
    )


def test_games_are_the_same_in_every_run() -> None:
    text = games.read("tic_tac_toe").replace("(<= terminal\n    (not open))", "")
    assert played(text) == played(text)


def test_rules_that_no_machine_can_play_are_told_with_the_reason() -> None:
    found = diagnose_by_play(parse_rules(COUNTED), NO_NETWORK)
    assert (found.findings, found.games) == ((), 0)
    assert found.obstacle == "playing the rules takes more than the 0 s that validate allows"


def test_a_relation_that_denies_itself_is_no_matter_unless_the_game_asks_for_it() -> None:
    unread = "(e a b) (e b a) (<= (odd ?x) (true (control x)) (e ?x ?y) (not (odd ?y)))"
    assert played(COUNTED + unread).findings == ()


def test_facts_that_nest_deeper_than_what_is_read_do_not_stop_play() -> None:
    sheet = "(role p) (legal p go) (init (n a)) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n b)))"
    found = diagnose(parse_rules(sheet + "(goal p 100)"), lambda _line: None, math.inf, 1, NO_NETWORK)
    assert found.games >= 1


def test_a_process_of_its_own_finds_the_same() -> None:
    text = changed(COUNTED, "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))", "")
    (finding,) = diagnose_by_play(parse_rules(text), ENOUGH).findings
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("o has no legal move in 100 % of ")


def test_what_the_rule_machine_plays_is_judged_as_well() -> None:
    text = changed(COUNTED, "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))", "")
    found = diagnose(parse_rules(text), lambda _line: None, math.inf, 20, NO_NETWORK)
    assert [finding.message.partition(":")[0] for finding in found.findings] == [
        "o has no legal move in 100 % of 20 random games, for example at the very beginning"
    ]
