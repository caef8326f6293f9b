"""Marks: moves added to a sheet that are legal where a relation holds, so that play shows which relations ever do.

Nobody makes these moves. A mark is a move of the first role, since the legal moves of a state tell what holds in any
state, the last one of a game included. So relations that depend on the moves of a step have no mark.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludens.propnet.base.graphs import leading
from ludens.propnet.gdl.check import ARITY
from ludens.propnet.gdl.conditions import uses
from ludens.propnet.gdl.syntax import And, Atom, Constant, Formula, Not, Or, Rule, RuleSheet, Variable

_HIDDEN = "moves by the rules"  # no name in a sheet contains a space


def with_marks(sheet: RuleSheet) -> tuple[RuleSheet, dict[str, str]]:
    """Adds marks, which rules that ask for legal moves do not see; returns the relation that each mark stands for."""
    text, prefix = str(sheet), "holds:"
    while prefix in text:
        prefix += ":"
    relations = relations_of_state(sheet)
    return _marked(sheet, relations, prefix), {f"{prefix}{name}": name for name in relations}


def relations_of_state(sheet: RuleSheet) -> tuple[str, ...]:
    """The author's own relations that depend on the state and not on the moves of a step."""
    edges = {(rule.head.name, atom.name) for rule, atom, _ in uses(sheet) if isinstance(atom, Atom)}
    of_state = leading(("true",), edges) - leading(("does",), edges)
    names = dict.fromkeys(rule.head.name for rule in sheet.rules if rule.head.name not in ARITY)
    return tuple(name for name in names if name in of_state)


def _marked(sheet: RuleSheet, relations: Iterable[str], prefix: str) -> RuleSheet:
    counts = {rule.head.name: len(rule.head.args) for rule in sheet.rules}
    role, player, move = Constant(sheet.roles[0]), Variable("player"), Variable("move")
    rules = [Rule(_renamed(rule.head), tuple(map(_hidden, rule.body)), rule.position) for rule in sheet.rules]
    rules.append(Rule(Atom("legal", (player, move)), (Atom(_HIDDEN, (player, move)),)))
    for name in relations:
        condition = Atom(name, tuple(Variable(str(i)) for i in range(counts[name])))
        rules.append(Rule(Atom("legal", (role, Constant(f"{prefix}{name}"))), (condition,)))
    return RuleSheet(tuple(rules))


def _hidden(formula: Formula) -> Formula:
    """A formula in which legal moves have another name."""
    match formula:
        case Atom():
            return _renamed(formula)
        case Not(body):
            return Not(_hidden(body))
        case And(parts):
            return And(tuple(map(_hidden, parts)))
        case Or(parts):
            return Or(tuple(map(_hidden, parts)))
    return formula


def _renamed(atom: Atom) -> Atom:
    return Atom(_HIDDEN, atom.args, atom.position) if atom.name == "legal" else atom
