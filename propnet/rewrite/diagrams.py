"""Decision diagrams: static relations that are too large to list become automata that read their arguments in turn.

A helper such as "all of these nine numbers differ" has few rules and up to 9^9 ground instances. Where a body asks for
such relations, all of these literals together are a condition on its variables that does not depend on the state. The
condition is read as an ordered decision diagram: a node is what is left of it once the first variables have values (its
residual, simplified, and equal residuals are one node), and an edge is a value of the next variable. The diagram is
given as facts, a relation a variable, and the body follows a path through it:

    (allDifferent ?a ?b ?c)   becomes   (edge1 root ?a ?n1) (edge2 ?n1 ?b ?n2) (edge3 ?n2 ?c end)

Bucket elimination (see `projection`) then needs no more than two nodes and a value at a time, once variables that facts
bind, such as the numbers of a row, have their values: there is a rule for every way in which the facts do so.

Sources: R. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986; J. Brzozowski, "Derivatives of
Regular Expressions", 1964 (states as residuals); J. Whaley, M. Lam, "Cloning-Based Context-Sensitive Pointer Alias
Analysis Using Binary Decision Diagrams", 2004 (relations of logic programs as diagrams).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.syntax import Atom, Constant, Distinct, Formula, Function, Not, Rule, RuleSheet, Term, Variable
from ludens.propnet.gdl.variables import occurrences, variables
from ludens.propnet.rewrite.dependence import ROOTS, changing, relevant
from ludens.propnet.rewrite.terms import Namer, literal_atom, renamed, substituted

_MOST_INSTANCES = 1_000_000  # of a relation that is listed
_MOST_EDGES = 50_000  # of a diagram
_MOST_WAYS = 1_000  # in which facts bind variables of a rule
_LEAST_ARGUMENTS = 4  # of a relation that is looked at

Node: TypeAlias = int
"""A condition; equal ones have equal numbers."""

_Condition: TypeAlias = tuple[str, tuple[Any, ...]]
"""A kind and its parts: a leaf, and conditions of others."""

_FALSE: Node = 0
_TRUE: Node = 1


class DiagramError(LudensError):
    """A condition that no diagram is made of."""


def diagrams(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game without large static relations, where diagrams can stand for them; bodies must be flat."""
    large = _large(sheet)
    if not large:
        return sheet
    reader = _Reader(sheet, fresh)
    rules: list[Rule] = []
    for rule in sheet.rules:
        parts = [] if rule.head.name in large else [part for part in rule.body if _name(part) in large]
        rules += reader.rewritten(rule, parts) if parts else [rule]
    return relevant(RuleSheet((*rules, *reader.facts)))


def _large(sheet: RuleSheet) -> set[str]:
    """Static relations that are defined by rules and may have too many instances."""
    static = {rule.head.name: len(rule.head.args) for rule in sheet.rules if rule.body}
    for name in {*changing(sheet), *ROOTS}:
        static.pop(name, None)
    wide = {name: width for name, width in static.items() if width >= _LEAST_ARGUMENTS}
    if not wide:
        return set()
    domains, sizes = ArgumentDomains(sheet.rules), _Sizes(sheet)

    return {
        name
        for name, width in wide.items()
        if min(domains.instances((name, width)), sizes.relation(name)) > _MOST_INSTANCES
    }


