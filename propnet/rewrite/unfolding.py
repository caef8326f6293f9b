"""Unfolding: conditions on many variables are replaced by what they say, so that variables can go one by one.

A relation such as "these two squares differ" has few rules and an instance for each pair of squares. A rule that asks
for it has to take all four numbers of two squares together; one that asks for a difference of rows or of columns, in
two versions, need not:

    (<= (differ ?x ?y ?u ?v) (distinct ?x ?u))       (<= (safe ?x ?y) (threat ?u ?v) (distinct ?x ?u))
    (<= (differ ?x ?y ?u ?v) (distinct ?y ?v))       (<= (safe ?x ?y) (threat ?u ?v) (distinct ?y ?v))

Then bucket elimination (see `projection`) gets rid of ?v and ?u in turn. Only static relations whose rules have no
variables of their own are unfolded, and only those with many instances, as rules multiply.

Source: H. Tamaki, T. Sato, "Unfold/Fold Transformation of Logic Programs", 1984.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, product

from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.syntax import Atom, Distinct, Formula, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import variables
from ludens.propnet.rewrite.dependence import ROOTS, changing, relevant
from ludens.propnet.rewrite.terms import literal_atom, renamed

_LEAST_ARGUMENTS = 4  # of a relation that is unfolded
_MOST_INSTANCES = 10_000  # of a relation that is not
_MOST_BODIES = 64  # that a rule turns into


def unfold(sheet: RuleSheet) -> RuleSheet:
    """The same game, with conditions on many variables unfolded; bodies must be flat."""
    conditions = _conditions(sheet)
    if not conditions:
        return sheet
    rules = {
        Rule(rule.head, body, rule.position): None for rule in sheet.rules for body in _bodies(rule.body, conditions)
    }
    return relevant(RuleSheet(tuple(rules)))


def _conditions(sheet: RuleSheet) -> dict[str, list[Rule]]:
    """The rules of the relations to unfold."""
    rules: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in sheet.rules:
        rules[rule.head.name].append(rule)
    facts = {name for name, own in rules.items() if not any(rule.body for rule in own)}
    candidates = {
        name: own
        for name, own in rules.items()
        if name not in {*ROOTS, *facts, *changing(sheet)}
        and len(own[0].head.args) >= _LEAST_ARGUMENTS
        and all(_is_condition(rule, facts) for rule in own)
    }
    if not candidates:
        return {}
    domains = ArgumentDomains(sheet.rules)
    return {
        name: own
        for name, own in candidates.items()
        if domains.instances((name, len(own[0].head.args))) > _MOST_INSTANCES
    }


def _is_condition(rule: Rule, facts: set[str]) -> bool:
    """Whether a rule has no variables but those of its head, and asks for facts and differences only."""
    args = rule.head.args
    atoms = [literal_atom(part) for part in rule.body]
    return (
        all(isinstance(arg, Variable) for arg in args)
        and len({*args}) == len(args)
        and variables(*rule.body) <= {*args}
        and all(atom is None or atom.name in facts for atom in atoms)
        and any(isinstance(part, Distinct) for part in rule.body)
    )


def _bodies(body: tuple[Formula, ...], conditions: dict[str, list[Rule]]) -> Iterator[tuple[Formula, ...]]:
    """Bodies that together mean what a body does."""
    choices = [list(_choices(part, conditions)) for part in body]
    if math.prod(map(len, choices)) > _MOST_BODIES:
        yield body
        return
    for chosen in product(*choices):
        yield tuple(dict.fromkeys(chain.from_iterable(chosen)))


def _choices(part: Formula, conditions: dict[str, list[Rule]]) -> Iterator[tuple[Formula, ...]]:
    if not isinstance(part, Atom) or part.name not in conditions:
        yield (part,)
        return
    for rule in conditions[part.name]:
        names = {arg: term for arg, term in zip(rule.head.args, part.args, strict=True) if isinstance(arg, Variable)}
        yield tuple(renamed(each, names) for each in rule.body)
