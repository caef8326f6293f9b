"""A digest of a rule sheet that does not depend on its names, to recognise a game that was played before.

Managers scramble symbols, and rules may stand in another order. A sheet is a graph: rules, formulas and terms are
nodes joined to their parts, arguments with their place, and to nodes for the symbols and variables they name.
Colour refinement tells symbols apart by what surrounds them, to any distance. Of those still alike one is
individualised, and refinement goes on until all differ: symbols that play the same part, as mirrored sides of a
board do, are alike for good, and any of them will do. Written with the symbols numbered in the order of their
colours, the sheet is then in canonical form.

Equal digests mean the same game, up to a collision of hashes. The converse fails only for symbols that refinement
cannot tell apart though they play different parts, and where so many are alike that it would take long to individualise
them: there the text counts. Then a game is not recognised, which costs no more than that. Keywords and whole numbers
stay as they are, as in scrambling, and roles keep their order.

Sources: B. Weisfeiler, A. Lehman, "A reduction of a graph to a canonical form", 1968; B. McKay, "Practical Graph
Isomorphism", 1981 (individualisation); G. Kuhlmann, P. Stone, "Graph-Based Domain Mapping for Transfer Learning in
General Games", 2007 (rule graphs).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import permutations, product
from math import factorial, prod

from ludens.propnet.gdl.parser import KEYWORDS
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Rule,
    RuleSheet,
    Term,
    Variable,
)
from ludens.propnet.gdl.variables import occurrences

_FIXED = re.compile(r"[+-]?[0-9]+")
_TOKEN = re.compile(r"[^\s()]+")
_MOST_ORDERS = 5040  # of variables alike within a rule
_MOST_HASHES = 300_000  # to tell symbols apart; real sheets take up to 50,000


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A rule sheet up to its names: the digest of its canonical form, and the number of each symbol in it."""

    digest: str
    symbols: Mapping[str, int]

    def canonical(self, text: str) -> str:
        """A fact or move of the sheet with its symbols numbered: the same in every sheet of this digest.

        Where several symbols play the same part the texts of two sheets match up to an exchange of those.
        """
        return _TOKEN.sub(lambda token: _named(token[0], self.symbols), text)


def fingerprint(sheet: RuleSheet) -> Fingerprint:
    """The fingerprint of checked rules."""
    graph = _Graph(sheet)
    colours = graph.refined(graph.colours)
    while alike := _alike(colours, graph.symbols.values()):
        if graph.hashes > _MOST_HASHES:
            return Fingerprint(_digest(str(sheet)), {})
        colours[alike[0]] = _hash("singled out", colours[alike[0]])
        colours = graph.refined(colours)
    named = sorted(graph.symbols, key=lambda symbol: colours[graph.symbols[symbol]])
    symbols = {symbol: number for number, symbol in enumerate(filter(_renamed, named))}
    rules = sorted({_canonical_rule(rule, symbols) for rule in sheet.rules})
    roles = [_named(role, symbols) for role in sheet.roles]
    return Fingerprint(_digest("\n".join([*roles, *rules])), symbols)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


