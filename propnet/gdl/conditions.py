"""The conditions of rules: every atom and every `distinct` in their bodies, however deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Not, Or, Rule, RuleSheet

Condition: TypeAlias = Atom | Distinct
Use: TypeAlias = tuple[Rule, Condition, bool]  # a rule, a condition in it, whether the condition is negated


def uses(sheet: RuleSheet) -> Iterator[Use]:
    """Every condition of every rule."""
    for rule in sheet.rules:
        for condition, negated in conditions(rule.body):
            yield rule, condition, negated


def atoms(rule: Rule) -> Iterator[Atom]:
    """The head of a rule, and the atoms in its body."""
    yield rule.head
    for condition, _ in conditions(rule.body):
        if isinstance(condition, Atom):
            yield condition


def positive_atoms(rule: Rule) -> Iterator[Atom]:
    """The atoms in the body of a rule that are not negated."""
    return (atom for atom, negated in conditions(rule.body) if isinstance(atom, Atom) and not negated)


def conditions(formulas: Iterable[Formula], negated: bool = False) -> Iterator[tuple[Condition, bool]]:
    """The atoms and distincts inside `formulas`, each with whether it stands inside a `not`."""
    for formula in formulas:
        match formula:
            case Not(body):
                yield from conditions((body,), True)
            case And(parts) | Or(parts):
                yield from conditions(parts, negated)
            case _:
                yield formula, negated
