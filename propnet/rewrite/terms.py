"""What all rewritings ask about terms and formulas: their variables, and whether those are bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ludens.propnet.gdl.syntax import And, Atom, Constant, Distinct, Formula, Function, Not, Or, Term, Variable


class Namer:
    """Makes relation names that no sheet can hold, since they contain a space."""

    def __init__(self) -> None:
        """None made yet."""
        self._made = 0

    def __call__(self, purpose: str) -> str:
        """A name not made before."""
        self._made += 1
        return f"{purpose} {self._made}"


def variables(terms: Iterable[Term]) -> set[Variable]:
    """All variables that occur in the terms."""
    found: set[Variable] = set()
    pending = list(terms)
    while pending:
        term = pending.pop()
        if isinstance(term, Variable):
            found.add(term)
        elif isinstance(term, Function):
            pending.extend(term.args)
    return found


def formula_variables(*formulas: Formula) -> set[Variable]:
    """All variables that occur in the formulas."""
    found: set[Variable] = set()
    for formula in formulas:
        if isinstance(formula, Atom):
            found |= variables(formula.args)
        elif isinstance(formula, Distinct):
            found |= variables((formula.left, formula.right))
        elif isinstance(formula, Not):
            found |= formula_variables(formula.body)
        else:
            parts = formula.alternatives if isinstance(formula, Or) else formula.parts
            found |= formula_variables(*parts)
    return found


def bound_variables(formulas: Iterable[Formula]) -> set[Variable]:
    """The variables of the positive atoms: the ones that a conjunction gives values to."""
    found: set[Variable] = set()
    for formula in formulas:
        if isinstance(formula, Atom):
            found |= variables(formula.args)
        elif isinstance(formula, And):
            found |= bound_variables(formula.parts)
        elif isinstance(formula, Or):
            found |= set.intersection(*(bound_variables((part,)) for part in formula.alternatives))
    return found


def ordered(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables in an order that does not change from run to run."""
    return tuple(sorted(names, key=lambda variable: variable.name))


def literal_atom(formula: Formula) -> Atom | None:
    """The atom of a literal, whatever its sign; None for (in)equalities."""
    inner = formula.body if isinstance(formula, Not) else formula
    return inner if isinstance(inner, Atom) else None


def renamed(formula: Formula, names: Mapping[Variable, Term]) -> Formula:
    """A literal with other terms in place of variables."""
    if isinstance(formula, Not):
        return Not(renamed(formula.body, names))
    if isinstance(formula, Distinct):
        left, right = _substituted(formula.left, names), _substituted(formula.right, names)
        return Distinct(left, right, formula.position)
    assert isinstance(formula, Atom)
    return Atom(formula.name, tuple(_substituted(arg, names) for arg in formula.args), formula.position)


def _substituted(term: Term, names: Mapping[Variable, Term]) -> Term:
    if isinstance(term, Variable):
        return names.get(term, term)
    if isinstance(term, Constant):
        return term
    return Function(term.name, tuple(_substituted(arg, names) for arg in term.args))
