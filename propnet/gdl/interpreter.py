"""The oracle: plays a game straight from the rules, slowly; everything faster is checked against it.

Technique: top-down evaluation with tabling. A *call* is an atom in which `?` stands for what is not known
yet; its *answers* are the ground atoms that the rules derive for it. Answers are kept in tables, so that each
call is worked out once: for good if the relation depends on the rules alone, once a state if it depends on
`true`, once a joint move if on `does`. Rule bodies are joined set at a time, and variables are dropped once
nothing further asks for them.

Calls of a recursive relation form a fixpoint: they see what is known so far of those in progress and are
repeated until no answer is new. A negated formula is worked out apart from the fixpoints in progress, to the
end, before it is believed: so negation need only be stratified on the calls, not on names of relations.

Source: H. Tamaki and T. Sato, "OLD Resolution with Tabulation", ICLP 1986; N.-F. Zhou, T. Sato and
Y.-D. Shen, "Linear Tabling Strategies and Optimizations", TPLP 8 (2008).

Inside, syntax is packed into plain strings and tuples, which Python hashes and compares fast: a constant is
`"red"`, a variable `"?x"`, a term, atom or formula `("cell", "?x", "1", "b")` or `("not", ("terminal",))`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.graphs import components, successors
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    RuleSheet,
    Term,
    Variable,
)

State: TypeAlias = frozenset[Term]
"""The facts that hold, such as `(cell 1 1 b)`, without the `true` around them."""

Packed: TypeAlias = Any  # a `str` or a `Compound`
Compound: TypeAlias = tuple[Any, ...]  # a `str`, its name, and what it applies to: each `Packed`
Answers: TypeAlias = set[Compound]
Variables: TypeAlias = tuple[str, ...]
Rows: TypeAlias = set[Compound]  # values of some variables, in the order of a `Variables` beside it
Work: TypeAlias = Generator[Compound, Answers, set[Compound]]  # yields calls, is sent their answers

Asked = ParamSpec("Asked")
T = TypeVar("T")

ANY = "?"
_FEW_UNKNOWN = 3  # variables of a call whose answers are not too many to be worked out

PAYABLE = frozenset(map(str, range(101)))
"""The goal values that a Game Manager can pay out; all others count for nothing."""


class StepsExceededError(Exception):
    """An answer takes more steps than it may."""


def bounded(answer: Callable[Asked, T]) -> Callable[Asked, T]:
    """Has a method raise `GdlError` where terms nest deeper than Python may recurse; lists may grow without end."""

    @wraps(answer)
    def answer_or_refuse(*args: Asked.args, **named: Asked.kwargs) -> T:
        try:
            return answer(*args, **named)
        except RecursionError:
            raise GdlError("the rules make terms that nest too deeply to be interpreted") from None

    return answer_or_refuse


class Interpreter:
    """One game, played from its syntax. The sheet must have passed `check`.

    Questions about the state asked about last are answered from tables; one interpreter serves one thread.
    """

    def __init__(self, sheet: RuleSheet, steps: float = math.inf) -> None:
        """Sorts the rules of `sheet` by relation; nothing is derived yet.

        What takes more than so many `steps`, of all answers together, raises `StepsExceededError`.
        """
        rules = [(pack(rule.head), tuple(map(pack, rule.body))) for rule in sheet.rules]
        self.roles = sheet.roles
        self._rules: dict[str, list[tuple[Compound, Compound]]] = {}  # no relation that has facts alone
        for head, body in rules:
            if body:
                self._rules.setdefault(head[0], []).append((head, body))
        self._facts = [_Facts(head for head, body in rules if not body), _Facts(()), _Facts(())]
        self._tables: list[dict[Compound, Answers]] = [{}, {}, {}]
        self._state: State | None = None
        self._dependencies = _Dependencies(rules)
        self._fixpoints: dict[frozenset[str], _Fixpoint] = {}
        self._leading: set[Compound] = set()
        self._steps = steps  # that are left: rows joined, and what they are joined with
        self._plan = cache(self._make_plan)

    @bounded
    def initial(self) -> State:
        """The state in which the game begins."""
        return frozenset(unpack(fact) for _, fact in self._ask(("init", ANY)))

    @bounded
    def legal(self, state: State, role: str) -> list[Term]:
        """The moves that `role` may choose in `state`, each once, sorted by text."""
        self._enter(state)
        return sorted((unpack(move) for _, _, move in self._ask(("legal", role, ANY))), key=str)

    @bounded
    def next(self, state: State, moves: Mapping[str, Term] | Sequence[Term]) -> State:
        """The state after the joint move: a move for each role, by its name or in the order of `roles`."""
        self._enter(state)
        chosen = moves.items() if isinstance(moves, Mapping) else zip(self.roles, moves, strict=True)
        self._facts[2] = _Facts(("does", role, pack(move)) for role, move in chosen)
        self._tables[2] = {}
        return frozenset(unpack(fact) for _, fact in self._ask(("next", ANY)))

    @bounded
    def terminal(self, state: State) -> bool:
        """Whether the game is over in `state`."""
        self._enter(state)
        return bool(self._ask(("terminal",)))

    def goal(self, state: State, role: str) -> int | None:
        """The value of `state` for `role`, 0 to 100; None when the rules give none, or several."""
        values = [int(value) for value in self.goal_values(state, role) if value in PAYABLE]
        return values[0] if len(values) == 1 else None

    @bounded
    def goal_values(self, state: State, role: str) -> list[str]:
        """All that the rules give as the value of `state` for `role`, sorted by text."""
        self._enter(state)
        return sorted(str(unpack(value)) for _, _, value in self._ask(("goal", role, ANY)))

    def goals(self, state: State) -> tuple[int | None, ...]:
        """`goal` of each role, in the order of `roles`."""
        return tuple(self.goal(state, role) for role in self.roles)

    def _enter(self, state: State) -> None:
        if state is not self._state:
            self._facts[1] = _Facts(("true", pack(fact)) for fact in state)
            self._tables[1:] = {}, {}
            self._state = state

    def _ask(self, call: Compound) -> Answers:
        """The answers of `call`: runs `_derive` on a stack of its own, since rules recurse deeper than Python may."""
        self._fixpoints, self._leading = {}, set()
        stack = [self._derive(call)]
        answers: Answers | None = None
        while stack:
            try:
                request = stack[-1].send(answers)  # type: ignore[arg-type]  # a generator is started with None
            except StopIteration as finished:
                stack.pop()
                answers = finished.value
            else:
                stack.append(self._derive(request))
                answers = None
        return answers or set()

    def _derive(self, call: Compound) -> Work:
        """All answers of `call`, from a table or from the rules."""
        table = self._tables[self._dependencies.level[call[0]]]
        if call in table:
            return table[call]
        component = self._dependencies.component.get(call[0])
        if component is None:
            table[call] = yield from self._resolve(call)
            return table[call]
        if component in self._fixpoints:
            return (yield from self._approximate(call, self._fixpoints[component]))
        table.update((yield from self._complete(call, component)))
        return table[call]

    def _complete(
        self, call: Compound, component: frozenset[str]
    ) -> Generator[Compound, Answers, dict[Compound, Answers]]:
        """The least fixpoint of `call` and all calls of its component that it leads to."""
        if call in self._leading:
            raise GdlError(f"{unpack(call)} depends on its own negation: the rules are not stratified")
        fixpoint = self._fixpoints[component] = _Fixpoint()
        self._leading.add(call)
        while fixpoint.unfinished:
            fixpoint.unfinished = False
            fixpoint.visited.clear()
            yield from self._approximate(call, fixpoint)
        self._leading.remove(call)
        del self._fixpoints[component]
        return fixpoint.answers

    def _approximate(self, call: Compound, fixpoint: _Fixpoint) -> Work:
        """What is known of `call` by now, worked out at most once in each round of the fixpoint."""
        known = fixpoint.answers.setdefault(call, set())
        if call in fixpoint.visited:
            return known
        fixpoint.visited.add(call)
        found = yield from self._resolve(call)
        if not found <= known:
            fixpoint.unfinished = True
        fixpoint.answers[call] = known | found
        return fixpoint.answers[call]

    def _resolve(self, call: Compound) -> Work:
        """The answers of `call` by one use of each rule for its relation."""
        level = {"true": 1, "does": 2}.get(call[0], 0)
        answers = self._facts[level].matching(call)
        for head, body in self._rules.get(call[0], ()):
            binding: dict[str, Packed] = {}
            if unify(head, call, binding):
                names = _variables(head)
                rows = yield from self._solve(body, tuple(binding), {tuple(binding.values())}, names)
                derived = (substitute(head, dict(zip(names, row, strict=True))) for row in rows)
                answers.update(atom for atom in derived if unify(call, atom, {}))
        return answers

    def _solve(self, body: Compound, names: Variables, rows: Rows, keep: Variables) -> Work:
        """Extends `rows`, values of `names`, to all that satisfy the formulas of `body`: values of `keep`."""
        for formula, after in self._plan(body, names, keep):
            rows = yield from self._extend(formula, names, rows, after)
            if not rows:
                break
            names = after
        return rows

    def _extend(self, formula: Compound, names: Variables, rows: Rows, keep: Variables) -> Work:
        """`_solve` for a single formula."""
        match formula[0]:
            case "and":
                return (yield from self._solve(formula[1:], names, rows, keep))
            case "or":
                found = set()
                for alternative in formula[1:]:
                    found |= yield from self._solve((alternative,), names, rows, keep)
                return found
            case "not":
                outside, self._fixpoints = self._fixpoints, {}
                satisfied = yield from self._solve(formula[1:], names, rows, names)
                self._fixpoints = outside
                return _project(rows - satisfied, names, keep)
            case "distinct":
                bindings = [(row, dict(zip(names, row, strict=True))) for row in rows]
                one, other = formula[1:]
                unequal = {row for row, values in bindings if substitute(one, values) != substitute(other, values)}
                return _project(unequal, names, keep)
            case _:
                return (yield from self._join(formula, names, rows, keep))

    def _join(self, atom: Compound, names: Variables, rows: Rows, keep: Variables) -> Work:
        table = self._tables[self._dependencies.level[atom[0]]]
        found = set()
        for row in rows:
            binding = dict(zip(names, row, strict=True))
            call = substitute(atom, binding)
            answers = table.get(call)
            if answers is None:
                answers = yield call
            self._steps -= 1 + len(answers)
            if self._steps < 0:
                raise StepsExceededError
            for answer in answers:
                extended = binding.copy()
                if unify(atom, answer, extended):
                    found.add(tuple([extended[name] for name in keep]))
        return found

    def _make_plan(self, body: Compound, names: Variables, keep: Variables) -> list[tuple[Compound, Variables]]:
        """The formulas in the order of their evaluation, each with the variables that are needed after it."""
        plan = []
        bound, todo = set(names), list(_conjuncts(body))
        while todo:
            formula = min(todo, key=lambda formula: self._cost(formula, bound))
            todo.remove(formula)
            if not _open(formula, bound).isdisjoint(_variables(("and", *todo))):
                # What some alternative leaves open is up to the rest, which is solved for each of them apart.
                formula, todo = ("or", *(("and", part, *todo) for part in formula[1:])), []
            bound.update(_variables(formula))
            needed = bound & set(keep).union(*map(_variables, todo))
            plan.append((formula, tuple(sorted(needed)) if todo else keep))
        return plan

    def _cost(self, formula: Compound, bound: set[str]) -> tuple[int, bool, int, int, bool]:
        """A sort key: tests as soon as they are decided, then moves, which are few, then what has most places known."""
        free = set(_variables(formula)) - bound
        undecided = bool(_open(formula, bound)) * (2 if formula[0] in ("not", "distinct") else 1)
        derived = formula[0] in self._rules
        unknown = 2 * len(free) - _places(formula)  # places that are open less those that are known
        if derived:
            unknown += max(0, len(free) - _FEW_UNKNOWN)  # all their values are worked out, where facts are looked up
        return undecided, formula[0] != "does", unknown, len(free), derived


@dataclass
class _Fixpoint:
    """The calls of one recursive component, while their answers are still growing."""

    answers: dict[Compound, Answers] = field(default_factory=dict)
    visited: set[Compound] = field(default_factory=set)
    unfinished: bool = True


class _Facts:
    """Ground atoms, found by any symbol at any place in them."""

    def __init__(self, atoms: Iterable[Compound]) -> None:
        self._having: dict[tuple[Packed, ...], list[Compound]] = defaultdict(list)
        for atom in atoms:
            for symbol in _symbols(atom, ()):
                self._having[symbol].append(atom)

    def matching(self, call: Compound) -> Answers:
        fewest = min((self._having.get(symbol, []) for symbol in _symbols(call, ())), key=len)
        return {atom for atom in fewest if unify(call, atom, {})}


class _Dependencies:
    """Which relations use which: whether they depend on the state or on moves, and which are recursive together."""

    def __init__(self, rules: Sequence[tuple[Compound, Compound]]) -> None:
        uses = successors((head[0], used) for head, body in rules for used in _relations(body))
        self.level = defaultdict(int, {"true": 1, "does": 2})
        self.component: dict[str, frozenset[str]] = {}
        for names in components(uses):
            used = set(names).union(*(uses.get(name, ()) for name in names))
            level = max(self.level[name] for name in used)
            self.level.update(dict.fromkeys(names, level))
            if len(names) > 1 or names[0] in uses.get(names[0], ()):
                self.component.update(dict.fromkeys(names, frozenset(names)))


def _conjuncts(body: Compound) -> Iterator[Compound]:
    """The formulas of a body, nested conjunctions opened."""
    for formula in body:
        if formula[0] == "and":
            yield from _conjuncts(formula[1:])
        else:
            yield formula


def _relations(body: Compound) -> Iterator[str]:
    for formula in body:
        if formula[0] in ("and", "or", "not"):
            yield from _relations(formula[1:])
        else:
            yield formula[0]


def pack(node: Term | Formula) -> Packed:
    """Syntax as strings and tuples."""
    match node:
        case Constant(name):
            return name
        case Variable(name):
            return f"?{name}"
        case Function(name, args) | Atom(name, args):
            return (name, *map(pack, args))
        case Not(body):
            return ("not", pack(body))
        case Or(parts):
            return ("or", *map(pack, parts))
        case And(parts):
            return ("and", *map(pack, parts))
        case Distinct(left, right):
            return ("distinct", pack(left), pack(right))


def unpack(term: Packed) -> Term:
    """The term that was packed."""
    if isinstance(term, str):
        return Constant(term)
    return Function(term[0], tuple(map(unpack, term[1:]))) if len(term) > 1 else Constant(term[0])


@cache
def _variables(term: Packed) -> Variables:
    """The variables of a term or formula, each once, in order of appearance."""
    if isinstance(term, str):
        return (term,) if term[0] == "?" else ()
    return tuple(dict.fromkeys(name for part in term for name in _variables(part)))


def _places(term: Packed) -> int:
    """How many constants and variables stand in `term`, names of functions and relations left out."""
    return 1 if isinstance(term, str) else sum(map(_places, term[1:]))


@cache
def _bound_by(formula: Compound) -> frozenset[str]:
    """The variables that have a value in every solution of `formula`."""
    match formula[0]:
        case "not" | "distinct":
            return frozenset()
        case "and":
            return frozenset().union(*map(_bound_by, formula[1:]))
        case "or":
            return frozenset.intersection(*map(_bound_by, formula[1:]))
        case _:
            return frozenset(_variables(formula))


def _open(formula: Compound, bound: set[str]) -> set[str]:
    """The variables without a value that may still have none after `formula`."""
    return set(_variables(formula)) - bound - _bound_by(formula)


def _symbols(term: Packed, place: tuple[int, ...]) -> Iterator[tuple[Packed, ...]]:
    """Each symbol of `term` that is not a variable, behind the path to it."""
    if not isinstance(term, str):
        for index, part in enumerate(term):
            yield from _symbols(part, (*place, index))
    elif term[0] != "?":
        yield (*place, term)


def substitute(term: Packed, binding: Mapping[str, Packed]) -> Packed:
    """`term` with its variables replaced by their values, or by `ANY` if they have none."""
    if isinstance(term, str):
        return binding.get(term, ANY) if term[0] == "?" else term
    return tuple([substitute(part, binding) for part in term])


def unify(pattern: Packed, other: Packed, binding: dict[str, Packed]) -> bool:
    """Whether `pattern` and `other` can be equal; binds variables of the first to the known parts of the second."""
    if isinstance(pattern, str):
        if pattern[0] != "?":
            return other in (pattern, ANY)
        return pattern == ANY or not _is_ground(other) or bool(binding.setdefault(pattern, other) == other)
    if isinstance(other, str):
        return bool(other == ANY)
    return len(pattern) == len(other) and all(map(unify, pattern, other, (binding,) * len(other)))


def _is_ground(term: Packed) -> bool:
    return term[0] != "?" if isinstance(term, str) else all(map(_is_ground, term))


def _project(rows: Rows, names: Variables, keep: Variables) -> Rows:
    if names == keep:
        return rows
    places = [names.index(name) for name in keep]
    return {tuple([row[place] for place in places]) for row in rows}
