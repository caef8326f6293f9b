"""Finds conditions that never hold, and rules that therefore never apply, whatever is played.

Each is told where it begins: a condition is not blamed for a relation all whose rules are to blame themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, error, slip_of, warning
from ludens.propnet.gdl.argument_domains import ArgumentDomains, Place, Symbol, relation, shape, symbol
from ludens.propnet.gdl.check import ARITY, CONNECTIVES, arguments
from ludens.propnet.gdl.conditions import conditions, positive_atoms
from ludens.propnet.gdl.syntax import Atom, Rule, RuleSheet, Term

_MOST_NAMED = 6  # alternatives that a message lists

_SOURCES = {"true": "init or next", "does": "legal"}


def impossible(sheet: RuleSheet, domains: ArgumentDomains) -> Iterator[Finding]:
    """What never holds in the conditions of `sheet`."""
    defined = {relation(rule.head) for rule in sheet.rules}
    for rule in sheet.rules:
        found = list(_of_rule(rule, domains, defined))
        yield from found
        blameless = all(_may_hold(atom, domains) for atom in positive_atoms(rule))
        if not found and blameless and not domains.applies(rule):
            yield warning(rule.position, f"this rule for {rule.head} never applies: its conditions exclude each other")


def _of_rule(rule: Rule, domains: ArgumentDomains, defined: set[Symbol]) -> Iterator[Finding]:
    for atom, _ in conditions(rule.body):
        if not isinstance(atom, Atom):
            continue
        name = relation(atom)
        if name not in defined:
            yield _undefined(atom, defined)
        elif domains.relation(name):
            for place, term in domains.excluded(atom):
                yield _excluded(atom, place, term, domains)
                break


def _may_hold(atom: Atom, domains: ArgumentDomains) -> bool:
    return domains.relation(relation(atom)) and not any(domains.excluded(atom))


def _undefined(atom: Atom, defined: set[Symbol]) -> Finding:
    suggestion = slip_of(atom.name, {*(name for name, _ in defined), *ARITY, *CONNECTIVES})
    reason = f"no {_SOURCES[atom.name]} rule is there" if atom.name in _SOURCES else f"no rule defines {atom.name}"
    return warning(atom.position, f"{atom} never holds: {reason}{suggestion}", atom.name)


def _excluded(atom: Atom, place: Place, term: Term, domains: ArgumentDomains) -> Finding:
    """Says why an atom never holds in which `term` stands at `place`."""
    name = symbol(term)
    assert name is not None
    there = domains.symbols(place)
    source = _SOURCES.get(atom.name)
    whole = source is not None and place[1] is None and place[2] == len(atom.args) - 1  # a fact or a move
    counts = sorted(count for other, count in there if other == name[0])
    if counts and name[1]:
        made = f"{source} makes it" if whole else "it has where it comes from"
        report = error if whole else warning
        message = f"{term} has {arguments(name[1])}, but {arguments(counts[0])} where {made}"
        return report(atom.position, message, name[0] if whole else None)
    suggestion = slip_of(name[0], (other for other, _ in there))
    if whole:
        return warning(atom.position, f"{atom} never holds: no {source} rule makes {shape(name)}{suggestion}", name[0])
    names = sorted({other for other, _ in there})
    shown = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    return warning(
        atom.position, f"{atom} never holds: instead of {term} there is only {shown or 'nothing'}{suggestion}"
    )
