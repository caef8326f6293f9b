"""Which rule sheets are refused, where and why."""

import tracemalloc
from collections.abc import Callable

import pytest

from ludens import games
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.check import check, faults
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.stratification import negative_recursion
from ludens.propnet.gdl.syntax import Atom, Not, Rule, RuleSheet
from tests.support.paths import real_sheets

GAME = "(role red) (init on) (<= (legal red press) (true on)) (<= terminal (not (true on))) (goal red 100)"


def refusal(rules: str) -> GdlError:
    with pytest.raises(GdlError) as caught:
        check(parse_rules(f"{GAME}\n{rules}"))
    return caught.value


@pytest.mark.parametrize("name", games.names())
def test_every_built_in_game_passes(name: str) -> None:
    check(parse_rules(games.read(name)))


def test_every_real_sheet_passes() -> None:
    for path in real_sheets().values():
        check(parse_rules(path.read_text(encoding="utf-8", errors="replace")))


@pytest.mark.parametrize(
    ("rules", "column", "words"),
    [
        ("(<= (next ?x) (true on))", 5, "?x"),
        ("(p ?x)", 1, "?x"),
        ("(<= p (not (q ?x)) (r ?y))", 12, "?x"),
        ("(<= p (distinct ?x a))", 7, "?x"),
        ("(<= (p ?x) (or (q ?x) (r a)))", 5, "?x"),
        ("(<= p (or (q ?x) (distinct ?x a)))", 18, "?x"),
        ("(<= p (q ?y) (not (and (q ?y) (distinct ?y ?x))))", 31, "?x"),
        ("(<= (true on) p)", 5, "true"),
        ("(<= (does red press) p)", 5, "does"),
        ("(role (big red))", 1, "role"),
        ("(<= (role ?x) (q ?x))", 5, "role"),
        ("(<= (legal red) p)", 5, "2 arguments"),
        ("(<= p (true on off))", 7, "1 argument"),
        ("(<= p (terminal now))", 7, "no arguments"),
        ("(<= p (q a)) (q b c)", 14, "1 argument"),
        ("(<= (goal red 101) p)", 5, "101"),
        ("(<= (goal red lots) p)", 5, "lots"),
        (f"(<= (goal red {'9' * 5000}) p)", 5, "not a number"),
        ("(<= (not p) q)", 5, "connective"),
        ("(<= p or)", 7, "connective"),
        ("(<= (init ?x) (true ?x))", 15, "must not depend on true"),
        ("(<= (goal red 0) p) (<= p (does red press))", 18, "must not depend on does"),
        ("(<= p (not p))", 12, "own negation"),
        ("(<= p q) (<= q r) (<= r (true on) (not p))", 40, "own negation"),
        ("(<= (p ?x ?y) (q ?x ?y) (not (r ?x ?y))) (<= (r ?a ?b) (q ?a ?b) (p ?a ?b)) (q 1 2)", 30, "own negation"),
        ("(<= p (not (not p)))", 17, "own negation"),
    ],
)
def test_what_is_no_game_is_refused_with_its_place(rules: str, column: int, words: str) -> None:
    error = refusal(rules)
    assert words in str(error)
    assert (error.line, error.column) == (2, column)


@pytest.mark.parametrize("missing", ["(role red)", "(<= (legal red press) (true on))"])
def test_a_sheet_needs_roles_and_moves(missing: str) -> None:
    with pytest.raises(GdlError, match="define no"):
        check(parse_rules(GAME.replace(missing, "")))


@pytest.mark.parametrize(
    "rules",
    [
        "(<= p (not (q ?x)) (distinct ?x b) (r ?x)) (r a)",
        "(<= (p ?x) (or (q ?x) (and (r ?x) (not (q ?x))))) (q a) (r b)",
        "(<= p (q ?x) (or (distinct ?x a) (not (q ?x)))) (q a)",
        "(<= (role blue))",
        "(<= (goal red ?n) (score ?n)) (score 20)",
        "(<= (win ?x) (move ?x ?y) (not (win ?y))) (move a b)",
        "(<= (goal red 50) (not (goal red 0))) (<= (goal red 0) (true off))",
        "(<= (p ?x ?y) (q ?x ?y) (not (p ?y ?x))) (q 1 2)",
        "(<= p q) (<= q p)",
        "(<= (p ?x) (q ?x ?y) (p ?y)) (q a b)",
    ],
)
def test_what_may_mean_something_is_let_through(rules: str) -> None:
    check(parse_rules(f"{GAME}\n{rules}"))


def test_all_faults_of_a_kind_are_listed_in_the_order_of_the_text() -> None:
    found = faults(parse_rules(f"{GAME} (<= (p ?x) q)\n(<= r (not (s ?y)))\n(<= (goal red ?z) r)"))
    assert [error.line for error in found] == [1, 2, 3]


def test_one_fault_does_not_hide_those_of_another_kind() -> None:
    found = faults(parse_rules(f"{GAME}\n(<= (goal red 101) (q a b))\n(<= (p ?x) (q a))\n(<= (p ?x) (q a b))"))
    assert sorted(error.line for error in found) == [2, 3, 4]


def test_the_usual_number_of_arguments_is_right_and_not_the_first() -> None:
    assert refusal("(<= p (q a)) (q b c) (q c d)").column == 7


def test_a_variable_without_a_value_is_compared_with_those_that_have_one() -> None:
    assert "did you mean ?player?" in str(refusal("(<= (next (on ?plyer)) (true (on ?player)))"))


@pytest.mark.parametrize("value", ["00", "050"])
def test_a_goal_value_with_zeros_in_front_is_no_reason_to_refuse_a_game(value: str) -> None:
    check(parse_rules(f"{GAME} (<= (goal red {value}) (true on))"))


@pytest.mark.parametrize("work", [check, negative_recursion, Interpreter])
def test_a_chain_of_relations_takes_memory_in_proportion_to_its_length(work: Callable[[RuleSheet], object]) -> None:
    ends = parse_rules(GAME + "(<= (legal red (wait r0)) r0)").rules

    def memory(length: int) -> int:
        rules = [Rule(Atom(f"r{i}"), (Not(Atom(f"r{i + 1}")),)) for i in range(length)]
        sheet = RuleSheet((*ends, *rules))
        tracemalloc.start()
        work(sheet)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert memory(800) < 3 * memory(400)


def test_faults_are_none_in_a_game() -> None:
    assert faults(parse_rules(GAME)) == []


def test_negative_recursion_by_name_is_left_to_who_grounds_the_rules() -> None:
    sheet = parse_rules("(<= (goal r 100) (not (goal r 0))) (<= (goal r 0) (not p)) (<= p (not q)) (<= q s)")
    assert [(str(rule.head), str(atom)) for rule, atom in negative_recursion(sheet)] == [("(goal r 100)", "(goal r 0)")]
