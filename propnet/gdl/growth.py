"""Finds rules that may make ever deeper terms, so that there is no end to what holds.

GDL forbids such rules by its recursion restriction. Here it is asked of the argument domains, which are an upper bound:
what is found may end all the same, for instance as a condition that is negated stops it.

Source: N. Love et al., "General Game Playing: Game Description Language Specification", Stanford 2008.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ludens.propnet.base.graphs import components, successors
from ludens.propnet.gdl.argument_domains import ArgumentDomains, Symbol, places, relation
from ludens.propnet.gdl.conditions import positive_atoms
from ludens.propnet.gdl.syntax import Function, Rule, RuleSheet, Term, Variable


def growing(sheet: RuleSheet, domains: ArgumentDomains) -> Iterator[tuple[Rule, Variable]]:
    """Yields rules with a variable that has its value from what the rule leads to, and puts it deeper into terms."""
    together = _recursive_together(sheet)
    for rule in sheet.rules:
        sources: defaultdict[Variable, list[tuple[Symbol, int]]] = defaultdict(list)
        for atom in positive_atoms(rule):
            for variable, depth in _depths(atom.args):
                sources[variable].append((relation(atom), depth))
        head, deepest = relation(rule.head), dict(sorted(_depths(rule.head.args), key=lambda pair: pair[1]))
        nested = (term for place, term in places(rule.head) if isinstance(term, Variable) and domains.endless(place))
        for variable in dict.fromkeys(nested):
            found = sources[variable]
            if found and all(together[name] == together[head] and depth < deepest[variable] for name, depth in found):
                yield rule, variable
                break


def _recursive_together(sheet: RuleSheet) -> dict[Symbol, int]:
    """A number for each relation that is the same for those that lead to each other."""
    uses = successors((relation(rule.head), relation(atom)) for rule in sheet.rules for atom in positive_atoms(rule))
    return {name: number for number, names in enumerate(components(uses)) for name in names}


def _depths(terms: Iterable[Term]) -> Iterator[tuple[Variable, int]]:
    """The variables in terms, each with how many functions are around it."""
    pending = [(term, 0) for term in terms]
    while pending:
        term, depth = pending.pop()
        if isinstance(term, Variable):
            yield term, depth
        elif isinstance(term, Function):
            pending += ((arg, depth + 1) for arg in term.args)
