"""Whether a rule sheet is a game: the restrictions of GDL that its grammar cannot express.

`check` raises for what no player could make sense of, `faults` lists it; `warnings` lists what is legal and yet
looks wrong.

Stratification: GDL forbids recursion through negation. Asked of relation names that would refuse sheets which
are in use and mean something, such as `(goal red 100)` where `(not (goal red 0))`; asked of ground atoms only
the grounded rules can tell. `check` refuses what is unstratified however it is grounded: a cycle through a
negation in which each atom, its variables included, leads to exactly the next, such as `(p ?x)` where
`(not (p ?x))`. The other candidates are `negative_recursion`, and whoever grounds the rules decides on them.

Source: N. Love et al., "General Game Playing: Game Description Language Specification", Stanford 2008;
K. Apt, H. Blair and A. Walker, "Towards a Theory of Declarative Knowledge", 1988.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeAlias

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.graphs import Node, reachable
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Position,
    Rule,
    RuleSheet,
    Term,
    Variable,
)
from ludens.propnet.gdl.variables import bound_variables, occurrences

ARITY = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "does": 2,
    "legal": 2,
    "goal": 2,
    "input": 2,
    "terminal": 0,
}
"""How many arguments each relation has that GDL reserves."""

GOAL_VALUES = frozenset(map(str, range(101)))

CONNECTIVES = frozenset({"not", "or", "and", "distinct"})

TIMELESS = {"init": ("true", "does"), "legal": ("does",), "terminal": ("does",), "goal": ("does",)}
"""What a relation must not depend on, since it is asked for before that is known."""

Leaf: TypeAlias = Atom | Distinct
Use: TypeAlias = tuple[Rule, Leaf, bool]  # a rule, a condition in it, whether the condition is negated


def check(sheet: RuleSheet) -> None:
    """Raises `GdlError` for the first fault found in `sheet`; returns if it is a game."""
    for fault in faults(sheet):
        raise fault


def faults(sheet: RuleSheet) -> list[GdlError]:
    """All faults of `sheet` of the first kind that it has any of; later checks rely on earlier ones."""
    for find in (_atoms, _heads, _presence, _safety, _order_in_time, _stratification):
        if found := list(find(sheet)):
            return found
    return []


def negative_recursion(sheet: RuleSheet) -> list[tuple[Rule, Atom]]:
    """The negated conditions, each with its rule, that by relation name are on a cycle."""
    uses = [(rule, atom, negated) for rule, atom, negated in _uses(sheet) if isinstance(atom, Atom)]
    edges = [(rule.head.name, atom.name, negated) for rule, atom, negated in uses]
    return [uses[index][:2] for index in _negative_on_cycles(edges)]


def warnings(sheet: RuleSheet) -> list[GdlError]:
    """What is legal but likely a slip, in the order of the text; the errors are for printing, not raised.

    The sheet must have passed `check`.
    """
    found = [*_missing(sheet), *_undefined(sheet), *_unused(sheet), *_undeclared(sheet)]
    return sorted(found, key=lambda warning: (warning.line, warning.column))


def _missing(sheet: RuleSheet) -> Iterator[GdlError]:
    heads = {rule.head.name for rule in sheet.rules}
    for name in ("init", "next", "terminal"):
        if name not in heads:
            yield GdlError(f"the rules define no {name}")
    players = [rule.head.args[0] for rule in sheet.rules if rule.head.name == "goal"]
    for role in sheet.roles:
        if Constant(role) not in players and not any(isinstance(player, Variable) for player in players):
            yield GdlError(f"no rule gives a goal to {role}")


def _undefined(sheet: RuleSheet) -> Iterator[GdlError]:
    known = {rule.head.name for rule in sheet.rules} | ARITY.keys()
    facts = {_functor(rule.head.args[0]) for rule in sheet.rules if rule.head.name in ("init", "next")}
    for rule, leaf, _ in _uses(sheet):
        if isinstance(leaf, Atom) and leaf.name not in known:
            yield _fault(rule, leaf.position, f"{leaf} never holds: no rule defines {leaf.name}")
        if isinstance(leaf, Atom) and leaf.name == "true" and not _may_be(leaf.args[0], facts):
            yield _fault(rule, leaf.position, f"{leaf} never holds: no init or next makes it")


def _unused(sheet: RuleSheet) -> Iterator[GdlError]:
    used = {leaf.name for _, leaf, _ in _uses(sheet) if isinstance(leaf, Atom)} | ARITY.keys()
    for name, rule in {rule.head.name: rule for rule in reversed(sheet.rules)}.items():
        if name not in used:
            yield _at(rule.head.position, f"no rule asks for {name}")


def _undeclared(sheet: RuleSheet) -> Iterator[GdlError]:
    """Facts without a `base` and moves without an `input`, in a sheet that has those at all."""
    for declaration, relations in (("base", ("init", "next")), ("input", ("legal",))):
        declared = {_functor(rule.head.args[-1]) for rule in sheet.rules if rule.head.name == declaration}
        for rule in sheet.rules:
            if declared and rule.head.name in relations and not _may_be(rule.head.args[-1], declared):
                yield _at(rule.head.position, f"no {declaration} declares {rule.head.args[-1]}")


def _functor(term: Term) -> str | None:
    """The name that a term starts with; None for a variable, which may become anything."""
    return None if isinstance(term, Variable) else term.name


def _may_be(term: Term, functors: set[str | None]) -> bool:
    return None in functors or _functor(term) in {None, *functors}


def _atoms(sheet: RuleSheet) -> Iterator[GdlError]:
    """Every relation has as many arguments as GDL or its first use gives it."""
    arity = dict(ARITY)
    for rule in sheet.rules:
        for atom in (rule.head, *(leaf for leaf, _ in _leaves(rule.body) if isinstance(leaf, Atom))):
            if atom.name.lower() in CONNECTIVES:
                yield _fault(rule, atom.position, f"{atom.name} is a connective and cannot name a relation here")
            expected = arity.setdefault(atom.name, len(atom.args))
            if len(atom.args) != expected:
                arguments = f"{expected or 'no'} argument{'' if expected == 1 else 's'}"
                yield _fault(rule, atom.position, f"{atom} should have {arguments}")


def _heads(sheet: RuleSheet) -> Iterator[GdlError]:
    for rule in sheet.rules:
        head = rule.head
        if head.name in ("true", "does"):
            yield _fault(rule, head.position, f"{head.name} comes from the match and cannot be derived by a rule")
        if head.name == "role" and (rule.body or not isinstance(head.args[0], Constant)):
            yield _fault(rule, head.position, "a role must be a plain fact such as (role red)")
        if head.name == "goal":
            value = head.args[1]
            if not (isinstance(value, Variable) or (isinstance(value, Constant) and value.name in GOAL_VALUES)):
                yield _fault(rule, head.position, f"the goal value {value} is not a number from 0 to 100")


def _presence(sheet: RuleSheet) -> Iterator[GdlError]:
    heads = {rule.head.name for rule in sheet.rules}
    for name, advice in (("role", "list each player as (role NAME)"), ("legal", "say which moves are legal")):
        if name not in heads:
            yield GdlError(f"the rules define no {name}: {advice}")


def _safety(sheet: RuleSheet) -> Iterator[GdlError]:
    """Each variable of the head and of a test must get its value from a positive condition."""
    for rule in sheet.rules:
        bound = bound_variables(rule.body)
        yield from _unbound(rule, rule.head, bound)
        yield from _tests(rule, And(rule.body), bound)


def _tests(rule: Rule, formula: Formula, bound: set[Variable]) -> Iterator[GdlError]:
    match formula:
        case And(parts):
            for part in parts:
                yield from _tests(rule, part, bound | bound_variables(parts))
        case Or(alternatives):
            for alternative in alternatives:
                yield from _tests(rule, alternative, bound | bound_variables((alternative,)))
        case Not() | Distinct():
            for leaf, _ in _leaves((formula,)):
                yield from _unbound(rule, leaf, bound)


def _unbound(rule: Rule, leaf: Leaf, bound: set[Variable]) -> Iterator[GdlError]:
    """A fault for each variable of a leaf that has no value."""
    for variable in dict.fromkeys(occurrences(leaf)):
        if variable not in bound:
            advice = f"add a condition that is not negated and holds {variable}"
            yield _fault(rule, leaf.position, f"{variable} in {leaf} has no value: {advice}")


def _order_in_time(sheet: RuleSheet) -> Iterator[GdlError]:
    uses = [(rule, leaf) for rule, leaf, _ in _uses(sheet) if isinstance(leaf, Atom)]
    reached = _reached((rule.head.name, leaf.name) for rule, leaf in uses)
    for rule, leaf in uses:
        for later in TIMELESS.get(rule.head.name, ()):
            if later in reached(leaf.name):
                yield _fault(rule, leaf.position, f"{rule.head.name} must not depend on {later}")


def _stratification(sheet: RuleSheet) -> Iterator[GdlError]:
    """Refuses cycles through a negation among atoms that are the same but for the names of variables."""
    uses, edges = [], []
    for rule, leaf, negated in _uses(sheet):
        order, used = list(dict.fromkeys(occurrences(rule.head))), list(dict.fromkeys(occurrences(leaf)))
        if isinstance(leaf, Atom) and used == order[: len(used)]:
            uses.append((rule, leaf))
            edges.append((_numbered(rule.head, order), _numbered(leaf, order), negated))
    for index in _negative_on_cycles(edges):
        rule, leaf = uses[index]
        yield _fault(rule, leaf.position, f"{rule.head} depends on its own negation through {leaf}")


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
    reached = _reached((source, target) for source, target, _ in edges)
    return [i for i, (source, target, negative) in enumerate(edges) if negative and source in reached(target)]


def _reached(edges: Iterable[tuple[Node, Node]]) -> Callable[[Node], set[Node]]:
    """The function from a node of a directed graph to those that can be reached from it."""
    successors: dict[Node, set[Node]] = defaultdict(set)
    for source, target in edges:
        successors[source].add(target)
    return cache(lambda start: reachable([start], successors))


def _uses(sheet: RuleSheet) -> Iterator[Use]:
    """Every condition of every rule."""
    for rule in sheet.rules:
        for leaf, negated in _leaves(rule.body):
            yield rule, leaf, negated


def _leaves(formulas: Iterable[Formula], negated: bool = False) -> Iterator[tuple[Leaf, bool]]:
    """The atoms and distincts inside `formulas`, each with whether it stands inside a `not`."""
    for formula in formulas:
        match formula:
            case Not(body):
                yield from _leaves((body,), True)
            case And(parts) | Or(parts):
                yield from _leaves(parts, negated)
            case _:
                yield formula, negated


def _fault(rule: Rule, position: Position, message: str) -> GdlError:
    return _at(position, f"{message}, in a rule for {rule.head}")


def _at(position: Position, message: str) -> GdlError:
    return GdlError(message, position.line, position.column)
