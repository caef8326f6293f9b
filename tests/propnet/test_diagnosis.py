"""Which mistakes of a rule sheet are found by reading it, how bad they are, and what is advised."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens import games
from ludens.propnet.diagnosis.finding import Severity
from ludens.propnet.diagnosis.reading import Diagnosis, diagnose
from ludens.propnet.gdl.argument_domains import ArgumentDomains, symbol
from ludens.propnet.gdl.check import ARITY
from ludens.propnet.gdl.conditions import atoms
from ludens.propnet.gdl.parser import parse_rules
from tests.support.paths import real_sheets

GAME = """\
(role x)
(role o)
(init (cell 1 1 b))
(init (control x))
(<= (legal ?player (mark ?m ?n)) (true (cell ?m ?n b)) (true (control ?player)))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))
(<= (next (cell ?m ?n ?player)) (does ?player (mark ?m ?n)))
(<= (next (cell ?m ?n ?value)) (true (cell ?m ?n ?value)) (distinct ?value b))
(<= (next (control o)) (true (control x)))
(<= (next (control x)) (true (control o)))
(<= (line ?player) (role ?player) (true (cell 1 1 ?player)))
(<= terminal (line ?player))
(<= (goal ?player 100) (line ?player))
(<= (goal ?player 0) (role ?player) (not (line ?player)))
"""


def told(text: str) -> list[str]:
    return [str(finding) for finding in diagnose(text).findings]


def changed(old: str, new: str) -> str:
    assert GAME.count(old) == 1
    return GAME.replace(old, new)


def test_a_sheet_without_mistakes_has_no_findings() -> None:
    assert told(GAME) == []


@pytest.mark.parametrize("name", games.names())
def test_nothing_is_found_in_built_in_games(name: str) -> None:
    assert told(games.read(name)) == []


def test_no_real_sheet_has_an_error() -> None:
    for path in real_sheets().values():
        assert not diagnose(path.read_text(encoding="utf-8", errors="replace")).has_errors, path


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "(role ?player) (true (cell 1 1 ?player))",
            "(role ?player) (true (cell 1 1))",
            "line 11, column 35: error: (cell 1 1) has 2 arguments, but 3 arguments where init or next makes it",
        ),
        (
            "(next (cell ?m ?n ?player))",
            "(next (cell ?m ?player))",
            "line 7, column 5: error: (cell ?m ?player) has 2 arguments, but 3 arguments where it is read",
        ),
        (
            "(does ?player (mark ?m ?n))",
            "(does ?player (mark ?m ?n b))",
            "line 7, column 33: error: (mark ?m ?n b) has 3 arguments, but 2 arguments where legal makes it",
        ),
        (
            "(does ?player (mark ?m ?n))",
            "(does c (mark ?m ?n)) (role ?player)",
            "line 7, column 33: error: c in (does c (mark ?m ?n)) is no role: the roles are x, o",
        ),
        (
            "(legal ?player noop)",
            "(legal player noop)",
            "line 6, column 5: error: player in (legal player noop) is no role: the roles are x, o",
        ),
        ("(goal ?player 0)", "(goal z 0)", "line 14, column 5: error: z in (goal z 0) is no role: the roles are x, o"),
        (
            "(next (cell ?m ?n ?player))",
            "(next (cel ?m ?n ?player))",
            "line 7, column 5: warning: nothing reads (cel ?m ?n ?player); did you mean cell?",
        ),
        (
            "(<= (line ?player) (role ?player) (true (cell 1 1 ?player)))",
            "(<= (line ?player) (role ?player) (true (cel 1 1 ?player)))",
            "line 11, column 35: warning: (true (cel 1 1 ?player)) never holds: no init or next rule makes (cel …); "
            "did you mean cell?",
        ),
        (
            "(true (cell ?m ?n b))",
            "(true (cell ?m ?n blank))",
            "line 5, column 34: warning: (true (cell ?m ?n blank)) never holds: instead of blank there is only b",
        ),
        (
            "(<= terminal (line ?player))",
            "(<= terminal (lime ?player))",
            "line 12, column 14: warning: (lime ?player) never holds: no rule defines lime; did you mean line?",
        ),
        (
            "(<= terminal (line ?player))",
            "(<= terminal (line ?player)) (<= spare (line ?player))",
            "line 12, column 34: warning: no rule asks for spare: use it, or take its rules away",
        ),
        (
            "(<= terminal (line ?player))",
            "(<= terminal (does ?player (mark ?m ?n)))",
            "line 12, column 14: error: terminal must not depend on does, in a rule for terminal",
        ),
        (
            "(goal ?player 100)",
            "(goal ?player 70)",
            "line 1, column 1: warning: x can never win: no rule gives it the goal 100, at most 70",
        ),
        (
            "(<= (goal ?player 100) (line ?player))\n(<= (goal ?player 0)",
            "(<= (goal o 100) (line o))\n(<= (goal o 0)",
            "line 1, column 1: warning: no rule gives x a goal: add a rule such as (<= (goal x 100) …)",
        ),
        (
            "(true (cell 1 1 ?player))",
            "(true (control ?m)) (true (cell 1 1 ?player)) (true (cell ?m 1 ?player))",
            "line 11, column 1: warning: this rule for (line ?player) never applies: its conditions exclude each other",
        ),
        (
            "(goal ?player 0)",
            "(goal ?player 00)",
            "line 14, column 5: warning: (goal ?player 00) counts as no goal, since "
            "no player takes 00 for a number: write 0",
        ),
        (
            "(role x)",
            "(role x) (base (control ?x))",
            "line 1, column 10: error: ?x in (base (control ?x)) has no value: "
            "add a condition that is not negated and holds ?x, in a rule for (base (control ?x))",
        ),
        (
            "(role x)",
            "(role x) (base (control x)) (base (control o)) (base (sell 1 1 b))",
            "line 1, column 48: warning: base declares (sell 1 1 b), which no rule makes; did you mean cell?",
        ),
        (
            "(role x)",
            "(role x) (input x noop)",
            "line 5, column 5: warning: no input declares (mark ?m ?n): input should list the moves that can be made",
        ),
    ],
)
def test_each_mistake_is_told_with_its_place_and_advice(old: str, new: str, finding: str) -> None:
    found = told(changed(old, new))
    assert finding in found


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_misspelt_name_in_a_built_in_game_is_told_in_its_line(data: st.DataObject) -> None:
    text = games.read(data.draw(st.sampled_from(games.names())))
    names = {name for name in _own_names(text) if len(name) > 3}
    places = [match for match in re.finditer(r"^[^;\n]*\(([a-z_]+)[ )]", text, re.MULTILINE) if match[1] in names]
    match = data.draw(st.sampled_from(places))
    start = match.start(1) + data.draw(st.integers(0, len(match[1]) - 1))
    line = text.count("\n", 0, start) + 1
    assert line in [finding.line for finding in diagnose(text[:start] + text[start + 1 :]).findings]


def _own_names(text: str) -> set[str]:
    """The names of the author's own relations and facts."""
    used = [atom for rule in parse_rules(text).rules for atom in atoms(rule)]
    facts = {name[0] for atom in used if atom.name == "true" and (name := symbol(atom.args[0]))}
    return facts | {atom.name for atom in used if atom.name not in ARITY}


