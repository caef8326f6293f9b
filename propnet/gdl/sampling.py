"""The interpreter for positions with more legal moves than can be listed: it finds some, one at a time.

Tabling works out all answers of a call before it uses the first. Depth-first resolution (SLD) has a first one soon,
however many there are, but repeats work and may look for long in vain. So both are tried in turn, and with twice
as many steps each time: what either of them can do is done in at most a few times its steps. Resolution itself asks
the tables about calls with few answers, and about recursive relations, on which it might not end.

Source: R. Kowalski, "Predicate Logic as a Programming Language", IFIP 1974 (SLD resolution).
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from ludens.propnet.gdl.interpreter import (
    ANY,
    Answers,
    Compound,
    Interpreter,
    Packed,
    State,
    StepsExceededError,
    bounded,
    pack,
    substitute,
    unify,
    unpack,
)
from ludens.propnet.gdl.syntax import RuleSheet, Term

T = TypeVar("T")

_FIRST_STEPS = 100_000  # of either way at the first attempt
_TABLE_STEPS = 5_000  # of a call within resolution; one that takes more is resolved instead

Binding: TypeAlias = "dict[str, Packed]"
Goals: TypeAlias = "tuple[Compound | _Return, Goals] | None"  # what is left to prove: the first, and the others


@dataclass(frozen=True, slots=True)
class _Return:
    """The end of a rule's body: its head is an answer of `atom`, behind which it goes on with what was left."""

    head: Compound
    atom: Compound
    binding: Binding
    goals: Goals


