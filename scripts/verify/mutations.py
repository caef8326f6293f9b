"""Changes one rule of a sheet at random, for `scripts.verify.recognise_all`.

A mutation drops a rule or a condition, negates a condition, or changes a term: a number, a constant, a variable or
the order of two arguments. Most leave a game that plays; whoever asks tells which by loading the sheet.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Rule,
    RuleSheet,
    Term,
    Variable,
)

Change = Callable[[Term], Term]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A changed sheet, and what was changed."""

    sheet: RuleSheet
    what: str


def mutations(sheet: RuleSheet, seed: int) -> Iterator[Mutation]:
    """Yields different mutations of a sheet without end, the same ones for the same seed."""
    rng, known = random.Random(seed), {str(sheet)}
    while True:
        mutation = _mutation(sheet, rng)
        if mutation is not None and str(mutation.sheet) not in known:
            known.add(str(mutation.sheet))
            yield mutation


def _mutation(sheet: RuleSheet, rng: random.Random) -> Mutation | None:
    """Tries one mutation; returns None if the chosen rule has nothing to change in that way."""
    index = _any_rule(sheet, rng)
    rule = sheet.rules[index]
    kind = rng.choice((_dropped, _shortened, _negated, _reworded, _reworded, _reworded))
    changed = kind(rule, sheet, rng)
    if changed == rule:
        return None
    rules = (*sheet.rules[:index], *([changed] if changed else []), *sheet.rules[index + 1 :])
    return Mutation(RuleSheet(rules), f"{rule} → {changed or 'nothing'}")


def _any_rule(sheet: RuleSheet, rng: random.Random) -> int:
    """Chooses a rule: one with conditions twice as often as a fact, of which sheets have long tables."""
    real = [i for i, rule in enumerate(sheet.rules) if rule.body]
    facts = [i for i, rule in enumerate(sheet.rules) if not rule.body]
    return rng.choice(real if facts == [] or (real and rng.random() < 2 / 3) else facts)


def _dropped(_rule: Rule, _sheet: RuleSheet, _rng: random.Random) -> Rule | None:
    return None


def _shortened(rule: Rule, _sheet: RuleSheet, rng: random.Random) -> Rule | None:
    """Returns a rule without one condition, or without one alternative of a condition."""
    if len(rule.body) < 2:
        return rule
    at = rng.randrange(len(rule.body))
    condition = rule.body[at]
    if isinstance(condition, Or) and len(condition.alternatives) > 1 and rng.random() < 0.5:
        left = list(condition.alternatives)
        del left[rng.randrange(len(left))]
        return _with(rule, at, Or(tuple(left)))
    return replace(rule, body=rule.body[:at] + rule.body[at + 1 :])


def _negated(rule: Rule, _sheet: RuleSheet, rng: random.Random) -> Rule | None:
    if not rule.body:
        return rule
    at = rng.randrange(len(rule.body))
    match rule.body[at]:
        case Not(body):
            return _with(rule, at, body)
        case Distinct():
            return rule
        case condition:
            return _with(rule, at, Not(condition))


def _with(rule: Rule, at: int, condition: Formula) -> Rule:
    return replace(rule, body=(*rule.body[:at], condition, *rule.body[at + 1 :]))


def _reworded(rule: Rule, sheet: RuleSheet, rng: random.Random) -> Rule | None:
    """Returns a rule with one term changed, wherever it is."""
    count = 0

    def note(term: Term) -> Term:
        nonlocal count
        count += 1
        return term

    _map_rule(rule, note)
    if count == 0:
        return rule
    left = rng.randrange(count)

    def change(term: Term) -> Term:
        nonlocal left
        left -= 1
        return _another(term, rule, sheet, rng) if left == -1 else term

    return _map_rule(rule, change)


def _another(term: Term, rule: Rule, sheet: RuleSheet, rng: random.Random) -> Term:
    """Returns a different term of the same kind, from the same rule or the whole sheet."""
    match term:
        case Variable():
            return rng.choice(sorted({t for t in _terms(rule) if isinstance(t, Variable)}, key=str))
        case Function(_, args) if len(args) > 1:
            one = rng.randrange(len(args) - 1)
            return replace(term, args=(*args[:one], args[one + 1], args[one], *args[one + 2 :]))
        case Constant(name) if name.isdecimal() and rng.random() < 0.5:
            return Constant(str(max(0, int(name) + rng.choice((-1, 1)))))
        case Constant():
            others = rng.choice((rule, *sheet.rules[:: max(1, len(sheet.rules) // 8)]))
            return rng.choice(sorted({t for t in _terms(others) if isinstance(t, Constant)} or {term}, key=str))
    return term


def _terms(rule: Rule) -> list[Term]:
    found: list[Term] = []

    def note(term: Term) -> Term:
        found.append(term)
        return term

    _map_rule(rule, note)
    return found


def _map_rule(rule: Rule, change: Change) -> Rule:
    head = _map(rule.head, change)
    assert isinstance(head, Atom)
    return replace(rule, head=head, body=tuple(_map(condition, change) for condition in rule.body))


def _map(formula: Formula, change: Change) -> Formula:
    """Returns a formula with all its terms changed, inner ones first."""
    match formula:
        case Atom(_, args):
            return replace(formula, args=tuple(_map_term(arg, change) for arg in args))
        case Distinct(left, right):
            return replace(formula, left=_map_term(left, change), right=_map_term(right, change))
        case Not(body):
            return Not(_map(body, change))
        case Or(parts):
            return Or(tuple(_map(part, change) for part in parts))
        case And(parts):
            return And(tuple(_map(part, change) for part in parts))


def _map_term(term: Term, change: Change) -> Term:
    if isinstance(term, Function):
        return change(replace(term, args=tuple(_map_term(arg, change) for arg in term.args)))
    return change(term)
