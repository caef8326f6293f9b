"""Rewritten rules mean what they meant, and ground to less."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from ludens.propnet.base.errors import GdlError
from ludens.propnet.compile.grounder import ground
from ludens.propnet.compile.loader import compile_rules
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Not, Or, RuleSheet
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite import Namer, changing, flatten, large_helpers, magic_sets, narrow, plain, project, relevant
from ludens.propnet.rewrite.magic import GUARD
from tests.support.agreement import assert_agreement

ROW = """
(role white) (role black)
(next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5)
(<= (place ?x) (next_to ?x ?y)) (place 5)
(init (control white))
(<= (legal ?r (put ?x)) (true (control ?r)) (place ?x) (not (held ?x)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (at ?x ?r)) (or (does ?r (put ?x)) (true (at ?x ?r))))
(<= (held ?x) (true (at ?x ?r)))
(<= terminal (or (row white) (row black) (not (open))))
(<= (open) (place ?x) (not (held ?x)))
"""
GAMES = {
    "a chain of neighbours": ROW
    + "(<= (row ?r) (true (at ?a ?r)) (next_to ?a ?b) (true (at ?b ?r)) (next_to ?b ?c) (true (at ?c ?r)))"
    + "(<= (goal ?r 100) (row ?r)) (<= (goal ?r 0) (role ?r) (not (row ?r)))",
    "literals that bind nothing": ROW
    + "(<= (row ?r) (true (at ?a ?r)) (true (at ?b ?s)) (distinct ?a ?b) (distinct ?r ?s)"
    + " (not (next_to ?a ?b)) (not (held 5)))"
    + "(<= (goal ?r 100) (row ?r)) (<= (goal ?r 0) (role ?r) (not (row ?r)))",
    "helpers over all arguments": ROW
    + "(<= (same ?a ?b ?r) (true (at ?a ?r)) (true (at ?b ?r))) (<= (linked ?a ?b ?r) (same ?a ?b ?r) (place ?a))"
    + "(<= (row ?r) (linked 2 4 ?r)) (<= (goal ?r ?n) (role ?r) (next_to ?n 3) (not (linked ?n 3 ?r)))",
    "a helper that calls itself": ROW
    + "(<= (run ?a ?r) (true (at ?a ?r)) (place ?a) (role ?r) (next_to ?a ?b) (not (run ?b ?r)))"
    + "(<= (row ?r) (run 2 ?r) (run 4 ?r)) (<= (goal ?r 33) (role ?r) (run 4 ?r))",
    "equal bodies for different heads": ROW
    + "(<= (row ?r) (true (at ?a ?r)) (next_to ?a ?b) (held ?b) (next_to ?b ?c) (true (at ?c ?r)))"
    + "(<= (goal ?r 1) (role ?r) (next_to ?a ?b) (held ?b) (place ?a))"
    + "(<= (goal white ?b) (next_to ?a ?b) (held ?b) (row white))",
    "facts called with variables in functions": ROW
    + "(<= (seen (pair ?a ?b)) (true (at ?a ?r)) (true (at ?b ?r)) (distinct ?a ?b))"
    + "(<= (row white) (seen (pair 1 ?b)))"
    + "(<= (row black) (place ?a) (place ?b) (seen (pair ?a ?b))) (<= (goal ?r 12) (role ?r) (not (row ?r)))",
}


def project_all(sheet: RuleSheet) -> RuleSheet:
    return project(plain(sheet), Namer())


def magic_only(sheet: RuleSheet) -> RuleSheet:
    flat = plain(sheet)
    return magic_sets(flat, Namer(), large_helpers(flat))


def instances(sheet: RuleSheet) -> int:
    return sum(map(len, ground(sheet).bodies.values()))


@pytest.mark.parametrize("rewrite", [plain, project_all, magic_only, narrow])
@pytest.mark.parametrize("name", GAMES)
def test_the_game_stays_the_same(name: str, rewrite: Callable[[RuleSheet], RuleSheet]) -> None:
    sheet = parse_rules(GAMES[name])
    assert_agreement(compile_rules(rewrite(sheet), lambda _line: None).net, sheet, games=2, length=8)


def is_flat(formula: Formula) -> bool:
    inner = formula.body if isinstance(formula, Not) else formula
    return isinstance(inner, Atom | Distinct)


@pytest.mark.parametrize(
    "body",
    [
        "(or (p ?x) (q ?x))",
        "(p ?x) (or (distinct ?x a) (q ?x))",
        "(p ?x) (not (or (q ?x) (distinct ?x a) (not (p ?x))))",
        "(p ?x) (not (and (q ?x) (or (p b) (p c))))",
        "(p ?x) (not (not (not (q ?x))))",
        "(or (and (p ?x) (or (q ?x) (p a))) (q ?x))",
        "(or (p ?x))",
    ],
)
def test_flat_rules_have_literals_only(body: str) -> None:
    flat = flatten(parse_rules(f"(<= (r ?x) {body})"), Namer())
    assert all(is_flat(part) for rule in flat.rules for part in rule.body)


def test_a_disjunction_that_binds_its_variables_is_not_multiplied_out() -> None:
    ors = " ".join(f"(or (p a{i}) (p b{i}) (p c{i}))" for i in range(20))
    assert len(flatten(parse_rules(f"(<= r {ors})"), Namer()).rules) == 1 + 20 * 3


def test_disjunctions_that_lean_on_variables_outside_are_not_multiplied_out_without_end() -> None:
    ors = " ".join(f"(or (distinct ?a {i}) (and (distinct ?b {i}) (or (not (q ?a)) (q ?b))))" for i in range(10))
    rules = flatten(parse_rules(f"(<= (r ?a) (p ?a ?b) {ors})"), Namer()).rules
    assert len(rules) == 1 + 10 * (2 + 2)
    assert all(variables(rule.head, *rule.body) == bound_variables(rule.body) for rule in rules)


@pytest.mark.parametrize("head", ["r", "(r ?p)"])
def test_disjunctions_with_variables_of_their_own_are_not_multiplied_out_without_end(head: str) -> None:
    ors = " ".join(f"(or (p ?a{i} ?p) (and (role ?p) (q ?b{i}) (distinct ?b{i} ?p)))" for i in range(20))
    rules = flatten(parse_rules(f"(<= {head} (role ?p) {ors})"), Namer()).rules
    assert len(rules) == 1 + 20 * 2
    assert all(variables(rule.head, *rule.body) == bound_variables(rule.body) for rule in rules)


def test_a_rule_that_can_only_be_multiplied_out_without_end_is_refused() -> None:
    pairs = " ".join(f"(or (p ?x{i}) (q ?y{i})) (or (p ?y{i}) (q ?x{i}))" for i in range(20))
    with pytest.raises(GdlError, match="stands for too many") as caught:
        flatten(parse_rules(f"(role r)\n  (<= terminal {pairs})"), Namer())
    assert (caught.value.line, caught.value.column) == (2, 3)


LEANING = """
(<= (row ?r) (true (at ?a ?r)) (or (distinct ?r ?s) (and (not (held 1)) (or (distinct ?b 3) (distinct ?s black))))
    (true (at ?b ?s)) (or (next_to ?a ?b) (not (next_to ?b ?c)) (distinct ?c ?a))
    (or (and (place ?c) (distinct ?a 2)) (and (next_to ?b ?c) (or (distinct ?c 4) (next_to ?c ?d))))
    (not (and (true (at 5 ?s)) (or (held 3) (true (at ?c ?r))))))