def test_a_game_without_end_or_change_is_warned_about() -> None:
    assert told("(role red) (legal red wait)") == [
        "warning: the rules define no init: say which facts hold at first, by (init …)",
        "warning: the rules define no next: say which facts hold after a step, by (<= (next …) …)",
        "warning: the rules define no terminal: say when the game is over, by (<= terminal …)",
        "line 1, column 1: warning: no rule gives red a goal: add a rule such as (<= (goal red 100) …)",
    ]


def test_a_sheet_without_roles_is_told_to_list_them_and_nothing_else_about_them() -> None:
    found = told(
        "(init a) (<= (legal x go) (true a)) (<= (next a) (does x go)) (<= terminal (not (true a))) (goal x 1)"
    )
    assert [line for line in found if "error" in line] == [
        "error: the rules define no role: list each player as (role NAME)"
    ]


def test_chance_and_percepts_are_said_to_have_no_meaning_and_nothing_else_of_them() -> None:
    dealt = "(role random) (legal random deal)\n(<= (sees ?player ?move) (role ?player) (does random ?move)) (sees x y)"
    assert told(GAME + dealt) == [
        "line 15, column 1: warning: random is a role like others, which chooses its moves: chance is of GDL-II",
        "line 16, column 5: warning: sees has no meaning, as each role sees everything: what is hidden is of GDL-II",
    ]


def test_names_in_rules_that_cannot_be_read_are_not_missed() -> None:
    assert severities(diagnose(changed("(<= (line ?player) (role ?player)", "(<= (line ?player) (not a b)"))) == [
        "error"
    ]


