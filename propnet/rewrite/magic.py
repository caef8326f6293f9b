"""Magic sets: work out a helper only for the arguments that it is called with.

Many sheets define helpers over all arguments and call them with a few. Where every call of a relation gives an
argument a value known without the state, by a constant or by a relation that does not depend on the state, the
relation gets a guard: a *magic* relation of the values called for, which calls inside guarded rules hand on.

    (<= winning (row ?x) (line ?x white))      (<= (magic ?x white) (row ?x))
    (<= (line ?x ?p) ...)                      (<= (line ?x ?p) (magic ?x ?p) ...)

Magic relations do not depend on the state either, so the grounder reduces them to facts, and the network holds
no trace of them.

Source: F. Bancilhon et al., "Magic Sets and Other Strange Ways to Implement Logic Programs", 1986.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.gdl.syntax import Atom, Formula, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.dependence import ROOTS, changing
from ludens.propnet.rewrite.terms import Namer, literal_atom


def magic_sets(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game with guarded helpers; bodies must be flat."""
    return _MagicSets(sheet, fresh).guarded()


class _MagicSets:
    def __init__(self, sheet: RuleSheet, fresh: Namer) -> None:
        self._sheet = sheet
        self._changing = changing(sheet)
        self._bound = self._bound_places()
        self._names = {name: fresh(f"magic {name}") for name, places in self._bound.items() if places}

    def guarded(self) -> RuleSheet:
        rules: dict[Rule, None] = {}
        for rule in self._sheet.rules:
            rules |= dict.fromkeys(self._demands(rule))
            rules[self._with_guard(rule)] = None
        return RuleSheet(tuple(rules))

    def _bound_places(self) -> dict[str, set[int]]:
        """For each helper the arguments that all of its calls bind: the greatest fixpoint."""
        heads = {rule.head.name: rule.head for rule in self._sheet.rules}
        helpers = self._changing - {*ROOTS, "true", "does"}
        self._bound = {name: set(range(len(heads[name].args))) for name in helpers if name in heads}
        changed = True
        while changed:
            changed = False
            for rule in self._sheet.rules:
                known = self._known(rule)
                for call in self._calls(rule):
                    places = {i for i in self._bound[call.name] if variables(call.args[i]) <= known}
                    changed |= places != self._bound[call.name]
                    self._bound[call.name] = places
        return self._bound

    def _calls(self, rule: Rule) -> Iterator[Atom]:
        for part in rule.body:
            atom = literal_atom(part)
            if atom and atom.name in self._bound:
                yield atom

    def _known(self, rule: Rule) -> set[Variable]:
        """The variables that get values without the state."""
        guard = [rule.head.args[i] for i in self._bound.get(rule.head.name, ())]
        return variables(*guard) | bound_variables(filter(self._is_fixed, rule.body))

    def _is_fixed(self, part: Formula) -> bool:
        atom = literal_atom(part)
        return atom is None or atom.name not in self._changing

    def _magic(self, atom: Atom) -> Atom | None:
        if atom.name not in self._names:
            return None
        args = tuple(atom.args[i] for i in sorted(self._bound[atom.name]))
        return Atom(self._names[atom.name], args, atom.position)

    def _with_guard(self, rule: Rule) -> Rule:
        guard = self._magic(rule.head)
        return Rule(rule.head, (guard, *rule.body), rule.position) if guard else rule

    def _demands(self, rule: Rule) -> Iterator[Rule]:
        """The rules of magic relations that follow from the calls in a body."""
        guard = self._magic(rule.head)
        known = self._known(rule)
        fixed = [part for part in rule.body if self._is_fixed(part) and variables(part) <= known]
        for call in self._calls(rule):
            head = self._magic(call)
            if head and head != guard:
                yield Rule(head, (*filter(None, [guard]), *_connected(head, fixed)), rule.position)


def _connected(head: Atom, parts: list[Formula]) -> list[Formula]:
    """The literals that share variables with `head`, directly or through one another."""
    reached = variables(head)
    chosen: list[Formula] = []
    waiting = list(parts)
    while near := [part for part in waiting if variables(part) & reached]:
        chosen += near
        waiting = [part for part in waiting if part not in near]
        reached |= variables(*near)
    return chosen
