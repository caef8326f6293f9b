"""Which constants and functions can stand in each argument: an upper bound that ignores how arguments go together.

A *place* is an argument of a relation, or of a function wherever it occurs. Constants flow from the conditions
of a rule to its head along variables: the head gets what all places of the variable in the body have in common.
The bound is found by iterating to the least fixpoint, which is finite since there are finitely many symbols.

Source: the argument domains of S. Schiffel, "Knowledge-Based General Game Playing", 2011.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ludens.propnet.gdl.syntax import Atom, Function, Rule, Term, Variable

Place: TypeAlias = tuple[str, int, int]  # "(" and the name of a function, or a relation; how many arguments; which
Symbol: TypeAlias = tuple[str, int]  # name and number of arguments

_SAME = {"next": "true", "init": "true", "legal": "does"}  # what the second holds comes from the first


class ArgumentDomains:
    """The symbols that can begin the term in each place, for flat rules."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Iterates over `rules` until nothing is added."""
        self._domains: defaultdict[Place, set[Symbol]] = defaultdict(set)
        flows = [flow for rule in rules for flow in self._flows(rule)]
        readers: defaultdict[Place, list[int]] = defaultdict(list)
        for index, (_, sources) in enumerate(flows):
            for source in sources:
                readers[source].append(index)
        pending = set(range(len(flows)))
        while pending:
            target, sources = flows[pending.pop()]
            domain = self._domains[target]
            before = len(domain)
            domain |= set.intersection(*(self._domains[source] for source in sources))
            if len(domain) > before:
                pending.update(readers[target])

    def count(self, relations: Iterable[str], argument: int, limit: int) -> int:
        """How many ground terms may stand in an argument of these relations; at least 1, at most `limit`."""
        places = [place for place in list(self._domains) if place[2] == argument]
        names = {_SAME.get(name, name) for name in relations}
        symbols = {s for place in places if place[0] in names for s in self._domains[place]}
        return max(1, self._terms(symbols, limit, frozenset()))

    def _terms(self, symbols: Iterable[Symbol], limit: int, within: frozenset[Symbol]) -> int:
        total = 0
        for name, arity in symbols:
            if (name, arity) in within:
                return limit  # nested in itself: no bound
            product = 1
            for i in range(arity):
                domain = self._domains[f"({name}", arity, i]
                product = min(limit, product * self._terms(domain, limit, within | {(name, arity)}))
            total = min(limit, total + product)
        return total

    def _flows(self, rule: Rule) -> Iterator[tuple[Place, list[Place]]]:
        """For each place of a variable in the head its places in the body. Notes the symbols of the head."""
        sources: defaultdict[Variable, list[Place]] = defaultdict(list)
        for part in rule.body:
            if isinstance(part, Atom):
                for place, term in _places(part):
                    if isinstance(term, Variable):
                        sources[term].append(place)
        for place, term in _places(rule.head):
            if not isinstance(term, Variable):
                self._domains[place].add((term.name, len(term.args) if isinstance(term, Function) else 0))
            elif sources[term]:
                yield place, sources[term]


def _places(atom: Atom) -> Iterator[tuple[Place, Term]]:
    """Every place in the atom, however deep, and what stands there."""
    pending: list[tuple[Place, Term]] = [
        ((_SAME.get(atom.name, atom.name), len(atom.args), i), term) for i, term in enumerate(atom.args)
    ]
    while pending:
        place, term = pending.pop()
        yield place, term
        if isinstance(term, Function):
            key = (f"({term.name}", len(term.args))
            pending.extend(((*key, i), arg) for i, arg in enumerate(term.args))
