"""Random rule sheets mean the same to the oracle, to networks and to the machine that interprets rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Function, Not, Or, RuleSheet, Variable
from scripts.common.random_sheets import random_sheet
from scripts.verify.random_programs import disagreements

numbers = st.integers(0, 10**9)


@settings(max_examples=60)
@given(numbers)
def test_every_machine_plays_a_random_sheet_as_the_oracle_does(number: int) -> None:
    assert disagreements(random_sheet(random.Random(number)), random.Random(number), Counter()) == []


@settings(max_examples=60)
@given(numbers)
def test_every_random_sheet_is_a_game(number: int) -> None:
    check(random_sheet(random.Random(number)))


def test_the_same_number_makes_the_same_sheet() -> None:
    assert random_sheet(random.Random(5)) == random_sheet(random.Random(5))


def test_random_sheets_have_all_that_real_ones_have() -> None:
    seen = Counter(trait for number in range(50) for trait in traits(random_sheet(random.Random(number))))
    assert min(seen[trait] for trait in TRAITS) >= 5, seen


TRAITS = (
    "negation",
    "negated or",
    "or",
    "and in or",
    "distinct",
    "recursion",
    "nested function",
    "variable goal",
    "init by rule",
    "does with variable move",
    "true with variable fact",
)


def traits(sheet: RuleSheet) -> set[str]:
    found = {trait for rule in sheet.rules for trait in _formula_traits(rule.body)}
    for rule in sheet.rules:
        inside = {type(arg) for term in rule.head.args if isinstance(term, Function) for arg in term.args}
        found |= {"nested function"} if Function in inside else set()
        found |= {"variable goal"} if rule.head.name == "goal" and Variable in map(type, rule.head.args) else set()
        found |= {"init by rule"} if rule.head.name == "init" and rule.body else set()
        found |= {"recursion"} if rule.head.name in {atom.name for atom in _atoms(rule.body)} else set()
    return found


def _formula_traits(body: tuple[Formula, ...]) -> Iterator[str]:
    for formula in body:
        match formula:
            case Not(inner):
                yield "negated or" if isinstance(inner, Or) else "negation"
            case Or(parts):
                yield "or"
                yield from (["and in or"] if any(isinstance(part, And) for part in parts) else [])
            case Distinct():
                yield "distinct"
            case Atom("does", (_, Variable())):
                yield "does with variable move"
            case Atom("true", (Variable(),)):
                yield "true with variable fact"


def _atoms(body: tuple[Formula, ...]) -> Iterator[Atom]:
    for formula in body:
        match formula:
            case Atom():
                yield formula
            case And(parts) | Or(parts):
                yield from _atoms(parts)
