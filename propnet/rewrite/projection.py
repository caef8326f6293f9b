"""Bucket elimination: get rid of the variables of a body one by one, before they multiply.

A rule with n variables has up to d^n ground instances, though few variables reach its head. A variable that
does not is projected out: the literals that hold it move into an auxiliary relation over the variables
that they share with the rest. The next variable is always one whose relation has the fewest arguments, so
that instances grow with the width of the body's constraint graph, not with the number of its variables.

Source: R. Dechter, "Bucket Elimination: A Unifying Framework for Reasoning", Artificial Intelligence, 1999;
for the grounding of logic programs: M. Bichler, M. Morak, S. Woltran, "lpopt: A Rule Optimization Tool for
Answer Set Programming", 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludens.propnet.gdl.syntax import Atom, Formula, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.terms import Namer, ordered, renamed


def project(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game, its rules narrower; bodies must be flat."""
    projection = _Projection(fresh)
    for rule in sheet.rules:
        projection.add(rule)
    return RuleSheet(tuple(projection.rules))


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Literals that leave a body together, and the variables that they share with what stays."""

    literals: tuple[Formula, ...]
    shared: tuple[Variable, ...]


class _Projection:
    def __init__(self, fresh: Namer) -> None:
        self.rules: list[Rule] = []
        self._fresh = fresh
        self._known: dict[tuple[int, tuple[Formula, ...]], str] = {}  # equal auxiliary relations are made once

    def add(self, rule: Rule) -> None:
        body = list(rule.body)
        left = variables(*body) - variables(rule.head)
        while left:
            buckets = [(variable, _bucket(variable, body, rule.head)) for variable in ordered(left)]
            variable, bucket = min(buckets, key=lambda pair: (len(pair[1].shared), len(pair[1].literals)))
            left.discard(variable)
            if _worthwhile(variable, bucket, body):
                body = [literal for literal in body if literal not in bucket.literals]
                body.append(self._auxiliary(bucket, rule))
                left &= variables(*body)
        self.rules.append(Rule(rule.head, tuple(body), rule.position))

    def _auxiliary(self, bucket: _Bucket, rule: Rule) -> Atom:
        """The relation that stands for the literals, defined unless it is there already."""
        names = {variable: Variable(str(i)) for i, variable in enumerate(bucket.shared)}
        for variable in ordered(variables(*bucket.literals)):
            names.setdefault(variable, Variable(str(len(names))))
        literals = tuple(renamed(literal, names) for literal in bucket.literals)
        key = len(bucket.shared), literals
        if key not in self._known:
            self._known[key] = self._fresh("project")
            head = Atom(self._known[key], tuple(names[v] for v in bucket.shared), rule.position)
            self.rules.append(Rule(head, literals, rule.position))
        return Atom(self._known[key], bucket.shared, rule.position)


def _worthwhile(variable: Variable, bucket: _Bucket, body: list[Formula]) -> bool:
    """Whether the auxiliary relation has fewer instances than the body, or at least shares work between them."""
    if len(bucket.literals) == len(body):
        return False
    enlarged = any(variable not in variables(literal) for literal in bucket.literals)
    return not enlarged or variables(*bucket.literals) != variables(*body)


def _bucket(variable: Variable, body: list[Formula], head: Atom) -> _Bucket:
    """The literals that hold the variable, and others that it takes to bind all variables of these."""
    inside = [literal for literal in body if variable in variables(literal)]
    while unbound := variables(*inside) - bound_variables(inside):
        known = variables(*inside)
        binding = [atom for atom in body if isinstance(atom, Atom) and unbound & variables(atom)]
        inside.append(min(binding, key=lambda atom, known=known: len(variables(atom) - known)))  # type: ignore[misc]
    outside = [literal for literal in body if literal not in inside]
    shared = variables(*inside) & variables(head, *outside)
    return _Bucket(tuple(inside), ordered(shared))
