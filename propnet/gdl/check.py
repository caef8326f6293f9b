"""Whether a rule sheet is a game: the restrictions of GDL that its grammar cannot express.

`check` raises for what no player could make sense of, `faults` lists it. What a player can play and is a mistake all
the same, such as a move of a role that does not exist, is found by `propnet/diagnosis`.

Source: N. Love et al., "General Game Playing: Game Description Language Specification", Stanford 2008.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TypeAlias

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.graphs import leading
from ludens.propnet.gdl.conditions import Condition, atoms, conditions, uses
from ludens.propnet.gdl.stratification import self_negations
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Not,
    Or,
    Position,
    Rule,
    RuleSheet,
    Variable,
)
from ludens.propnet.gdl.variables import bound_variables, occurrences

ARITY = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "does": 2,
    "legal": 2,
    "goal": 2,
    "input": 2,
    "terminal": 0,
}
"""How many arguments each relation has that GDL reserves."""

GOAL_VALUES = frozenset(map(str, range(101)))

CONNECTIVES = frozenset({"not", "or", "and", "distinct"})

NEEDED = {"role": "list each player as (role NAME)", "legal": "say which moves are legal"}
"""The relations that no game can do without, and what to do where one is missing."""

TIMELESS = {"init": ("true", "does"), "legal": ("does",), "terminal": ("does",), "goal": ("does",)}
"""What a relation must not depend on, since it is asked for before that is known."""

Fault: TypeAlias = tuple[Rule, GdlError]


def check(sheet: RuleSheet) -> None:
    """Raises `GdlError` for the first fault found in `sheet`; returns if it is a game."""
    for fault in _find(sheet):
        raise fault


def faults(sheet: RuleSheet) -> list[GdlError]:
    """All faults of `sheet`, those of the number of arguments first; a rule with one is not looked at for others."""
    return list(_find(sheet))


def _find(sheet: RuleSheet) -> Iterator[GdlError]:
    yield from missing(sheet)
    for find in (_atoms, _heads, _safety, _order_in_time, _stratification):
        faulty = set()
        for rule, error in find(sheet):
            faulty.add(id(rule))
            yield error
        sheet = RuleSheet(tuple(rule for rule in sheet.rules if id(rule) not in faulty))


def missing(sheet: RuleSheet) -> list[GdlError]:
    """A fault for each relation that no game can do without and no rule is for."""
    heads = {rule.head.name for rule in sheet.rules}
    absent = [(name, advice) for name, advice in NEEDED.items() if name not in heads]
    return [GdlError(f"the rules define no {name}: {advice}") for name, advice in absent]


def _atoms(sheet: RuleSheet) -> Iterator[Fault]:
    """Every relation has as many arguments as GDL gives it, or as it has most often."""
    arity = ARITY | _usual_arity(sheet)
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name.lower() in CONNECTIVES:
                message = f"{atom.name} is a connective and cannot name a relation here"
                yield _fault(rule, atom.position, f"{message}: is a '(' missing before it?")
            elif len(atom.args) != arity[atom.name]:
                elsewhere = "" if atom.name in ARITY else ", as elsewhere"
                yield _fault(rule, atom.position, f"{atom} should have {arguments(arity[atom.name])}{elsewhere}")


def arguments(count: int) -> str:
    """Says how many arguments there are."""
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _usual_arity(sheet: RuleSheet) -> dict[str, int]:
    """How many arguments each relation that GDL does not reserve has most often; of equals the first in the text."""
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name not in ARITY:
                counts[atom.name][len(atom.args)] += 1
    return {name: count.most_common(1)[0][0] for name, count in counts.items()}


def _heads(sheet: RuleSheet) -> Iterator[Fault]:
    for rule in sheet.rules:
        head = rule.head
        if head.name in ("true", "does"):
            yield _fault(rule, head.position, f"{head.name} comes from the match and cannot be derived by a rule")
        if head.name == "role" and (rule.body or not isinstance(head.args[0], Constant)):
            yield _fault(rule, head.position, "a role must be a plain fact such as (role red)")
        if head.name == "goal":
            value = head.args[1]
            if not (isinstance(value, Variable) or (isinstance(value, Constant) and _is_goal_value(value.name))):
                yield _fault(rule, head.position, f"the goal value {value} is not a number from 0 to 100")


def _is_goal_value(name: str) -> bool:
    return (name.lstrip("0") or name[:1]) in GOAL_VALUES


def _safety(sheet: RuleSheet) -> Iterator[Fault]:
    """Each variable of the head and of a test must get its value from a positive condition."""
    for rule in sheet.rules:
        bound = bound_variables(rule.body)
        yield from _unbound(rule, rule.head, bound)
        yield from _tests(rule, And(rule.body), bound)


def _tests(rule: Rule, formula: Formula, bound: set[Variable]) -> Iterator[Fault]:
    match formula:
        case And(parts):
            for part in parts:
                yield from _tests(rule, part, bound | bound_variables(parts))
        case Or(alternatives):
            for alternative in alternatives:
                yield from _tests(rule, alternative, bound | bound_variables((alternative,)))
        case Not() | Distinct():
            for condition, _ in conditions((formula,)):
                yield from _unbound(rule, condition, bound)


def _unbound(rule: Rule, condition: Condition, bound: set[Variable]) -> Iterator[Fault]:
    """A fault for each variable of a condition that has no value."""
    for variable in dict.fromkeys(occurrences(condition)):
        if variable not in bound:
            advice = f"add a condition that is not negated and holds {variable}"
            alike = get_close_matches(variable.name, [name.name for name in bound], 1)
            suggestion = f"; did you mean ?{alike[0]}?" if alike else ""
            yield _fault(rule, condition.position, f"{variable} in {condition} has no value: {advice}{suggestion}")


def _order_in_time(sheet: RuleSheet) -> Iterator[Fault]:
    asked = [(rule, atom) for rule, atom, _ in uses(sheet) if isinstance(atom, Atom)]
    edges = {(rule.head.name, atom.name) for rule, atom in asked}
    depending = {later: leading((later,), edges) for later in ("true", "does")}
    for rule, atom in asked:
        for later in TIMELESS.get(rule.head.name, ()):
            if atom.name in depending[later]:
                yield _fault(rule, atom.position, f"{rule.head.name} must not depend on {later}")


def _stratification(sheet: RuleSheet) -> Iterator[Fault]:
    for rule, atom in self_negations(sheet):
        yield _fault(rule, atom.position, f"{rule.head} depends on its own negation through {atom}")


def _fault(rule: Rule, position: Position, message: str) -> Fault:
    return rule, GdlError(f"{message}, in a rule for {rule.head}", position.line, position.column)
