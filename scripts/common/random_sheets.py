"""Makes random rule sheets that are games: finite, safe, and stratified.

    print(random_sheet(random.Random(1)))

Every argument has a sort: a finite set of ground terms, which are constants or functions over other sorts, so
that whatever the rules derive is finite. A rule is a random body over relations that come before its head,
negated or not, or that belong to the head's own stratum, not negated, which gives recursion. Variables that
need a value and get none from such a body get one from the domain of their sort. Hence the sheets have recursion,
negation and `or` around each other, `distinct` between terms with variables, goals with variable values and
several values at a time, init by rules, roles without a move, and variables for whole facts and moves.

Strata follow what may be asked when: rules alone, then the state, then legal moves, the end and goals, then
the joint move. Source: K. Apt, H. Blair, A. Walker, "Towards a Theory of Declarative Knowledge", 1988.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

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
from ludens.propnet.gdl.variables import bound_variables, variables

MAX_TERMS = 40  # of a fact's or a move's functor
MAX_ATOMS = 300  # of a relation
MAX_INSTANCES = 2000  # of a rule, as far as its variables alone decide


@dataclass(frozen=True, slots=True)
class Sort:
    """A finite set of ground terms; each form is a functor with the sorts of its arguments, if any."""

    name: str
    forms: tuple[tuple[str, tuple[Sort, ...]], ...]

    @property
    def size(self) -> int:
        """How many ground terms it has."""
        return sum(prod(sort.size for sort in sorts) for _, sorts in self.forms)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation and the sorts of its arguments."""

    name: str
    sorts: tuple[Sort, ...]


def random_sheet(chance: random.Random) -> RuleSheet:
    """A game that passes `check` and has a small network; it need not end, nor let every role move."""
    return _Author(chance).sheet()


def _constants(name: str, values: Iterable[str]) -> Sort:
    return Sort(name, tuple((value, ()) for value in values))


def _domain(sort: Sort, term: Term) -> Atom:
    return Atom(f"is-{sort.name}", (term,))


class _Author:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._rules: list[Rule] = []
        self._usable: list[Relation] = []  # what bodies may hold, negated or not
        self._focus: Relation | None = None  # what most bodies should depend on
        letter = _constants("letter", "abc"[: chance.randint(2, 3)])
        number = _constants("number", "01234"[: chance.randint(2, 5)])
        pair = Sort("pair", (("pair", (letter, number)), ("none", ())))
        nested = Sort("nested", (("box", (pair,)), ("mark", (letter,)), ("a", ())))
        self._roles = [f"player{i}" for i in range(chance.choice((1, 2, 2, 3)))]
        self._letter, self._number = letter, number
        self._role = _constants("player", self._roles)
        self._value = _constants("value", ("0", "25", "50", "100"))
        self._plain = (letter, number, pair, nested)
        self._fact = Sort("fact", tuple(self._functors("fact", chance.randint(2, 4))))
        self._move = Sort("move", (("noop", ()), *self._functors("move", chance.randint(1, 2))))

    def sheet(self) -> RuleSheet:
        """Writes the strata in the order in which they may depend on one another."""
        self._domains()
        self._constant_relations()
        self._helpers("static", 1)
        self._heads(Relation("init", (self._fact,)), 2, 5)
        self._focus = Relation("true", (self._fact,))
        self._usable.append(self._focus)
        self._helpers("view", 3)
        self._legal()
        self._heads(Relation("terminal", ()), 1, 1)
        self._usable.append(Relation("terminal", ()))
        self._goals()
        self._focus = Relation("does", (self._role, self._move))
        self._usable.append(self._focus)
        self._helpers("event", 2)
        self._next()
        self._chance.shuffle(self._rules)
        return RuleSheet((*(Rule(Atom("role", (Constant(role),))) for role in self._roles), *self._rules))

    def _functors(self, stem: str, count: int) -> Iterator[tuple[str, tuple[Sort, ...]]]:
        for number in range(count):
            yield f"{stem}{number}", self._some_sorts(self._plain, MAX_TERMS)

    def _some_sorts(self, sorts: Sequence[Sort], limit: int) -> tuple[Sort, ...]:
        chosen = tuple(self._chance.choice(sorts) for _ in range(self._chance.choice((0, 1, 1, 2, 2))))
        return chosen if prod(sort.size for sort in chosen) <= limit else chosen[:1]

    def _domains(self) -> None:
        """For each sort a relation that holds for its terms."""
        for sort in (*self._plain, self._role, self._value, self._fact, self._move):
            for name, sorts in sort.forms:
                arguments = tuple(Variable(f"x{place}") for place in range(len(sorts)))
                body = tuple(_domain(part, variable) for part, variable in zip(sorts, arguments, strict=True))
                term = Function(name, arguments) if arguments else Constant(name)
                self._rules.append(Rule(_domain(sort, term), body))

    def _constant_relations(self) -> None:
        """An order of the numbers, and a random graph over the letters."""
        numbers = [Constant(name) for name, _ in self._number.forms]
        self._rules += [Rule(Atom("after", two)) for two in pairwise(numbers)]
        letters = [Constant(name) for name, _ in self._letter.forms]
        edges = {(self._chance.choice(letters), self._chance.choice(letters)) for _ in range(4)}
        self._rules += [Rule(Atom("edge", edge)) for edge in sorted(edges, key=str)]
        self._usable.append(Relation("after", (self._number, self._number)))
        self._usable.append(Relation("edge", (self._letter, self._letter)))
        self._usable.append(Relation("role", (self._role,)))

    def _helpers(self, stem: str, most: int) -> None:
        """Strata of one or two relations, each defined through what came before and those of its stratum."""
        for number in range(self._chance.randint(1, most)):
            stratum = [
                Relation(f"{stem}{number}{letter}", self._some_sorts((*self._plain, self._role), MAX_ATOMS))
                for letter in "xy"[: self._chance.randint(1, 2)]
            ]
            for relation in stratum:
                self._heads(relation, 1, 3, stratum)
            self._usable += stratum

    def _heads(self, relation: Relation, least: int, most: int, stratum: Sequence[Relation] = ()) -> None:
        for _ in range(self._chance.randint(least, most)):
            self._rules.append(_Clause(self._chance, self._usable, stratum, self._focus).rule(relation))

    def _legal(self) -> None:
        """Most roles can always do something; some may find nothing to do."""
        relation = Relation("legal", (self._role, self._move))
        self._heads(relation, 1, 4)
        for role in self._roles:
            if self._chance.random() < 0.85:
                self._rules.append(Rule(Atom("legal", (Constant(role), Constant("noop")))))
        self._usable.append(relation)

    def _goals(self) -> None:
        """Values of all kinds, and at times one for want of another: stratified on ground atoms only."""
        relation = Relation("goal", (self._role, self._value))
        self._heads(relation, 1, 4)
        if self._chance.random() < 0.3:
            role = Variable("role")
            default, want = Atom("goal", (role, Constant("75"))), Atom("goal", (role, Constant("0")))
            self._rules.append(Rule(default, (Not(want), Atom("role", (role,)))))
        self._usable.append(relation)

    def _next(self) -> None:
        """What comes about, and at times that all else stays as it is."""
        self._heads(Relation("next", (self._fact,)), 2, 5)
        if self._chance.random() < 0.5:
            self._heads(Relation("changes", (self._fact,)), 1, 2)
            fact = Variable("fact")
            keep = (Atom("true", (fact,)), Not(Atom("changes", (fact,))))
            self._rules.append(Rule(Atom("next", (fact,)), keep))