def test_mistakes_beside_a_missing_parenthesis_are_found() -> None:
    text = changed("(<= terminal (line ?player))", "(<= terminal (line ?player)").replace(
        "(true (control x))", "(true (control x y))"
    )
    assert severities(diagnose(text)) == ["error", "error"]


def severities(diagnosis: Diagnosis) -> list[str]:
    return [finding.severity.value for finding in diagnosis.findings]


def test_findings_are_in_the_order_of_the_text() -> None:
    text = changed("(does ?player (mark ?m ?n))", "(does z (mark ?m ?n)) (role ?player)").replace(
        "(control o)", "(contrl o)"
    )
    places = [finding.place for finding in diagnose(text).findings]
    assert places == sorted(places)
    assert len(places) > 2


def test_a_warning_about_what_is_wrong_anyway_is_left_out() -> None:
    found = diagnose(changed("(true (cell ?m ?n b))", "(true (cell ?m ?n))")).findings
    assert [finding.severity for finding in found if finding.line == 5] == [Severity.ERROR]


COUNTER = """\
(role robot) (init (step z)) (legal robot wait) (goal robot 100)
(<= (next (step (s ?n))) (true (step ?n)))
(<= terminal (true (step (s (s z)))))
"""
NUMBERS = "(num z) (<= (num (s ?x)) (num ?x)) (<= terminal (num (s z)))"
ENDLESS = "may be made of ever deeper terms, without end"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (COUNTER, ["line 2, column 1: warning: (next (step (s ?n)))"]),
        (NUMBERS, ["line 1, column 9: warning: (num (s ?x))"]),
        ("(p z) (<= (p (f ?x ?y)) (p ?x) (p ?y))", ["line 1, column 7: warning: (p (f ?x ?y))"]),
        ("(p (s (s z)))\n(<= (q (s ?x)) (p ?x)) (<= (p ?x) (q ?x))", ["line 2, column 1: warning: (q (s ?x))"]),
        ("(p (f (f z)))\n(<= (p ?x) (p (f ?x))) (<= (q (f ?x)) (p (f ?x))) (<= (q (f ?x)) (q (f ?x)))", []),
        (COUNTER.replace("(true (step ?n))", "(true (step ?n)) (number ?n)") + "(number z) (number (s z))", []),
        ("(q z) (<= (p (f ?x)) (q ?x)) (<= (q ?x) (p (g ?x)))", []),
    ],
)
def test_rules_that_make_terms_without_end_are_told(text: str, places: list[str]) -> None:
    found = [line.partition(f" {ENDLESS}") for line in told(text) if ENDLESS in line]
    assert [place for place, _, _ in found] == places
    assert all("add a condition" in advice for _, _, advice in found)


def test_what_passes_through_variables_and_disjunctions_may_hold() -> None:
    sheet = parse_rules(
        "(p a) (q b) (<= (r ?x) (or (p ?x) (q ?x))) (<= (s (f ?x)) (r ?x)) (<= (t ?y) (s ?y)) (<= (u ?x) (t (f ?x)))"
        "(<= (v ?x) (p ?x) (q ?x)) (<= w (not (v a)))"
    )
    domains = ArgumentDomains(sheet.rules)
    assert domains.symbols((("u", 1), None, 0)) == {("a", 0), ("b", 0)}
    assert not domains.relation(("v", 1))
    assert domains.relation(("w", 0))


def test_terms_that_nest_without_end_have_a_bound() -> None:
    sheet = parse_rules("(nat 0) (<= (nat (s ?x)) (nat ?x)) (<= (next (at ?x)) (nat ?x))")
    assert ArgumentDomains(sheet.rules).symbols((("true", 1), ("at", 1), 0)) == {("0", 0), ("s", 1)}


def test_terms_are_counted_however_many_functions_nest_in_each_other() -> None:
    functions = " ".join(f"(<= (sort (f{i} ?x ?y)) (sort ?x) (sort ?y))" for i in range(40))
    layers = " ".join(f"(<= (layer{i + 1} (g{i} ?x ?x)) (layer{i} ?x))" for i in range(40))
    sheet = parse_rules(f"(sort a) {functions} (layer0 a) (layer0 b) {layers}")
    domains = ArgumentDomains(sheet.rules)
    assert domains.count(("sort", 1), 0, 1000) == 1000
    assert domains.count(("layer3", 1), 0, 1000) == 256
    assert domains.count(("layer40", 1), 0, 1000) == 1000
    assert domains.count(("nowhere", 1), 0, 1000) == 1