class _Sizes:
    """Bounds of how many instances relations have: those of literals that bind all variables of a head, multiplied."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._rules: defaultdict[str, list[Rule]] = defaultdict(list)
        for rule in sheet.rules:
            self._rules[rule.head.name].append(rule)
        self._known: dict[str, float] = {}

    def relation(self, name: str) -> float:
        """The bound for a relation; infinity if it is recursive."""
        if name not in self._known:
            self._known[name] = math.inf  # while it is being worked out
            self._known[name] = sum(map(self._instances, self._rules[name]))
        return self._known[name]

    def _instances(self, rule: Rule) -> float:
        left = variables(rule.head)
        binding = [(self.relation(part.name), variables(part)) for part in rule.body if isinstance(part, Atom)]
        total = 1.0
        while left:
            useful = [(size ** (1 / len(bound & left)), size, bound) for size, bound in binding if bound & left]
            if not useful:
                return math.inf
            _, size, bound = min(useful, key=lambda each: each[0])
            total, left = total * size, left - bound
        return total


def _name(part: Formula) -> str | None:
    atom = literal_atom(part)
    return atom.name if atom else None


def _with_values(head: Atom, body: Iterable[Formula], values: dict[Variable, Term]) -> Rule:
    named = renamed(head, values)
    assert isinstance(named, Atom)
    return Rule(named, tuple(renamed(part, values) for part in body), head.position)


def _match(atom: Atom, fact: tuple[Term, ...], known: dict[Variable, Term]) -> Iterator[dict[Variable, Term]]:
    """Yields the values that variables must have for an atom to be a fact, if they can, beside those that are known."""
    values = dict(known)
    if all(_bind(wanted, given, values) for wanted, given in zip(atom.args, fact, strict=True)):
        yield values


def _bind(wanted: Term, given: Term, values: dict[Variable, Term]) -> bool:
    """Adds the values that make a term equal to one without variables, and returns whether there are any."""
    if isinstance(wanted, Variable):
        return values.setdefault(wanted, given) == given
    if not (isinstance(wanted, Function) and isinstance(given, Function)):
        return wanted == given
    alike = (wanted.name, len(wanted.args)) == (given.name, len(given.args))
    return alike and all(_bind(*pair, values) for pair in zip(wanted.args, given.args, strict=True))


@dataclass(frozen=True, slots=True)
class _Diagram:
    edges: tuple[str, ...]  # the relation of each variable
    root: Term
    end: Term


class _Reader:
    """Makes diagrams, and the bodies that read them."""

    def __init__(self, sheet: RuleSheet, fresh: Namer) -> None:
        self.facts: list[Rule] = []
        self._fresh = fresh
        self._domains = ArgumentDomains(sheet.rules)
        self._conditions = _Conditions(sheet)
        self._known: dict[tuple[Node, tuple[tuple[str, ...], ...]], _Diagram] = {}

    def rewritten(self, rule: Rule, parts: Sequence[Formula]) -> list[Rule]:
        """The rule with a path through a diagram in place of some static literals, if there is one."""
        order = tuple(dict.fromkeys(occurrences(*parts)))
        try:
            root = self._conditions.all(parts, order)
            diagram = self._diagram(root, tuple(self._values(rule, variable) for variable in order))
        except DiagramError:
            return [rule]
        if root == _FALSE:
            return []
        taken = {v.name for v in variables(rule.head, *rule.body)}
        names = (name for i in range(len(taken) + len(order)) if (name := f"n{i}") not in taken)
        nodes = [diagram.root, *(Variable(next(names)) for _ in order[1:]), diagram.end]
        path = tuple(
            Atom(edge, (nodes[i], order[i], nodes[i + 1]), rule.position) for i, edge in enumerate(diagram.edges)
        )
        narrow = Rule(rule.head, (*(part for part in rule.body if part not in parts), *path), rule.position)
        return self._instances(narrow, {*variables(*parts), *variables(*path)})

    def _instances(self, rule: Rule, kept: set[Variable]) -> list[Rule]:
        """The rule with values for the variables that facts bind, but for some; as it is if there are many ways."""
        facts = self._conditions.facts
        binding = [p for p in rule.body if isinstance(p, Atom) and p.name in facts and not variables(p) & kept]
        rest = tuple(part for part in rule.body if part not in binding)
        ways: list[dict[Variable, Term]] = [{}]
        for atom in binding:
            ways = [
                more for way in ways for fact in sorted(facts[atom.name], key=str) for more in _match(atom, fact, way)
            ]
            if len(ways) > _MOST_WAYS:
                return [rule]
        return [_with_values(rule.head, rest, way) for way in ways]

    def _values(self, rule: Rule, variable: Variable) -> tuple[str, ...]:
        symbols = self._domains.values(rule, variable)
        if any(arguments for _, arguments in symbols):
            raise DiagramError("a variable of a static relation stands for functions")
        return tuple(sorted(name for name, _ in symbols))

    def _diagram(self, root: Node, values: tuple[tuple[str, ...], ...]) -> _Diagram:
        key = root, values
        if key not in self._known:
            layers = self._layers(root, values)
            names = tuple(self._fresh("edge") for _ in values)
            for name, layer in zip(names, layers, strict=True):
                for edge in layer:
                    self.facts.append(Rule(Atom(name, tuple(Constant(str(each)) for each in edge))))
            self._known[key] = _Diagram(names, Constant(str(root)), Constant(str(_TRUE)))
        return self._known[key]

    def _layers(self, root: Node, values: Sequence[Sequence[str]]) -> list[list[tuple[Node, str, Node]]]:
        """The edges of each variable that lie on a path from the root to the end."""
        layers: list[list[tuple[Node, str, Node]]] = []
        reached = {root}
        for place, domain in enumerate(values):
            steps = [(node, value, self._conditions.where(node, place, value)) for node in reached for value in domain]
            layers.append([step for step in steps if step[2] != _FALSE])
            reached = {after for _, _, after in layers[-1]}
            if sum(map(len, layers)) > _MOST_EDGES:
                raise DiagramError("a static relation needs a large diagram")
        wanted = {_TRUE}
        for layer in reversed(layers):
            layer[:] = sorted(step for step in layer if step[2] in wanted)
            wanted = {before for before, _, _ in layer}
        return layers


class _Conditions:
    """Conditions without state on numbered variables, each of them once: conjunctions, negations and leaves.

    A leaf is an (in)equality or an atom of a relation that is given as facts.
    """

    def __init__(self, sheet: RuleSheet) -> None:
        self._rules: defaultdict[str, list[Rule]] = defaultdict(list)
        for rule in sheet.rules:
            self._rules[rule.head.name].append(rule)
        self.facts = {
            name: {rule.head.args for rule in rules}
            for name, rules in self._rules.items()
            if all(not rule.body and not variables(rule.head) for rule in rules)
        }
        """The arguments of each relation that is given as facts."""
        self._numbers: dict[_Condition, Node] = {}
        self._conditions: list[_Condition] = []
        for constant in ("false", "true"):
            self._number((constant, ()))
        self._restricted: dict[tuple[Node, int, str], Node] = {}

    def all(self, parts: Iterable[Formula], order: Sequence[Variable]) -> Node:
        """The conjunction of literals, where the variables are numbered by their `order`. Raises `DiagramError`."""
        names: dict[Variable, Term] = {variable: Variable(str(i)) for i, variable in enumerate(order)}
        return self._both(self._literal(renamed(part, names), ()) for part in parts)

    def where(self, node: Node, place: int, value: str) -> Node:
        """What is left of a condition where a variable has a value."""
        key = node, place, value
        if key not in self._restricted:
            self._restricted[key] = self._where(node, place, value)
        return self._restricted[key]

    def _where(self, node: Node, place: int, value: str) -> Node:
        kind, parts = self._conditions[node]
        if kind == "leaf":
            [leaf] = parts
            return self._leaf(renamed(leaf, {Variable(str(place)): Constant(value)}))
        if kind == "not":
            return self._opposite(self.where(parts[0], place, value))
        return self._both(self.where(part, place, value) for part in parts) if kind == "and" else node

    def _literal(self, part: Formula, around: tuple[str, ...]) -> Node:
        """The condition of a literal; `around` are the relations whose rules it comes from."""
        if isinstance(part, Not):
            return self._opposite(self._literal(part.body, around))
        if isinstance(part, Distinct):
            return self._leaf(part)
        assert isinstance(part, Atom)
        if part.name in self.facts:
            return self._leaf(part)
        if part.name in around:
            raise DiagramError("a static relation is recursive")
        inside = (*around, part.name)
        return self._either(self._instance(rule, part, inside) for rule in self._rules[part.name])

    def _instance(self, rule: Rule, call: Atom, around: tuple[str, ...]) -> Node:
        """What the body of a rule says where its head is a call."""
        if len(rule.head.args) != len(call.args) or variables(*rule.body) - variables(rule.head):
            raise DiagramError("a static relation has variables of its own")
        names: dict[Variable, Term] = {}
        equations: list[Formula] = []
        for given, wanted in zip(call.args, rule.head.args, strict=True):
            if isinstance(wanted, Variable) and wanted not in names:
                names[wanted] = given
            elif variables(wanted) - {*names}:
                raise DiagramError("a static relation has functions in its head")
            else:
                equations.append(Not(Distinct(given, substituted(wanted, names))))
        body = (renamed(part, names) for part in rule.body)
        return self._both(self._literal(part, around) for part in (*equations, *body))

    def _leaf(self, leaf: Formula) -> Node:
        if variables(leaf):
            return self._number(("leaf", (leaf,)))
        if isinstance(leaf, Distinct):
            return _TRUE if leaf.left != leaf.right else _FALSE
        assert isinstance(leaf, Atom)
        return _TRUE if leaf.args in self.facts[leaf.name] else _FALSE

    def _both(self, nodes: Iterable[Node]) -> Node:
        parts: set[Node] = set()
        for node in nodes:
            kind, inner = self._conditions[node]
            parts.update(inner if kind == "and" else (node,))
        parts.discard(_TRUE)
        if _FALSE in parts or any(self._opposite(part) in parts for part in parts):
            return _FALSE
        if len(parts) < 2:
            return parts.pop() if parts else _TRUE
        return self._number(("and", tuple(sorted(parts))))

    def _either(self, nodes: Iterable[Node]) -> Node:
        return self._opposite(self._both(self._opposite(node) for node in nodes))

    def _opposite(self, node: Node) -> Node:
        if node in (_FALSE, _TRUE):
            return _TRUE - node
        kind, parts = self._conditions[node]
        return parts[0] if kind == "not" else self._number(("not", (node,)))

    def _number(self, condition: _Condition) -> Node:
        number = self._numbers.setdefault(condition, len(self._conditions))
        if number == len(self._conditions):
            self._conditions.append(condition)
        return number