class _Clause:
    """One random rule; `usable` relations come before its head, those of `stratum` are as far as it."""

    def __init__(
        self, chance: random.Random, usable: Sequence[Relation], stratum: Sequence[Relation], focus: Relation | None
    ) -> None:
        self._chance = chance
        self._usable = usable
        self._stratum = stratum
        self._focus = focus
        self._variables: dict[Variable, Sort] = {}

    def rule(self, relation: Relation) -> Rule:
        """A rule for `relation`."""
        head = self._atom(relation)
        body: list[Formula] = [self._condition() for _ in range(self._chance.randint(0, 2))]
        if self._focus and self._chance.random() < 0.9:
            body.insert(self._chance.randint(0, len(body)), self._atom(self._focus))
        valueless = (variables(head) | set(_tested(body))) - bound_variables(body)
        for variable in sorted(valueless, key=str):
            place = self._chance.randint(0, len(body))
            body.insert(place, _domain(self._variables[variable], variable))
        return Rule(head, tuple(body))

    def _condition(self) -> Formula:
        kind = self._chance.random()
        if kind < 0.5:
            return self._positive()
        if kind < 0.7:
            return Not(self._atom(self._chance.choice(self._usable)))
        if kind < 0.8:
            return self._distinct()
        if kind < 0.93:
            return self._or(self._inner)
        return Not(self._or(self._lower))

    def _or(self, part: Callable[[], Formula]) -> Formula:
        """Two or three alternatives, some of which are conjunctions."""
        return Or(tuple(self._alternative(part) for _ in range(self._chance.randint(2, 3))))

    def _alternative(self, part: Callable[[], Formula]) -> Formula:
        return And((part(), part())) if self._chance.random() < 0.3 else part()

    def _inner(self) -> Formula:
        return self._positive() if self._chance.random() < 0.6 else self._lower()

    def _lower(self) -> Formula:
        """A literal that does not touch the stratum, which may be negated."""
        atom = self._atom(self._chance.choice(self._usable))
        kind = self._chance.random()
        return atom if kind < 0.6 else Not(atom) if kind < 0.9 else self._distinct()

    def _positive(self) -> Atom:
        own = self._stratum and self._chance.random() < 0.4
        return self._atom(self._chance.choice(self._stratum if own else self._usable))

    def _distinct(self) -> Distinct:
        atom = self._atom(self._chance.choice([r for r in self._usable if r.sorts]))
        left = self._chance.choice(atom.args)
        return Distinct(left, self._chance.choice([*self._variables, Constant("a"), left]))

    def _atom(self, relation: Relation) -> Atom:
        return Atom(relation.name, tuple(map(self._term, relation.sorts)))

    def _term(self, sort: Sort) -> Term:
        often = 0.1 if sort.name in ("fact", "move", "value") else 0.5  # a whole fact is a variable in few sheets
        if self._chance.random() < often and (variable := self._variable(sort)):
            return variable
        name, sorts = self._chance.choice(sort.forms)
        return Function(name, tuple(map(self._term, sorts))) if sorts else Constant(name)

    def _variable(self, sort: Sort) -> Variable | None:
        """A variable of the rule or a new one; None where the rule would get too many instances."""
        known = [variable for variable, its in self._variables.items() if its == sort]
        if known and self._chance.random() < 0.7:
            return self._chance.choice(known)
        if sort.size * prod(its.size for its in self._variables.values()) > MAX_INSTANCES:
            return None
        variable = Variable(f"{sort.name}{len(self._variables)}")
        self._variables[variable] = sort
        return variable


def _tested(formulas: Iterable[Formula]) -> Iterator[Variable]:
    """The variables that some negation or `distinct` needs to have a value."""
    for formula in formulas:
        match formula:
            case Not() | Distinct():
                yield from variables(formula)
            case And(parts) | Or(parts):
                yield from _tested(parts)
