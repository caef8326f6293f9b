"""Bring rule bodies into clausal form: plain conjunctions of atoms, negated atoms and (in)equalities.

Negation moves inwards by De Morgan's laws. A disjunction whose alternatives bind all of its variables becomes
an auxiliary relation with one rule an alternative, which keeps the rule from being multiplied out (after
Tseitin's definitional form, 1968); one that leans on variables bound outside is distributed over the rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Not, Or, Rule, RuleSheet
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.terms import Namer, ordered


def flatten(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game, its bodies made of `Atom`, `Distinct` and `Not` of these only."""
    pending = list(reversed(sheet.rules))
    flat: list[Rule] = []
    while pending:
        rule = pending.pop()
        parts = tuple(_conjuncts(rule.body))
        place = next((i for i, part in enumerate(parts) if isinstance(part, Or)), None)
        if place is None:
            flat.append(Rule(rule.head, parts, rule.position))
        else:
            pending.extend(reversed(_without_disjunction(rule, parts, place, fresh)))
    return RuleSheet(tuple(flat))


def _conjuncts(body: tuple[Formula, ...]) -> Iterator[Formula]:
    """The parts of a body with negation pushed inwards and nested conjunctions opened."""
    pending = list(reversed(body))
    while pending:
        part = pending.pop()
        if isinstance(part, Not) and not isinstance(part.body, Atom | Distinct):
            pending.append(_negation(part.body))
        elif isinstance(part, And):
            pending.extend(reversed(part.parts))
        elif isinstance(part, Or) and len(part.alternatives) == 1:
            pending.append(part.alternatives[0])
        else:
            yield part


def _negation(body: Formula) -> Formula:
    if isinstance(body, Not):
        return body.body
    if isinstance(body, And):
        return Or(tuple(Not(part) for part in body.parts))
    if isinstance(body, Or):
        return And(tuple(Not(part) for part in body.alternatives))
    return Not(body)


def _without_disjunction(rule: Rule, parts: tuple[Formula, ...], place: int, fresh: Namer) -> list[Rule]:
    """Rules that together mean `rule` and no longer have the disjunction at `place`."""

    def with_part(part: Formula) -> Rule:
        return Rule(rule.head, (*parts[:place], part, *parts[place + 1 :]), rule.position)

    disjunction = parts[place]
    assert isinstance(disjunction, Or)
    used = variables(disjunction)
    if any(used - bound_variables(_conjuncts((part,))) for part in disjunction.alternatives):
        return [with_part(part) for part in disjunction.alternatives]
    outside = variables(rule.head, *parts[:place], *parts[place + 1 :])
    auxiliary = Atom(fresh("or"), ordered(used & outside), rule.position)
    defined = [Rule(auxiliary, (part,), rule.position) for part in disjunction.alternatives]
    return [with_part(auxiliary), *defined]
