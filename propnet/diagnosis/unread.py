"""Finds relations and facts that rules make and no condition reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import VERY_ALIKE, Finding, error, slip_of, warning
from ludens.propnet.gdl.argument_domains import shape, symbol
from ludens.propnet.gdl.check import ARITY, arguments
from ludens.propnet.gdl.conditions import uses
from ludens.propnet.gdl.syntax import Atom, RuleSheet

PERCEPTS = "sees"  # a relation that GDL-II reserves: what a role learns of a step


def unread_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Relations of the author's own that no condition asks for, each at its first rule."""
    asked = {*ARITY, PERCEPTS, *(atom.name for _, atom, _ in uses(sheet) if isinstance(atom, Atom))}
    defined = {rule.head.name for rule in sheet.rules}
    for name, rule in {rule.head.name: rule for rule in reversed(sheet.rules)}.items():
        if name not in asked:
            suggestion = slip_of(name, asked - defined) or slip_of(name, asked, VERY_ALIKE)
            advice = suggestion or ": use it, or take its rules away"
            yield warning(rule.head.position, f"no rule asks for {name}{advice}", name)


def unread_facts(sheet: RuleSheet) -> Iterator[Finding]:
    """Facts that `init` or `next` make and no condition reads, each where it is made first.

    An error where other facts of that name are read, with another number of arguments.
    """
    read: defaultdict[str, set[int]] = defaultdict(set)
    for _, atom, _ in uses(sheet):
        if isinstance(atom, Atom) and atom.name == "true" and len(atom.args) == 1:
            if (name := symbol(atom.args[0])) is None:
                return  # a variable reads all facts
            read[name[0]].add(name[1])
    made = {}
    for rule in reversed(sheet.rules):
        head = rule.head
        if head.name in ("init", "next") and len(head.args) == 1 and (name := symbol(head.args[0])):
            made[name] = head
    for name, head in made.items():
        counts = read.get(name[0], set())
        if counts and name[1] not in counts:
            elsewhere = f"{arguments(min(counts))} where it is read"
            yield error(head.position, f"{head.args[0]} has {arguments(name[1])}, but {elsewhere}", name[0])
        elif not counts:
            advice = slip_of(name[0], read) or f": ask for it by (true {shape(name)}), or take it away"
            yield warning(head.position, f"nothing reads {head.args[0]}{advice}", name[0])