class _Graph:
    """Rules as a graph with labelled edges: `colours` of its nodes by their kinds, and `symbols` among them."""

    def __init__(self, sheet: RuleSheet) -> None:
        self.colours: list[int] = []
        self.symbols: dict[str, int] = {}
        self.hashes = 0  # that were made to refine colours
        self._edges: list[list[tuple[int, int]]] = []  # label, neighbour
        for place, role in enumerate(sheet.roles):
            self.symbols[role] = self._node("role", place)
        for rule in dict.fromkeys(sheet.rules):
            variables: dict[str, int] = {}
            node = self._node("rule")
            self._join(node, self._formula(rule.head, variables), 1)
            for literal in rule.body:
                self._join(node, self._formula(literal, variables), 2)

    def refined(self, colours: list[int]) -> list[int]:
        """The coarsest colouring, finer than `colours`, in which nodes alike have neighbours alike."""
        colours, before = list(colours), 0
        while True:
            count = Counter(colours)
            if len(count) == before:
                return colours
            before = len(count)
            old = list(colours)
            for node, colour in enumerate(old):
                if count[colour] > 1:
                    self.hashes += 1
                    colours[node] = _hash(colour, sorted([(label, old[other]) for label, other in self._edges[node]]))

    def _node(self, *kind: object) -> int:
        self.colours.append(_hash(*kind))
        self._edges.append([])
        return len(self.colours) - 1

    def _join(self, whole: int, part: int, label: int) -> None:
        self._edges[whole].append((label, part))
        self._edges[part].append((-label, whole))

    def _symbol(self, name: str) -> int:
        if name not in self.symbols:
            self.symbols[name] = self._node("symbol") if _renamed(name) else self._node("fixed", name)
        return self.symbols[name]

    def _formula(self, formula: Formula, variables: dict[str, int]) -> int:
        match formula:
            case Atom(name, args):
                return self._application("atom", name, args, variables)
            case Not(body):
                return self._unordered("not", [self._formula(body, variables)])
            case Or(parts) | And(parts):
                kind = "or" if isinstance(formula, Or) else "and"
                return self._unordered(kind, [self._formula(part, variables) for part in parts])
            case Distinct(left, right):
                return self._unordered("distinct", [self._term(left, variables), self._term(right, variables)])

    def _term(self, term: Term, variables: dict[str, int]) -> int:
        match term:
            case Variable(name):
                if name not in variables:
                    variables[name] = self._node("variable")
                return variables[name]
            case Constant(name):
                return self._application("term", name, (), variables)
            case Function(name, args):
                return self._application("term", name, args, variables)

    def _application(self, kind: str, name: str, args: tuple[Term, ...], variables: dict[str, int]) -> int:
        node = self._node(kind, len(args))
        self._join(node, self._symbol(name), 1)
        for place, arg in enumerate(args, 2):
            self._join(node, self._term(arg, variables), place)
        return node

    def _unordered(self, kind: str, parts: Iterable[int]) -> int:
        node = self._node(kind)
        for part in parts:
            self._join(node, part, 1)
        return node


def _alike(colours: list[int], nodes: Iterable[int]) -> list[int]:
    """The nodes of one colour that several have, the same colour whatever the names; empty if there is none."""
    classes: dict[int, list[int]] = defaultdict(list)
    for node in nodes:
        classes[colours[node]].append(node)
    shared = [(len(members), colour) for colour, members in classes.items() if len(members) > 1]
    return classes[min(shared)[1]] if shared else []


def _canonical_rule(rule: Rule, symbols: Mapping[str, int]) -> str:
    """The rule with its symbols and variables numbered and its unordered parts sorted."""
    graph = _Graph(RuleSheet((rule,)))
    for name, node in graph.symbols.items():
        graph.colours[node] = _hash("symbol", _named(name, symbols))
    names = list(dict.fromkeys(variable.name for variable in occurrences(rule.head, *rule.body)))
    variable = _hash("variable")
    nodes = [node for node, colour in enumerate(graph.colours) if colour == variable]
    colours = graph.refined(graph.colours)
    classes: dict[int, list[str]] = defaultdict(list)
    for name, node in zip(names, nodes, strict=True):
        classes[colours[node]].append(name)
    groups = [classes[colour] for colour in sorted(classes)]
    return min(_written(rule, symbols, order) for order in _orders(groups))


def _orders(groups: list[list[str]]) -> Iterator[list[str]]:
    """The ways to put variables in order, group after group: all, or one where they are too many."""
    if prod(factorial(len(group)) for group in groups) > _MOST_ORDERS:
        yield [name for group in groups for name in group]
        return
    for order in product(*map(permutations, groups)):
        yield [name for group in order for name in group]


def _written(rule: Rule, symbols: Mapping[str, int], variables: list[str]) -> str:
    number = {name: place for place, name in enumerate(variables)}

    def term(t: Term) -> str:
        match t:
            case Variable(name):
                return f"?{number[name]}"
            case Constant(name):
                return _named(name, symbols)
            case Function(name, args):
                return f"({' '.join([_named(name, symbols), *map(term, args)])})"

    def formula(f: Formula) -> str:
        match f:
            case Atom(name, args):
                return f"({' '.join([_named(name, symbols), *map(term, args)])})"
            case Not(body):
                return f"(not {formula(body)})"
            case Or(parts) | And(parts):
                return f"({'or' if isinstance(f, Or) else 'and'} {' '.join(sorted(map(formula, parts)))})"
            case Distinct(left, right):
                return f"(distinct {' '.join(sorted([term(left), term(right)]))})"

    return " ".join([formula(rule.head), *sorted(map(formula, rule.body))])


def _renamed(symbol: str) -> bool:
    """Whether a scrambler renames the symbol."""
    return symbol not in KEYWORDS and not _FIXED.fullmatch(symbol)


def _named(symbol: str, symbols: Mapping[str, int]) -> str:
    return f"s{symbols[symbol]}" if symbol in symbols else symbol


def _hash(*parts: object) -> int:
    """A number of 64 bits that is the same in every process."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "big")
