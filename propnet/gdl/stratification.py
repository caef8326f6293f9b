"""Whether rules depend on their own negation, as far as the text alone tells.

GDL forbids recursion through negation. Asked of relation names that would refuse sheets which are in use and mean
something, such as `(goal red 100)` where `(not (goal red 0))`; asked of ground atoms only the grounded rules can
tell. `self_negations` finds what is unstratified as soon as its rules apply to anything: a cycle through a negation in
which each atom, its variables included, leads to exactly the next, such as `(p ?x)` where `(not (p ?x))`. The other
candidates are `negative_recursion`, and whoever grounds the rules decides on them.

Source: K. Apt, H. Blair and A. Walker, "Towards a Theory of Declarative Knowledge", 1988.
"""

from __future__ import annotations

from ludens.propnet.base.graphs import Node, components, successors
from ludens.propnet.gdl.conditions import uses
from ludens.propnet.gdl.syntax import Atom, Function, Rule, RuleSheet, Term, Variable
from ludens.propnet.gdl.variables import occurrences


def negative_recursion(sheet: RuleSheet) -> list[tuple[Rule, Atom]]:
    """The negated conditions, each with its rule, that by relation name are on a cycle."""
    asked = [(rule, atom, negated) for rule, atom, negated in uses(sheet) if isinstance(atom, Atom)]
    edges = [(rule.head.name, atom.name, negated) for rule, atom, negated in asked]
    return [asked[index][:2] for index in _negative_on_cycles(edges)]


def self_negations(sheet: RuleSheet) -> list[tuple[Rule, Atom]]:
    """The negated conditions, each with its rule, on a cycle of atoms that are the same but for names of variables.

    What else the rules ask for is not looked at: where that never holds for the same values, they would ground well,
    and are listed all the same.
    """
    asked, edges = [], []
    for rule, atom, negated in uses(sheet):
        order, used = list(dict.fromkeys(occurrences(rule.head))), list(dict.fromkeys(occurrences(atom)))
        if isinstance(atom, Atom) and used == order[: len(used)]:
            asked.append((rule, atom))
            edges.append((_numbered(rule.head, order), _numbered(atom, order), negated))
    return [asked[index] for index in _negative_on_cycles(edges)]


def _numbered(atom: Atom, order: list[Variable]) -> Atom:
    """`atom` with each variable named by its place in `order`, so that variants become equal."""

    def number(term: Term) -> Term:
        match term:
            case Variable():
                return Variable(str(order.index(term)))
            case Function(name, args):
                return Function(name, tuple(map(number, args)))
        return term

    return Atom(atom.name, tuple(map(number, atom.args)))


def _negative_on_cycles(edges: list[tuple[Node, Node, bool]]) -> list[int]:
    """The indices of the negative edges that lie on a cycle; an edge is (from, to, negative)."""
    graph = successors((source, target) for source, target, _ in edges)
    component = {node: number for number, nodes in enumerate(components(graph)) for node in nodes}
    return [
        i for i, (source, target, negative) in enumerate(edges) if negative and component[source] == component[target]
    ]
