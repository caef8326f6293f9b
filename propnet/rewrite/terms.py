"""Operations on terms and formulas that all rewritings use: new names, an order of variables, substitution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ludens.propnet.gdl.syntax import Atom, Constant, Distinct, Formula, Function, Not, Term, Variable


class Namer:
    """Makes names of relations that no sheet can hold, since they contain a space."""

    def __init__(self) -> None:
        """Starts counting at 1."""
        self._made = 0

    def __call__(self, purpose: str) -> str:
        """Returns a name that was not made before: `purpose` and a number."""
        self._made += 1
        return f"{purpose} {self._made}"


def ordered(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables in an order that does not change from run to run."""
    return tuple(sorted(names, key=lambda variable: variable.name))


def literal_atom(formula: Formula) -> Atom | None:
    """The atom of a literal, whatever its sign; None for (in)equalities."""
    inner = formula.body if isinstance(formula, Not) else formula
    return inner if isinstance(inner, Atom) else None


def negation(literal: Formula) -> Formula:
    """The literal that holds where another does not."""
    return literal.body if isinstance(literal, Not) else Not(literal)


def renamed(formula: Formula, names: Mapping[Variable, Term]) -> Formula:
    """A literal with its variables replaced by the terms that `names` gives for them."""
    if isinstance(formula, Not):
        return Not(renamed(formula.body, names))
    if isinstance(formula, Distinct):
        left, right = substituted(formula.left, names), substituted(formula.right, names)
        return Distinct(left, right, formula.position)
    assert isinstance(formula, Atom)
    return Atom(formula.name, tuple(substituted(arg, names) for arg in formula.args), formula.position)


def substituted(term: Term, names: Mapping[Variable, Term]) -> Term:
    """A term with its variables replaced by those that `names` gives for them."""
    if isinstance(term, Variable):
        return names.get(term, term)
    if isinstance(term, Constant):
        return term
    return Function(term.name, tuple(substituted(arg, names) for arg in term.args))
