"""Finds the variables of terms and formulas, and those that a conjunction gives values to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ludens.propnet.gdl.syntax import And, Atom, Distinct, Formula, Function, Not, Or, Term, Variable


def occurrences(*nodes: Term | Formula) -> Iterator[Variable]:
    """The variables of the nodes in the order of the text, each as often as it occurs."""
    for node in nodes:
        match node:
            case Variable():
                yield node
            case Atom(_, parts) | Function(_, parts) | And(parts) | Or(parts):
                yield from occurrences(*parts)
            case Not(body):
                yield from occurrences(body)
            case Distinct(left, right):
                yield from occurrences(left, right)


def variables(*nodes: Term | Formula) -> set[Variable]:
    """All variables that occur in the nodes."""
    return set(occurrences(*nodes))


def bound_variables(formulas: Iterable[Formula]) -> set[Variable]:
    """The variables that have a value wherever all the formulas hold: those of positive conditions."""
    found: set[Variable] = set()
    for formula in formulas:
        if isinstance(formula, Atom):
            found |= variables(formula)
        elif isinstance(formula, And):
            found |= bound_variables(formula.parts)
        elif isinstance(formula, Or):
            found |= set.intersection(*(bound_variables((part,)) for part in formula.alternatives))
    return found