(<= (row ?r) (role ?r) (or (true (at 3 ?w)) (and (held ?x) (next_to ?x 2))) (or (true (at ?y ?r)) (held 4)))
(<= (goal ?r 100) (row ?r)) (<= (goal ?r 0) (role ?r) (not (row ?r)))
"""


@pytest.mark.parametrize("most", [0, 3, 64, 10**9])
def test_the_game_stays_the_same_whatever_is_multiplied_out(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[flatten.__module__], "_MOST_RULES", most)
    sheet = parse_rules(ROW + LEANING)
    assert_agreement(compile_rules(narrow(sheet), lambda _line: None).net, sheet, games=6, length=8)


def test_disjunctions_that_bind_variables_of_each_other_are_multiplied_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[flatten.__module__], "_MOST_RULES", 0)
    either = "(or (and (held ?a) (distinct ?b 3)) (true (at ?a ?r))) (or (and (held ?b) (distinct ?a 2)) (place ?b))"
    goals = "(<= (goal ?r 100) (row ?r)) (<= (goal ?r 0) (role ?r) (not (row ?r)))"
    sheet = parse_rules(f"{ROW} (<= (row ?r) (role ?r) {either} (next_to ?b ?a)) {goals}")
    assert_agreement(compile_rules(narrow(sheet), lambda _line: None).net, sheet, games=6, length=8)


def test_rules_that_only_document_the_sheet_are_dropped() -> None:
    unused = "(<= (base (at ?x ?r)) (place ?x) (role ?r)) (<= (helper ?x) (base ?x)) (row white)"
    sheet = plain(parse_rules(ROW + unused))
    assert {rule.head.name for rule in sheet.rules} >= {"row", "next", "place"}
    assert not {"base", "helper"} & {rule.head.name for rule in sheet.rules}


def test_relations_that_depend_on_the_state_are_known() -> None:
    sheet = plain(parse_rules(ROW + "(<= (row ?r) (true (at 1 ?r)))"))
    assert changing(sheet) >= {"true", "does", "legal", "next", "held", "terminal", "open", "row"}
    assert not changing(sheet) & {"place", "next_to", "role", "init"}
    assert relevant(sheet) == sheet


def test_projection_grounds_a_long_chain_in_few_instances() -> None:
    links = " ".join(f"(true (at ?v{i} ?r{i})) (next_to ?v{i} ?v{i + 1})" for i in range(8))
    near = " ".join(f"(next_to {i} {j})" for i in range(1, 6) for j in range(1, 6))
    sheet = parse_rules(ROW + near + f"(<= (row white) {links})")
    assert instances(narrow(sheet)) < 1000


def test_equal_literals_with_different_shared_variables_are_told_apart() -> None:
    text = "(<= (a ?x) (p ?x ?y) (q ?y ?z) (r ?z)) (<= (b ?z) (q ?y ?z) (p ?x ?y) (s ?x))"
    sheet = project(parse_rules(text), Namer())
    uses = [atom for rule in sheet.rules for atom in [rule.head, *rule.body] if isinstance(atom, Atom)]
    arities = {atom.name: len(atom.args) for atom in uses}
    assert all(len(atom.args) == arities[atom.name] for atom in uses)


def test_magic_sets_ground_only_what_is_called() -> None:
    places = "(place ?a) (place ?b) (place ?c) (place ?d)"
    wide = f"(<= (close ?a ?b ?c ?d) {places} (true (at ?a white)) (true (at ?d white)))"
    sheet = parse_rules(ROW + wide + "(<= (row ?r) (role ?r) (next_to ?x 2) (close ?x 2 3 4))")
    assert instances(magic_only(sheet)) < instances(plain(sheet)) / 4


def test_magic_relations_leave_no_gates() -> None:
    sheet = parse_rules(GAMES["helpers over all arguments"])
    with_magic, without = (compile_rules(form(sheet), lambda _line: None).net for form in (magic_only, plain))
    assert len(with_magic.gates) <= len(without.gates)


def count_game(numbers: int) -> str:
    """A game that counts the places of both roles: two numbers from two others, numbers ** 4 * 5 instances."""
    after = " ".join(f"(after {i} {i + 1})" for i in range(numbers))
    return f"{ROW}{after}{COUNT}"


COUNT = """
(<= (number ?n) (after ?n ?m))
(<= (one ?x ?w ?b ?v ?b) (true (at ?x white)) (after ?w ?v) (number ?b))
(<= (one ?x ?w ?b ?w ?c) (true (at ?x black)) (after ?b ?c) (number ?w))
(<= (one ?x ?w ?b ?w ?b) (place ?x) (not (held ?x)) (number ?w) (number ?b))
(<= (count 5 ?w ?b ?w2 ?b2) (one 5 ?w ?b ?w2 ?b2))
(<= (count ?x ?w ?b ?w2 ?b2) (one ?x ?w ?b ?w1 ?b1) (next_to ?x ?y) (count ?y ?w1 ?b1 ?w2 ?b2))
(<= (row white) (count 1 0 0 3 ?b)) (<= (row black) (count 1 0 0 ?w 3))
(<= (goal white ?w) (count 1 0 0 ?w ?b)) (<= (goal black ?b) (count 1 0 0 ?w ?b))
"""


def test_large_helpers_are_worked_out_for_what_other_helpers_call_for() -> None:
    numbers = 23
    sheet = parse_rules(count_game(numbers))
    narrowed = narrow(sheet)
    assert instances(narrowed) < numbers**3 / 4
    assert_agreement(compile_rules(narrowed, lambda _line: None).net, sheet, games=1, length=8)


@pytest.mark.parametrize(("numbers", "guarded"), [(6, False), (23, True)])
def test_values_from_the_state_are_passed_on_only_to_large_helpers(numbers: int, guarded: bool) -> None:
    rules = narrow(parse_rules(count_game(numbers))).rules
    assert any(rule.head.name.startswith(f"{GUARD} ") for rule in rules) == guarded


def test_the_place_of_a_rule_survives_rewriting() -> None:
    text = (
        ROW
        + """(near 1 2) (near 2 1)
(<= (odd ?a) (held ?a) (near ?a ?b) (not (odd ?b)))
(<= (row white) (odd 1))"""
    )
    with pytest.raises(GdlError) as caught:
        compile_rules(narrow(parse_rules(text)), lambda _line: None)
    assert caught.value.line == text[: text.index("(<= (odd")].count("\n") + 1


def test_nested_formulas_can_be_walked() -> None:
    sheet = parse_rules("(<= r (or (and p q) (not (or p q))))")
    parts = sheet.rules[0].body
    assert isinstance(parts[0], Or) and isinstance(parts[0].alternatives[0], And)
    assert len(flatten(sheet, Namer()).rules) == 3
