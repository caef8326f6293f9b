"""Computes argument domains: which symbols can stand in each argument of what the rules derive, in any game.

A *place* is an argument of a relation, or of a function within a relation. Symbols flow from the conditions of a rule
to its head along variables; a variable can be what all its places in conditions that are not negated have in common.
The bound is the least fixpoint, which is finite since there are finitely many symbols. It is an upper bound, as it
ignores negations and how arguments go together: what it excludes never holds, whatever is played.

Source: the argument domains of S. Schiffel, "Knowledge-Based General Game Playing", 2011.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from typing import TypeAlias

from ludens.propnet.base.graphs import components
from ludens.propnet.gdl.syntax import And, Atom, Constant, Formula, Function, Or, Rule, Term, Variable

Symbol: TypeAlias = tuple[str, int]
"""A name and its number of arguments: of a constant, a function or a relation."""

Place: TypeAlias = tuple[Symbol, Symbol | None, int]  # a relation, a function within it if any, which argument

Sources: TypeAlias = Mapping[Variable, frozenset[tuple[Place, ...]]]
"""Where variables come from: a set of alternatives, each of places that must all agree."""

_SAME = {("next", 1): ("true", 1), ("init", 1): ("true", 1), ("legal", 2): ("does", 2)}

_MOST_TERMS = 1_000_000  # of an argument of a relation whose instances are counted; more are counted as so many

_ENDLESS = 1 << 60  # stands for the number of terms where functions nest without a bound, and for all that are higher

_MOST_ALTERNATIVES = 32  # of a variable; beyond, the bound gets wider


def symbol(term: Term) -> Symbol | None:
    """The symbol that a term begins with; None for a variable."""
    match term:
        case Constant(name):
            return name, 0
        case Function(name, args):
            return name, len(args)
    return None


def shape(name: Symbol) -> str:
    """What terms with a symbol look like."""
    return f"({name[0]} …)" if name[1] else name[0]


def relation(atom: Atom) -> Symbol:
    """The relation of an atom, in which `true` stands for `init` and `next` as well, and `does` for `legal`."""
    own = atom.name, len(atom.args)
    return _SAME.get(own, own)


def places(atom: Atom) -> Iterator[tuple[Place, Term]]:
    """Every place in an atom, however deep, and what stands there; outer ones first."""
    within = relation(atom)
    pending: list[tuple[Place, Term]] = [((within, None, i), term) for i, term in enumerate(atom.args)]
    while pending:
        place, term = pending.pop(0)
        yield place, term
        if isinstance(term, Function):
            pending += (((within, symbol(term), i), arg) for i, arg in enumerate(term.args))


class ArgumentDomains:
    """The symbols that can stand in each place, and the relations that can hold at all."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Iterates over the rules until nothing is added."""
        self._symbols: defaultdict[Place, set[Symbol]] = defaultdict(set)
        self._relations: set[Symbol] = set()
        self._grown: set[Symbol] = set()  # relations of which more is known since they were read last
        readers: defaultdict[Symbol, list[Rule]] = defaultdict(list)
        for rule in rules:
            for name in set(_relations(rule.body)):
                readers[name].append(rule)
        for rule in rules:
            self._apply(rule)
        while self._grown:
            pending = {id(rule): rule for name in self._grown for rule in readers[name]}
            self._grown = set()
            for rule in pending.values():
                self._apply(rule)

    def relation(self, name: Symbol) -> bool:
        """Whether any atom of a relation can hold."""
        return name in self._relations

    def symbols(self, place: Place) -> frozenset[Symbol]:
        """What can stand in a place."""
        return frozenset(self._symbols.get(place, ()))

    def count(self, name: Symbol, argument: int, limit: int) -> int:
        """How many ground terms may stand in an argument of a relation; at least 1, at most `limit`."""
        within = _SAME.get(name, name)
        return max(1, min(limit, self._counts.get((within, None, argument), 0)))

    def instances(self, name: Symbol) -> int:
        """A bound of how many instances a relation may have."""
        return math.prod(self.count(name, i, _MOST_TERMS) for i in range(name[1]))

    def excluded(self, atom: Atom) -> Iterator[tuple[Place, Term]]:
        """The places of an atom in which there stands what never stands there."""
        for place, term in places(atom):
            if (found := symbol(term)) and found not in self._symbols.get(place, ()):
                yield place, term

    def values(self, rule: Rule, term: Term) -> frozenset[Symbol]:
        """What a term in the head of a rule can be; nothing if the rule never applies."""
        sources = self._sources(rule.body)
        if sources is None:
            return frozenset()
        if found := symbol(term):
            return frozenset({found})
        assert isinstance(term, Variable)
        return self._common(sources.get(term, frozenset()))

    def applies(self, rule: Rule) -> bool:
        """Whether all conditions of a rule can hold."""
        return self._sources(rule.body) is not None

    def endless(self, place: Place) -> bool:
        """Whether terms of a place may stand within terms of the same place, and so nest without a bound."""
        return place in self._endless

    @cached_property
    def _endless(self) -> frozenset[Place]:
        within = {place: {*chain(*terms)} for place, terms in self._terms.items()}
        circles = (some for some in components(within) if len(some) > 1 or some[0] in within.get(some[0], ()))
        return frozenset(chain(*circles))

    @cached_property
    def _terms(self) -> Mapping[Place, list[list[Place]]]:
        """The arguments of the terms that may stand in each place."""
        return {place: [_arguments(place, name) for name in names] for place, names in self._symbols.items()}

    @cached_property
    def _counts(self) -> Mapping[Place, int]:
        """How many ground terms may stand in each place."""
        counts: dict[Place, int] = {}
        for places in components({place: list(chain(*terms)) for place, terms in self._terms.items()}):
            counts.update(dict.fromkeys(places, _ENDLESS))  # which it is if one of them is within itself
            for place in places:
                products = (math.prod(counts[inner] for inner in arguments) for arguments in self._terms.get(place, ()))
                counts[place] = min(_ENDLESS, sum(products))
        return counts

    def _apply(self, rule: Rule) -> None:
        sources = self._sources(rule.body)
        if sources is None:
            return
        if (name := relation(rule.head)) not in self._relations:
            self._relations.add(name)
            self._grown.add(name)
        for place, term in places(rule.head):
            if found := symbol(term):
                self._add(place, {found})
            elif isinstance(term, Variable):
                for alternative in sources.get(term, ()):
                    self._copy(alternative, place)

    def _copy(self, sources: tuple[Place, ...], target: Place) -> None:
        """Adds to a place, and to the places in functions there, what all sources have in common."""
        pending, done = [(sources, target)], set()
        while pending:
            step = pending.pop()
            if step in done:
                continue
            done.add(step)
            sources, target = step
            common = self._common(frozenset({sources}))
            self._add(target, common)
            for inner in common:
                pending += (
                    (tuple((place[0], inner, i) for place in sources), (target[0], inner, i)) for i in range(inner[1])
                )

    def _add(self, place: Place, found: Iterable[Symbol]) -> None:
        known = self._symbols[place]
        before = len(known)
        known.update(found)
        if len(known) > before:
            self._grown.add(place[0])

    def _sources(self, formulas: Iterable[Formula]) -> Sources | None:
        """Where the variables of a conjunction come from; None if it never holds."""
        merged: dict[Variable, frozenset[tuple[Place, ...]]] = {}
        for formula in formulas:
            found = self._sources_of(formula)
            if found is None:
                return None
            for variable, alternatives in found.items():
                merged[variable] = _both(merged[variable], alternatives) if variable in merged else alternatives
        return merged if all(map(self._common, merged.values())) else None

    def _sources_of(self, formula: Formula) -> Sources | None:
        match formula:
            case And(parts):
                return self._sources(parts)
            case Or(parts):
                options = [found for part in parts if (found := self._sources((part,))) is not None]
                shared = set.intersection(*map(set, options)) if options else set()
                return {v: frozenset.union(*(found[v] for found in options)) for v in shared} if options else None
            case Atom():
                return self._sources_of_atom(formula)
        return {}

    def _sources_of_atom(self, atom: Atom) -> Sources | None:
        if relation(atom) not in self._relations or any(self.excluded(atom)):
            return None
        found: defaultdict[Variable, list[Place]] = defaultdict(list)
        for place, term in places(atom):
            if isinstance(term, Variable):
                found[term].append(place)
        return {variable: frozenset({tuple(where)}) for variable, where in found.items()}

    def _common(self, alternatives: frozenset[tuple[Place, ...]]) -> frozenset[Symbol]:
        """What a variable can be that comes from one of some alternatives."""
        options = (set.intersection(*(self._symbols[place] for place in option)) for option in alternatives)
        return frozenset().union(*options)


def _arguments(place: Place, name: Symbol) -> list[Place]:
    """The places in the terms that begin with a symbol in a place."""
    return [(place[0], name, i) for i in range(name[1])]


def _both(one: frozenset[tuple[Place, ...]], other: frozenset[tuple[Place, ...]]) -> frozenset[tuple[Place, ...]]:
    if len(one) * len(other) > _MOST_ALTERNATIVES:
        return one
    return frozenset((*left, *right) for left, right in product(one, other))


def _relations(formulas: Iterable[Formula]) -> Iterator[Symbol]:
    """The relations of conditions that are not negated."""
    for formula in formulas:
        match formula:
            case And(parts) | Or(parts):
                yield from _relations(parts)
            case Atom():
                yield relation(formula)
