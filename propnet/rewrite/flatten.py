"""Bring rule bodies into clausal form: plain conjunctions of atoms, negated atoms and (in)equalities.

Negation moves inwards by De Morgan's laws. A disjunction whose alternatives bind all of its variables becomes
an auxiliary relation with one rule an alternative, which keeps the rule from being multiplied out (after
Tseitin's definitional form, 1968); one that leans on variables bound outside is distributed over the rule. Where that
would make many rules, it becomes an auxiliary relation too, whose rules also ask for the atoms that bind the variables.
Then only disjunctions that bind variables of each other are distributed, and a rule with too many of these is refused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Not, Or, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.terms import Namer, ordered

_MOST_RULES = 64  # that a rule is distributed into, unless there is no other way
_TOO_MANY_RULES = 10_000


def flatten(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game, its bodies made of `Atom`, `Distinct` and `Not` of these only.

    Raises `GdlError` for a rule that can only be distributed into too many.
    """
    pending = [(rule, 1, _MOST_RULES) for rule in reversed(sheet.rules)]
    flat: list[Rule] = []
    while pending:
        rule, ways, most = pending.pop()
        if ways > _TOO_MANY_RULES:
            advice = "use relations in the place of its alternatives"
            raise GdlError(f"this rule stands for too many: {advice}", rule.position.line, rule.position.column)
        parts = tuple(_conjuncts(rule.body))
        if any(isinstance(part, Or) for part in parts):
            pending.extend(reversed(_without_disjunction(rule, parts, ways, most, fresh)))
        else:
            flat.append(Rule(rule.head, parts, rule.position))
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


def _without_disjunction(
    rule: Rule, parts: tuple[Formula, ...], ways: int, most: int, fresh: Namer
) -> list[tuple[Rule, int, int]]:
    """Rules that together mean `rule`, with one disjunction less, each with its `ways` and `most`.

    `ways` is how many rules a rule was distributed into with `rule` among them, `most` how many these may become.
    """
    disjunctions = {place: part for place, part in enumerate(parts) if isinstance(part, Or)}
    unbound = {place: _unbound(part) for place, part in disjunctions.items()}
    few = ways * math.prod(len(part.alternatives) for place, part in disjunctions.items() if unbound[place]) <= most
    if not few:
        count = Counter(variable for part in (rule.head, *parts) for variable in variables(part))
        unbound = {place: {variable for variable in free if count[variable] > 1} for place, free in unbound.items()}
    bound = bound_variables(part for part in parts if isinstance(part, Atom))
    place = next(iter(disjunctions)) if few else min(disjunctions, key=lambda each: len(unbound[each] - bound))
    disjunction = disjunctions[place]

    def with_part(part: Formula) -> Rule:
        return Rule(rule.head, (*parts[:place], part, *parts[place + 1 :]), rule.position)

    if unbound[place] and (few or unbound[place] - bound):
        ways *= len(disjunction.alternatives)
        return [(with_part(part), ways, most) for part in disjunction.alternatives]
    outside = variables(rule.head, *parts[:place], *parts[place + 1 :])
    auxiliary = Atom(fresh("or"), ordered(variables(disjunction) & outside), rule.position)
    binding = [part for part in parts if isinstance(part, Atom) and variables(part) & unbound[place]]
    defined = [Rule(auxiliary, (*binding, part), rule.position) for part in disjunction.alternatives]
    most = most if few else 0
    return [(each, ways, most) for each in (with_part(auxiliary), *defined)]


def _unbound(disjunction: Or) -> set[Variable]:
    """The variables that some alternative leaves without a value."""
    bound = set.intersection(*(bound_variables(_conjuncts((part,))) for part in disjunction.alternatives))
    return variables(disjunction) - bound
