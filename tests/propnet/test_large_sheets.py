"""What only sheets with large helpers are rewritten by: the rules mean what they meant, and ground to less."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.propnet.compile.grounder import ground
from ludens.propnet.compile.loader import compile_rules
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite import Namer, carried, large_helpers, narrow, plain, projection, sizes, unfolding
from ludens.propnet.rewrite.carried import split_carried
from ludens.propnet.rewrite.magic import GUARD
from ludens.propnet.rewrite.projection import project
from ludens.propnet.rewrite.unfolding import unfold
from scripts.common.random_sheets import random_sheet
from tests.support.agreement import assert_agreement

LINE = """
(role mover) (role blocker)
(next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5) (next_to 5 6) (next_to 6 7) (next_to 7 8)
(square 1) (square 2) (square 3) (square 4) (square 5) (square 6) (square 7) (square 8)
(init (blank 2)) (init (blank 3)) (init (blank 4)) (init (blank 5)) (init (blank 6)) (init (blank 7)) (init (at 1))
(<= (legal mover (move ?x ?y)) (true (at ?x)) (path ?x ?y 3 ?x))
(<= (legal mover stay) (true (at ?x)))
(<= (legal blocker (fill ?x ?s)) (true (blank ?x)) (square ?s) (not (path 1 8 ?s ?x)))
(<= (legal blocker wait) (not (true (blank 7))))
(<= (legal blocker (drop ?x)) (true (blank ?x)))
(<= (next (at ?y)) (does mover (move ?x ?y)))
(<= (next (at ?x)) (true (at ?x)) (does mover stay))
(<= (next (blank ?x)) (true (blank ?x)) (does blocker (drop ?y)) (distinct ?x ?y))
(<= (next (blank ?x)) (true (blank ?x)) (does blocker (fill ?y ?s)) (apart ?x ?s ?y ?s))
(<= terminal (true (at 8))) (<= terminal (true (at ?x)) (not (reaches ?x)))
(<= (reaches ?x) (square ?x) (square ?s) (square ?t) (distinct ?s 2) (path ?x 8 ?s ?t))
(<= (goal mover 100) (true (at 8))) (<= (goal mover 0) (not (true (at 8)))) (goal blocker 50)
(<= (apart ?x ?y ?u ?v) (square ?x) (square ?y) (square ?u) (square ?v) (distinct ?x ?u))
(<= (apart ?x ?y ?u ?v) (square ?x) (square ?y) (square ?u) (square ?v) (distinct ?y ?v))
"""
"""A mover goes along a line over blank squares. (path ?x ?y ?s ?t) goes from ?x to ?y; ?s and ?t need not be blank."""

PATH = """
(<= (path ?x ?y ?s ?t) (next_to ?x ?y) (square ?s) (square ?t))
(<= (path ?x ?y ?s ?t) (next_to ?x ?z) (true (blank ?z)) (path ?z ?y ?s ?t))
(<= (path ?x ?y ?s ?t) (next_to ?x ?s) (path ?s ?y ?s ?t))
(<= (path ?x ?y ?s ?t) (next_to ?x ?t) (path ?t ?y ?s ?t))
"""

GAMES = {
    "paths over squares": LINE + PATH,
    "not all that may be asked for is in a domain": LINE
    + PATH.replace("(square ?s) (square ?t)", "(odd ?s) (square ?t)")
    + "(odd 1) (odd 3) (odd 5) (odd 7)",
    "a domain by negation": LINE + PATH.replace("(square ?t)", "(square ?t) (not (left ?t))") + "(left 1) (left 2)",
    "a helper that carries everything along": LINE
    + PATH
    + "(<= (path ?x ?y ?s ?t) (open) (square ?x) (square ?y) (square ?s) (square ?t))"
    + "(<= (open) (true (blank ?x)) (true (blank ?y)) (apart ?x 1 ?y 1) (not (true (blank 7))))",
    "a helper that denies another": LINE.replace("(not (path 1 8 ?s ?x))", "(blocked 1 8 ?s ?x)")
    + PATH
    + "(<= (blocked ?x ?y ?s ?t) (square ?x) (square ?y) (square ?s) (square ?t) (not (path ?x ?y ?s ?t)))",
    "a helper called guard": (LINE + PATH).replace("(path ", "(guard "),
    "arguments that must be equal": LINE + PATH + "(<= (path ?x ?x ?s ?s) (true (blank ?x)) (square ?s))",
}


def as_large(sheet: RuleSheet) -> RuleSheet:
    """The rules as they are narrowed where all helpers, conditions and rules are taken for large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "MOST_INSTANCES", 0)
        patch.setattr(sizes, "_LEAST_ARGUMENTS", 1)
        patch.setattr(carried, "_LEAST_VALUES", 2)
        patch.setattr(unfolding, "_MOST_INSTANCES", 0)
        patch.setattr(projection, "_MOST_INSTANCES", 0)
        return narrow(sheet)


