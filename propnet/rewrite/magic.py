"""Magic sets: work out a helper only for the arguments that it is called with.

Many sheets define helpers over all arguments and call them with a few. Where every call of a relation gives an
argument a value known without the state, by a constant or by a relation that does not depend on the state, the
relation gets a guard: a *magic* relation of the values called for, which calls inside guarded rules hand on.

    (<= winning (row ?x) (line ?x white))      (<= (magic ?x white) (row ?x))
    (<= (line ?x ?p) ...)                      (<= (line ?x ?p) (magic ?x ?p) ...)

These magic relations do not depend on the state either, so the grounder reduces them to facts, and the network holds
no trace of them.

Helpers that are too large to be worked out for all arguments also get values from helpers and moves that come before
the call, as in a count over squares that begins at nothing:

    (<= (count ?i ?n ?all) (one ?i ?n ?m) (after ?i ?j) (count ?j ?m ?all))

Then the magic relation holds for each value that may be called for in some state. The grounder finds these values, and
`grounder.ground` takes what it found to hold always, since a guard only says which instances are of use.

Sources: F. Bancilhon et al., "Magic Sets and Other Strange Ways to Implement Logic Programs", 1986; C. Beeri,
R. Ramakrishnan, "On the Power of Magic", 1991 (which conditions hand values on).
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from ludens.propnet.gdl.syntax import Atom, Formula, Rule, RuleSheet, Variable
from ludens.propnet.gdl.variables import bound_variables, variables
from ludens.propnet.rewrite.dependence import ROOTS, changing
from ludens.propnet.rewrite.terms import Namer, literal_atom

GUARD = "guard of"
"""What the names of magic relations begin with that may depend on the state; no version of a helper is called so."""


def magic_sets(sheet: RuleSheet, fresh: Namer, large: Set[str]) -> RuleSheet:
    """The same game with guarded helpers, of which the `large` ones get values from the state; bodies must be flat."""
    return _MagicSets(sheet, fresh, large).guarded()


class _MagicSets:
    def __init__(self, sheet: RuleSheet, fresh: Namer, large: Set[str]) -> None:
        self._sheet = sheet
        self._changing = changing(sheet)
        self._passing = self._changing - {"true"}
        self._large = large
        self._bound = self._bound_places()
        purpose = GUARD if self._large else "magic"
        self._names = {name: fresh(f"{purpose} {name}") for name, places in self._bound.items() if places}

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
                for call, before in self._calls(rule):
                    given = known | bound_variables(before)
                    places = {i for i in self._bound[call.name] if variables(call.args[i]) <= given}
                    changed |= places != self._bound[call.name]
                    self._bound[call.name] = places
        return self._bound

    def _calls(self, rule: Rule) -> Iterator[tuple[Atom, list[Formula]]]:
        """The calls of helpers in a body, each with the conditions on the state that may give it values.

        A fact of the state gives none: its values are most often all that there are.
        """
        for place, part in enumerate(rule.body):
            atom = literal_atom(part)
            if atom and atom.name in self._bound:
                before = rule.body[:place] if atom.name in self._large else ()
                yield atom, [each for each in before if isinstance(each, Atom) and each.name in self._passing]

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
        for call, before in self._calls(rule):
            head = self._magic(call)
            if head and head != guard:
                yield Rule(head, (*filter(None, [guard]), *_connected(head, [*fixed, *before])), rule.position)


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