class SamplingInterpreter(Interpreter):
    """An interpreter that also answers where there are too many legal moves to list them all."""

    def __init__(self, sheet: RuleSheet, rng: random.Random) -> None:
        """`rng` chooses which moves are found."""
        super().__init__(sheet)
        self._rng = rng
        self._large: set[Compound] = set()  # calls of this state that took too many steps
        self._ordered: dict[Compound, list[Compound]] = {}  # answers of calls of this state

    @bounded
    def legal_sample(self, state: State, role: str, most: int) -> tuple[list[Term], bool]:
        """Returns at most `most` legal moves of `role`, sorted by text, and whether they are all.

        There is at least one if any move is legal.
        """
        self._enter(state)
        call = ("legal", role, ANY)
        moves, complete = self._either(
            lambda: ({move for _, _, move in self._ask(call)}, True), lambda: self._resolved_moves(role, most)
        )
        listed = sorted(map(unpack, moves), key=str)
        return (listed, complete) if len(listed) <= most else (sorted(self._rng.sample(listed, most), key=str), False)

    @bounded
    def is_legal(self, state: State, role: str, move: Term) -> bool:
        """Returns whether `role` may choose `move` in `state`."""
        self._enter(state)
        return self._holds(("legal", role, pack(move)))

    @bounded
    def terminal(self, state: State) -> bool:
        """See `Interpreter`; does not list all the moves that the end of a game may depend on."""
        self._enter(state)
        return self._holds(("terminal",))

    def _enter(self, state: State) -> None:
        if state is not self._state:
            self._large.clear()
            self._ordered.clear()
        super()._enter(state)

    def _holds(self, call: Compound) -> bool:
        return self._either(lambda: bool(self._ask(call)), lambda: self._provable(call, {}))

    def _resolved_moves(self, role: str, most: int) -> tuple[set[Packed], bool]:
        """At most `most` legal moves, each found by a search of its own; and whether they are all."""
        found: set[Packed] = set()
        try:
            while len(found) < most:
                proof = next(self._proofs((("legal", role, "?move"), None), {}), None)
                if proof is None:
                    return found, True
                found.add(proof["?move"])
        except StepsExceededError:
            if not found:
                raise
        return found, False

    def _either(self, tabled: Callable[[], T], resolved: Callable[[], T]) -> T:
        """Returns the result of the way that takes fewer steps."""
        steps = _FIRST_STEPS
        try:
            while True:
                for way in (tabled, resolved):
                    self._steps = steps
                    try:
                        return way()
                    except StepsExceededError:
                        continue
                steps *= 2
        finally:
            self._steps = math.inf

    def _provable(self, formula: Compound, binding: Binding) -> bool:
        return next(self._proofs((formula, None), binding), None) is not None

    def _proofs(self, goals: Goals, binding: Binding) -> Iterator[Binding]:
        """Yields the bindings, beyond `binding`, with which all of `goals` hold; some perhaps more than once."""
        open_ends: list[Iterator[tuple[Goals, Binding]]] = [iter([(goals, binding)])]
        while open_ends:
            at = next(open_ends[-1], None)
            if at is None:
                open_ends.pop()
            elif at[0] is None:
                yield at[1]
            else:
                open_ends.append(self._choices(*at[0], at[1]))

    def _choices(self, goal: Compound | _Return, goals: Goals, binding: Binding) -> Iterator[tuple[Goals, Binding]]:
        """Yields what is left to prove for each way to prove `goal`."""
        self._steps -= 1
        if self._steps < 0:
            raise StepsExceededError
        if isinstance(goal, _Return):
            yield from self._matches(goal.atom, [substitute(goal.head, binding)], goal.goals, goal.binding)
            return
        match goal[0]:
            case "and":
                yield self._in_order(goal[1:], binding, goals), binding
            case "or":
                for alternative in self._turned(goal[1:]):
                    yield (alternative, goals), binding
            case "not":
                if not self._provable(goal[1], binding):
                    yield goals, binding
            case "distinct":
                if substitute(goal[1], binding) != substitute(goal[2], binding):
                    yield goals, binding
            case _:
                yield from self._atom_choices(goal, goals, binding)

    def _atom_choices(self, atom: Compound, goals: Goals, binding: Binding) -> Iterator[tuple[Goals, Binding]]:
        call = substitute(atom, binding)
        if (answers := self._few_answers(call)) is not None:
            yield from self._matches(atom, self._turned(self._in_text_order(call, answers)), goals, binding)
            return
        facts = self._in_text_order(call, self._facts[0].matching(call))
        yield from self._matches(atom, facts, goals, binding)
        for head, body in self._turned(self._rules.get(call[0], ())):
            inner: Binding = {}
            if unify(head, call, inner):
                yield self._in_order(body, inner, (_Return(head, atom, binding, goals), None)), inner

    def _matches(
        self, atom: Compound, answers: Iterable[Compound], goals: Goals, binding: Binding
    ) -> Iterator[tuple[Goals, Binding]]:
        for answer in answers:
            extended = binding.copy()
            if unify(atom, answer, extended):
                yield goals, extended

    def _few_answers(self, call: Compound) -> Answers | None:
        """The answers of `call` from the tables; None if there it takes too many steps."""
        if call in self._large:
            return None
        steps = self._steps
        self._steps = steps if call[0] in self._dependencies.component else min(steps, _TABLE_STEPS)
        allowed = self._steps
        try:
            return self._ask(call)
        except StepsExceededError:
            if allowed == steps:
                raise
            self._large.add(call)
            return None
        finally:
            self._steps = steps - (allowed - max(0, self._steps))

    def _in_text_order(self, call: Compound, answers: Answers) -> list[Compound]:
        """The answers of `call` in an order that is the same in every process, as that of a set of texts is not."""
        if call not in self._ordered:
            self._ordered[call] = sorted(answers, key=repr)
        return self._ordered[call]

    def _in_order(self, body: Compound, binding: Binding, goals: Goals) -> Goals:
        """`goals` behind the formulas of `body`, in the order of their evaluation."""
        for formula, _ in reversed(self._plan(body, tuple(binding), ())):
            goals = (formula, goals)
        return goals

    def _turned(self, choices: Sequence[T]) -> Iterator[T]:
        """The choices, from one on that is drawn by lot, and round to it again."""
        begin = self._rng.randrange(len(choices)) if choices else 0
        return itertools.chain(itertools.islice(choices, begin, None), itertools.islice(choices, begin))
