"""Bucket elimination: get rid of the variables of a body one by one, before they multiply.

A rule with n variables has up to d^n ground instances, though few variables reach its head. A variable that
does not is projected out: the literals that hold it move into an auxiliary relation over the variables
that they share with the rest. The next variable is always one whose relation has the fewest arguments, so
that instances grow with the width of the body's constraint graph, not with the number of its variables.

A literal that is not taken along with the variable may still have to bind others. In a rule with very many instances it
stays where it is, and its projection to these variables guards the auxiliary relation, as in `magic`.

Source: R. Dechter, "Bucket Elimination: A Unifying Framework for Reasoning", Artificial Intelligence, 1999;
for the grounding of logic programs: M. Bichler, M. Morak, S. Woltran, "lpopt: A Rule Optimization Tool for
Answer Set Programming", 2016.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.syntax import Atom, Formula, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.magic import GUARD
from ludens.propnet.rewrite.terms import Namer, ordered, renamed

_MOST_INSTANCES = 100_000_000  # of a rule that needs no guards, if all of its variables took their values freely


def project(sheet: RuleSheet, fresh: Namer, *, guarded: bool = False) -> RuleSheet:
    """The same game, its rules narrower; bodies must be flat.

    `guarded`: auxiliary relations of rules with very many instances have guards.
    """
    projection = _Projection(fresh, ArgumentDomains(sheet.rules) if guarded else None)
    for rule in sheet.rules:
        projection.add(rule)
    return RuleSheet(tuple(projection.rules))


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Literals that leave a body together, and the variables that they share with what stays."""

    literals: tuple[Formula, ...]
    shared: tuple[Variable, ...]
    guards: tuple[Atom, ...] = ()  # literals that stay, but bind variables of those that leave


class _Projection:
    def __init__(self, fresh: Namer, domains: ArgumentDomains | None) -> None:
        self.rules: list[Rule] = []
        self._fresh = fresh
        self._domains = domains
        self._known: dict[tuple[str, int, tuple[Formula, ...]], str] = {}  # equal auxiliary relations are made once

    def add(self, rule: Rule) -> None:
        body = list(rule.body)
        left = variables(*body) - variables(rule.head)
        guarded = self._is_guarded(rule)
        while left:
            buckets = [(variable, _bucket(variable, body, rule.head, guarded)) for variable in ordered(left)]
            variable, bucket = min(buckets, key=lambda pair: (len(pair[1].shared), len(pair[1].literals)))
            left.discard(variable)
            if _worthwhile(variable, bucket, body):
                body = [literal for literal in body if literal not in bucket.literals]
                body.append(self._auxiliary(bucket, rule))
                left &= variables(*body)
        self.rules.append(Rule(rule.head, tuple(body), rule.position))

    def _is_guarded(self, rule: Rule) -> bool:
        """Whether guards are wanted, and the variables of a rule may have very many values together."""
        if self._domains is None:
            return False
        sizes = (len(self._domains.values(rule, each)) for each in variables(rule.head, *rule.body))
        return math.prod(sizes) > _MOST_INSTANCES

    def _auxiliary(self, bucket: _Bucket, rule: Rule) -> Atom:
        """The relation that stands for the literals of a bucket."""
        literals = self._grouped(bucket, rule) if bucket.guards else bucket.literals
        return self._guarded(literals, bucket.shared, bucket.guards, rule)

    def _grouped(self, bucket: _Bucket, rule: Rule) -> tuple[Formula, ...]:
        """The literals, but one in place of those that lack some variable, so that these meet for fewer values."""
        every = variables(*bucket.literals)
        groups = [[each for each in bucket.literals if lacked not in variables(each)] for lacked in ordered(every)]
        bound = [each for each in groups if variables(*each) <= bound_variables([*each, *bucket.guards])]
        group = max(bound, key=lambda each: (len(each), -len(variables(*each))), default=[])
        if len(group) < 2:
            return bucket.literals
        unbound = variables(*group) - bound_variables(group)
        guards = tuple(each for each in bucket.guards if variables(each) & unbound)
        rest = (each for each in bucket.literals if each not in group)
        return *rest, self._guarded(tuple(group), ordered(variables(*group)), guards, rule)

    def _guarded(
        self, literals: tuple[Formula, ...], shared: tuple[Variable, ...], guards: tuple[Atom, ...], rule: Rule
    ) -> Atom:
        """The relation of the shared variables that literals hold for, where guards may hold."""
        inside = variables(*literals)
        projected = (self._relation(GUARD, (each,), ordered(inside & variables(each)), rule) for each in guards)
        return self._relation("project", (*literals, *projected), shared, rule)

    def _relation(self, purpose: str, literals: tuple[Formula, ...], shared: tuple[Variable, ...], rule: Rule) -> Atom:
        """The relation of the shared variables that literals hold for, defined unless it is there already."""
        names = {variable: Variable(str(i)) for i, variable in enumerate(shared)}
        for variable in ordered(variables(*literals)):
            names.setdefault(variable, Variable(str(len(names))))
        body = tuple(renamed(literal, names) for literal in literals)
        key = purpose, len(shared), body
        if key not in self._known:
            self._known[key] = self._fresh(purpose)
            head = Atom(self._known[key], tuple(names[v] for v in shared), rule.position)
            self.rules.append(Rule(head, body, rule.position))
        return Atom(self._known[key], shared, rule.position)


def _worthwhile(variable: Variable, bucket: _Bucket, body: list[Formula]) -> bool:
    """Whether the auxiliary relation has fewer instances than the body, or at least shares work between them."""
    if len(bucket.literals) == len(body):
        return False
    enlarged = any(variable not in variables(literal) for literal in bucket.literals)
    return not enlarged or variables(*bucket.literals) != variables(*body)


def _bucket(variable: Variable, body: list[Formula], head: Atom, guarded: bool) -> _Bucket:
    """The literals that hold the variable, and others that it takes to bind all variables of these.

    `guarded`: the others stay where they are and become guards.
    """
    inside = [literal for literal in body if variable in variables(literal)]
    guards: list[Atom] = []
    while unbound := variables(*inside) - bound_variables([*inside, *guards]):
        known = variables(*inside)
        binding = [atom for atom in body if isinstance(atom, Atom) and unbound & variables(atom)]
        if guarded:
            guards.append(max(binding, key=lambda atom, known=known: len(variables(atom) & known)))  # type: ignore[misc]
        else:
            inside.append(min(binding, key=lambda atom, known=known: len(variables(atom) - known)))  # type: ignore[misc]
    outside = [literal for literal in body if literal not in inside]
    shared = variables(*inside) & variables(head, *outside)
    return _Bucket(tuple(inside), ordered(shared), tuple(guards))
