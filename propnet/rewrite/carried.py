"""Carried arguments: a helper that only hands an argument on need not be worked out for every value of it.

A helper often has arguments that few of its derivations look at. Here ?s is a square that may be passed although it is
not blank:

    (<= (path ?x ?y ?s) (next ?x ?y) (square ?s))
    (<= (path ?x ?y ?s) (next ?x ?z) (true (blank ?z)) (path ?z ?y ?s))
    (<= (path ?x ?y ?s) (next ?x ?s) (path ?s ?y ?s))

A path that is blank all the way holds for every square ?s. So the helper is split into versions by which arguments a
derivation carries along without a look at them, but for static conditions on each of them alone, its *domain*:

    (<= (free ?x ?y) (next ?x ?y))
    (<= (free ?x ?y) (next ?x ?z) (true (blank ?z)) (free ?z ?y))
    (<= (path ?x ?y ?s) (next ?x ?s) (free ?s ?y) (square ?s))
    (<= (path ?x ?y ?s) (next ?x ?z) (true (blank ?z)) (path ?z ?y ?s)) ...

Now (path ?x ?y ?s) is left for paths that pass ?s, which are few; where (free ?x ?y) and (square ?s) hold, ?s can be
anything. Those who call the helper call all of its versions, and may carry the argument along in their turn.

Source: R. Ramakrishnan, C. Beeri, R. Krishnamurthy, "Optimizing Existential Datalog Queries", 1988 (arguments that
a derivation does not need), here for each derivation rather than for all of them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product

from ludens.propnet.gdl.argument_domains import ArgumentDomains, Symbol
from ludens.propnet.gdl.syntax import Atom, Constant, Formula, Rule, RuleSheet, Term, Variable
from ludens.propnet.gdl.variables import occurrences, variables
from ludens.propnet.rewrite.dependence import ROOTS, changing
from ludens.propnet.rewrite.terms import Namer, literal_atom, negation, renamed

_LEAST_VALUES = 8  # of an argument that is worth carrying along
_MOST_VERSIONS = 200  # of all helpers together
_MOST_BODIES = 64  # that a rule turns into


class _TooManyError(Exception):
    """Versions multiply: the rules are better left alone."""


def split_carried(sheet: RuleSheet, fresh: Namer) -> RuleSheet:
    """The same game, its helpers split into versions, unless these are too many; bodies must be flat."""
    try:
        return _Splitting(sheet, fresh).split()
    except _TooManyError:
        return sheet


@dataclass(frozen=True, slots=True)
class _Version:
    """Derivations of a helper that carry the arguments at some places along, if the domain holds.

    The variable at place i is called i in the domain.
    """

    places: tuple[int, ...]
    domain: tuple[Formula, ...]


_WHOLE = _Version((), ())
"""The derivations that look at all arguments; these keep the name of the helper."""


class _Splitting:
    def __init__(self, sheet: RuleSheet, fresh: Namer) -> None:
        self._sheet = sheet
        self._helpers = changing(sheet) - {*ROOTS, "true", "does"}
        self._fresh = fresh
        self._static = {rule.head.name for rule in sheet.rules} - changing(sheet)
        self._domains = ArgumentDomains(sheet.rules)
        self._facts: defaultdict[str, set[Symbol]] = defaultdict(set)  # of relations with one argument
        for rule in sheet.rules:
            if not rule.body and len(rule.head.args) == 1 and isinstance(rule.head.args[0], Constant):
                self._facts[rule.head.name].add((rule.head.args[0].name, 0))
        self._names: defaultdict[str, dict[_Version, str]] = defaultdict(dict)  # of the versions of each helper

    def split(self) -> RuleSheet:
        """Splits until no version is new, as versions of one helper follow from those of others."""
        rules: dict[Rule, None] = {}
        known = -1
        while known != (known := sum(map(len, self._names.values()))):
            if known > _MOST_VERSIONS:
                raise _TooManyError
            rules = {self._of_version(rule, body): None for rule in self._sheet.rules for body in self._bodies(rule)}
        return RuleSheet(tuple(rules))

    def _bodies(self, rule: Rule) -> Iterator[tuple[Formula, ...]]:
        """Bodies that call versions in place of helpers, and together mean what the body of the rule means."""
        choices = [list(self._choices(rule, part)) for part in rule.body]
        if math.prod(map(len, choices)) > _MOST_BODIES:
            raise _TooManyError
        for chosen in product(*choices):
            yield tuple(dict.fromkeys(chain.from_iterable(chosen)))

    def _choices(self, rule: Rule, part: Formula) -> Iterator[tuple[Formula, ...]]:
        """Conjunctions of which one holds where a literal of a rule does."""
        atom = literal_atom(part)
        if not atom or atom.name not in self._helpers:
            yield (part,)
            return
        calls = [_call(atom, version, name) for version, name in self._names[atom.name].items()]
        if isinstance(part, Atom):
            yield from calls
        elif not calls:  # not known yet
            yield (part,)
        else:
            denials = [[negation(each) for each in call if not self._is_sure(rule, each)] for call in calls]
            if math.prod(map(len, denials)) > _MOST_BODIES:
                raise _TooManyError
            yield from product(*denials)

    def _of_version(self, rule: Rule, body: tuple[Formula, ...]) -> Rule:
        """The rule with one of its bodies, in the version of its head that this body derives."""
        carried = self._carried(rule, body) if rule.head.name in self._helpers else set()
        places = {arg: place for place, arg in enumerate(rule.head.args) if arg in carried}
        names: dict[Variable, Term] = {arg: Variable(str(i)) for arg, i in places.items() if isinstance(arg, Variable)}
        domain = {renamed(part, names) for part in body if variables(part) & carried}
        version = _Version(tuple(places.values()), tuple(sorted(domain, key=str)))
        head, *_ = _call(rule.head, version, self._name(rule.head.name, version))
        assert isinstance(head, Atom)
        return Rule(head, tuple(part for part in body if not variables(part) & carried), rule.position)

    def _name(self, helper: str, version: _Version) -> str:
        if helper not in self._helpers:
            return helper
        names = self._names[helper]
        if version not in names:
            names[version] = helper if version == _WHOLE else self._fresh(helper)
        return names[version]

    def _carried(self, rule: Rule, body: tuple[Formula, ...]) -> set[Variable]:
        """The variables of a head that stand in no conditions but static ones on a single variable."""
        head = rule.head
        count = Counter(occurrences(head))
        looked_at = (variables(part) for part in body if not self._is_static(part) or len(variables(part)) > 1)
        once = {arg for arg in head.args if isinstance(arg, Variable) and count[arg] == 1}.difference(*looked_at)
        return {arg for arg in once if len(self._domains.values(rule, arg)) >= _LEAST_VALUES}

    def _is_sure(self, rule: Rule, part: Formula) -> bool:
        """Whether the values that a variable of a rule can have are all facts, or the term in its place is one."""
        if not isinstance(part, Atom) or part.name not in self._facts:
            return False
        [term] = part.args
        return self._domains.values(rule, term) <= self._facts[part.name]

    def _is_static(self, part: Formula) -> bool:
        atom = literal_atom(part)
        return atom is None or atom.name in self._static


def _call(atom: Atom, version: _Version, name: str) -> tuple[Formula, ...]:
    """What it takes for a version, which has a name of its own, to derive an atom of its helper."""
    kept = tuple(arg for place, arg in enumerate(atom.args) if place not in version.places)
    args = {Variable(str(place)): atom.args[place] for place in version.places}
    return Atom(name, kept, atom.position), *(renamed(part, args) for part in version.domain)