def network(sheet: RuleSheet) -> Propnet:
    return compile_rules(sheet, lambda _line: None).net


def instances(sheet: RuleSheet) -> int:
    return sum(map(len, ground(sheet).bodies.values()))


@pytest.mark.parametrize("name", GAMES)
def test_the_game_stays_the_same(name: str) -> None:
    sheet = parse_rules(GAMES[name])
    assert_agreement(network(as_large(sheet)), sheet, games=4, length=6)


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_random_sheets_stay_the_same(number: int) -> None:
    sheet = random_sheet(random.Random(number))
    assert_agreement(network(as_large(sheet)), sheet, games=3, length=6)


def test_a_helper_has_a_version_for_each_way_of_carrying_arguments_along() -> None:
    sheet = plain(parse_rules(GAMES["paths over squares"]))
    split = split_carried(sheet, Namer())
    widths = {rule.head.name: len(rule.head.args) for rule in split.rules if rule.head.name.startswith("path")}
    assert sorted(widths.values()) == [2, 3, 3, 4]  # neither square is passed, one of them, both
    assert instances(project(split, Namer())) < instances(project(sheet, Namer())) - 1000


def test_few_values_are_not_worth_a_version() -> None:
    few = GAMES["paths over squares"].replace("(square ?s) (square ?t)", "(few ?s) (few ?t)") + "(few 3) (few 4)"
    split = split_carried(plain(parse_rules(few)), Namer())
    assert [rule.head.name for rule in split.rules if rule.head.name.startswith("path")] == ["path"] * 4


def test_denials_are_not_multiplied_where_all_values_are_in_the_domain() -> None:
    sheet = plain(parse_rules(GAMES["paths over squares"]))
    fill = [rule for rule in split_carried(sheet, Namer()).rules if "fill" in str(rule.head)]
    assert len(fill) == 1
    odd = plain(parse_rules(GAMES["not all that may be asked for is in a domain"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carried, "_LEAST_VALUES", 2)
        fill = [rule for rule in split_carried(odd, Namer()).rules if "fill" in str(rule.head)]
    assert any("(not (odd ?s))" in str(rule) for rule in fill)


def test_versions_that_multiply_leave_the_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = plain(parse_rules(GAMES["paths over squares"]))
    for bound in ("_MOST_VERSIONS", "_MOST_BODIES"):
        with monkeypatch.context() as patch:
            patch.setattr(carried, bound, 1)
            assert split_carried(sheet, Namer()) is sheet


def test_conditions_are_unfolded_where_they_have_many_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = plain(parse_rules(GAMES["paths over squares"]))
    assert unfold(sheet) is sheet
    monkeypatch.setattr(unfolding, "_MOST_INSTANCES", 100)
    unfolded = unfold(sheet)
    assert not any("apart" in str(rule) for rule in unfolded.rules)
    assert sum("fill" in str(rule) and rule.head.name == "next" for rule in unfolded.rules) == 2


def test_a_condition_that_is_denied_stays() -> None:
    text = GAMES["paths over squares"].replace("(apart ?x ?s ?y ?s)", "(square ?y) (not (apart ?y ?s ?x ?s))")
    assert_agreement(network(as_large(parse_rules(text))), parse_rules(text), games=6, length=8)


def test_rules_with_very_many_instances_have_guarded_projections() -> None:
    wide = f"""{LINE}{PATH}
(<= (legal blocker (throw ?x ?y ?z)) (thrown (stone ?x ?y ?z) ?c) (true (blank ?p)) (true (blank ?q))
    (not (near ?p ?x ?y)) (not (near ?q ?y ?z)) (not (near ?p ?q ?z)))
(<= (thrown (stone ?x ?y ?z) ?c) (true (blank ?x)) (next_to ?x ?y) (next_to ?y ?z) (colour ?c)) (colour red)
(<= (near ?x ?y ?z) (next_to ?x ?y) (true (blank ?z)))"""
    sheet = parse_rules(wide)
    flat = plain(sheet)
    assert not any(rule.head.name.startswith(GUARD) for rule in project(flat, Namer(), guarded=True).rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "_MOST_INSTANCES", 0)
        guarded = project(flat, Namer(), guarded=True)
    assert any(rule.head.name.startswith(GUARD) for rule in guarded.rules)
    assert_agreement(network(guarded), sheet, games=4, length=6)


def test_sheets_without_large_helpers_are_left_to_the_other_rewritings() -> None:
    sheet = parse_rules(GAMES["paths over squares"])
    assert not large_helpers(plain(sheet))
    names = {rule.head.name for rule in narrow(sheet).rules}
    assert "apart" in names and sum(name.startswith("path") for name in names) == 1
