"""What it costs a role to make literals true although others hinder it, as gates over the present state.

The cost of a literal is a number of moves of the role. They are counted under delete relaxation: nothing that a move
brings about is lost again. A literal that holds costs nothing; one that a move makes true costs one more than what
makes the move possible; a disjunction costs as little as the cheapest of its parts, and a conjunction the sum of its
parts, as if no move served two of them (the additive heuristic: B. Bonet, H. Geffner, "Planning as Heuristic Search",
2001). A literal and its complement have costs of their own.

While a conjunction is paid for, the others move too. Where both of its parts cost something, each of them therefore
has to be *safe*: a disjunction needs two ways within that cost, since the others may close one. In hex this is the
two-distance (J. van Rijswijck, "Search and Evaluation in Hex", 2002). Ways through what holds already, such as two
stones of one chain, may be the same way; they count only if there are two behind a single one of them.

Costs are unary: one literal for each k says whether a cost is at most k. The least is then a disjunction, and the sum
a disjunction of conjunctions. Rules that are recursive stay so: for each k the atoms of a loop get feedback inputs,
whose least fixpoint the machine finds for all games side by side; that is how distances spread (R. Bellman, "On a
Routing Problem", 1958). Such an atom is false for nothing, or never: what it would cost is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ludens.propnet.analysis.composition import Composition, CompositionError
from ludens.propnet.analysis.turns import Turn
from ludens.propnet.network.circuit import Circuit, cone
from ludens.propnet.network.propnet import FALSE

_Place = tuple[int, int]  # a state of control, by its number in the cycle, and a literal as it is there


class _Within(NamedTuple):
    """Literals that say how a literal can be had within some cost; each is had from those before and lower costs."""

    made: int  # by a move for the literal itself, not for what it is handed on from
    somehow: int
    safe: int  # even if the others close one way

    @classmethod
    def constant(cls, literal: int) -> _Within:
        """What holds, or never will."""
        return cls(literal, literal, literal)


_KINDS = len(_Within._fields)
_NEVER = _Within.constant(FALSE)


class LoopCopies:
    """A circuit with copies of its loops that nothing drives yet, for so many levels of so many views of it."""

    def __init__(self, circuit: Circuit, views: int, levels: int) -> None:
        """Adds the copies; in each view the loops stay in topological order, and come level by level."""
        self.originals = len(circuit.feedback)
        self._first, self._copies = circuit.first_gate, levels * _KINDS
        self._spans = [span for span in _spans(circuit.loop) for _ in span]
        loop = [*circuit.loop]
        for _ in range(views):
            for span in _spans(circuit.loop):
                for _ in range(self._copies):
                    loop += [loop[-1] + 1] * len(span)
        more = len(loop) - self.originals
        new = [*range(2 * self._first), *range(2 * (self._first + more), 2 * (self._first + more + len(circuit.gates)))]
        moved = circuit.with_gates([tuple([new[literal] for literal in gate]) for gate in circuit.gates], new)
        self.circuit = replace(moved, feedback=[*moved.feedback, *[FALSE] * more], loop=loop)
        self._drivers: dict[int, int] = {}

    def of(self, view: int, variable: int, level: int) -> _Within:
        """The copies of a feedback input."""
        number = variable - self.circuit.first_feedback
        span = self._spans[number]
        first = self._first + view * self._copies * self.originals + self._copies * span.start + number - span.start
        return _Within(*(2 * (first + (level * _KINDS + kind) * len(span)) for kind in range(_KINDS)))

    def drive(self, copies: _Within, drivers: _Within) -> None:
        """Has copies driven by literals."""
        self._drivers.update(zip(copies, drivers, strict=True))

    def closed(self, composition: Composition) -> Circuit:
        """The circuit with the gates of a composition that started with it, and all drivers in place."""
        inputs = range(2 * self.circuit.first_feedback, 2 * self.circuit.first_gate, 2)
        drivers = [
            self._drivers.get(literal, driver) for literal, driver in zip(inputs, self.circuit.feedback, strict=True)
        ]
        return replace(self.circuit, gates=composition.gates, feedback=list(drivers))


def _spans(loop: Sequence[int]) -> list[range]:
    """The feedback inputs of each loop."""
    ends = [0, *(place for place, (a, b) in enumerate(pairwise(loop), 1) if a != b), len(loop)]
    return [range(*pair) for pair in pairwise(ends)] if loop else []


class RelaxedCosts:
    """What a literal costs one role, at whichever state of a cycle of control, level by level."""

    def __init__(
        self,
        composition: Composition,
        copies: LoopCopies,
        cycle: Sequence[Mapping[int, int]],
        turns: Mapping[int, Turn],
        role: int,
        literal: int,
    ) -> None:
        """`composition` starts with the circuit of `copies`, which has views for each role and state of the `cycle`.

        `turns` are those of the role, by the numbers of their states of control. Raises `CompositionError` where the
        literal depends on moves; as `add_level` does where the composition's gates or time are used up.
        """
        self._composition, self._copies, self._circuit = composition, copies, copies.circuit
        self._first_gate, self._first_feedback = copies.circuit.first_gate, copies.circuit.first_feedback
        self._first_move = copies.circuit.first_move
        self._first_view = role * len(cycle)
        self._achievers: dict[int, list[_Place]] = {}
        for number, turn in turns.items():
            self._add_achievers(number, turn)
        folded = [self._under(control, [literal, *self._circuit.feedback[: copies.originals]]) for control in cycle]
        self._drivers = [drivers for _, *drivers in folded]
        self._roots = [(number, root) for number, (root, *_) in enumerate(folded)]
        self._order = self._ordered()
        self._costs: dict[_Place, list[_Within]] = {place: [] for place in self._order}
        self._level = -1

    def add_level(self) -> tuple[int, int]:
        """The literals of the cost being at most a number, and of its being safe; that number is 0, then 1, and so on.

        An atom of a loop is read as its driver as soon as that is made, so that changes spread far in one pass.
        """
        self._level += 1
        inputs = {place: self._copy(place) for place in self._order if self._is_feedback(place[1])}
        for place, copy in inputs.items():
            lower = self._costs[place][-1] if self._level else _NEVER
            either = _Within(*(self._composition.any(pair) for pair in zip(copy, lower, strict=True)))
            self._costs[place].append(either)
        for place in self._order:
            self._composition.check()
            if self._is_feedback(place[1]):
                self._costs[place][-1] = self._costs[self._driver(place)][-1]
            else:
                self._costs[place].append(self._within(place))
        for place, copy in inputs.items():
            self._copies.drive(copy, self._costs[place][-1])
        somehow = self._composition.any(self._costs[root][-1].somehow for root in self._roots)
        return somehow, self._composition.any(self._safe(root, self._level) for root in self._roots)

    # ---- What is asked -----------------------------------------------------------------------------------------

    def _add_achievers(self, number: int, turn: Turn) -> None:
        """Notes where moves of a turn make literals of state variables true; what all moves do is no one's doing."""
        for move, effect in turn.effects.items():
            for variable, after in effect.items():
                if turn.common(variable) is None:
                    for sign in (0, 1):
                        made = self._composition.both(turn.legal[move], after ^ sign)
                        self._achievers.setdefault(2 * variable + sign, []).append((number, made))

    def _under(self, control: Mapping[int, int], literals: Sequence[int]) -> list[int]:
        """The literals at a state of control; loops stay as they are."""
        new = {0: FALSE}
        for variable in sorted(cone(literals, self._first_gate, self._composition.gates)):
            if variable < self._first_gate:
                new[variable] = control.get(variable, 2 * variable)
            else:
                self._composition.check()
                a, b = (new[part >> 1] ^ part & 1 for part in self._composition.gate(variable))
                new[variable] = self._conjunction(a, b)
        return [new[literal >> 1] ^ literal & 1 for literal in literals]

    def _conjunction(self, a: int, b: int) -> int:
        """The literal of a∧b, where a∧(a∨c) is a: what is said twice would look like two ways."""
        for one, other in ((a, b), (b, a)):
            if other & 1 and one ^ 1 in self._composition.gate(other >> 1):
                return one
        return self._composition.both(a, b)

    def _ordered(self) -> list[_Place]:
        """All places that the roots' costs depend on, each after what it reads; an atom of a loop after its driver."""
        found = set(self._roots)
        pending = list(self._roots)
        while pending:
            for read in self._reads(pending.pop()):
                if read not in found:
                    found.add(read)
                    pending.append(read)
        order: dict[_Place, None] = {}
        for place in sorted(place for place in found if self._is_feedback(place[1])):
            self._composition.check()
            order |= dict.fromkeys(self._cone(self._driver(place), order))
            order[place] = None
        for place in sorted(found):
            order |= dict.fromkeys(self._cone(place, order))
        return list(order)

    def _cone(self, place: _Place, done: Mapping[_Place, None]) -> list[_Place]:
        """A place and what it depends on in the same level, but for what is done and what loops give."""
        found: set[_Place] = set()
        pending = [place]
        while pending:
            place = pending.pop()
            if place not in done and place not in found and not self._is_feedback(place[1]):
                found.add(place)
                if place[1] >> 1 >= self._first_move:
                    pending += self._reads(place)
        return sorted(found)

    def _reads(self, place: _Place) -> Iterator[_Place]:
        """The places that the cost of a place depends on."""
        number, literal = place
        variable = literal >> 1
        if variable < self._first_move:
            yield from self._achievers.get(literal, ())
        elif variable < self._first_feedback:
            raise CompositionError("what it costs to win depends on moves")
        elif variable < self._first_gate:
            yield self._driver(place) if self._is_feedback(literal) else (number, literal ^ 1)
        else:
            yield from self._parts(place)

    def _is_feedback(self, literal: int) -> bool:
        return self._first_feedback <= literal >> 1 < self._first_gate and not literal & 1

    def _driver(self, place: _Place) -> _Place:
        number, literal = place
        return number, self._drivers[number][(literal >> 1) - self._first_feedback]

    def _parts(self, place: _Place) -> Iterable[_Place]:
        """The parts of a conjunction, or for a negative literal of a disjunction."""
        number, literal = place
        return ((number, part ^ literal & 1) for part in self._composition.gate(literal >> 1))

    def _is_disjunction(self, place: _Place) -> bool:
        return bool(place[1] & 1) and place[1] >> 1 >= self._first_gate

    def _copy(self, place: _Place) -> _Within:
        """The feedback inputs for an atom of a loop at this level; what costs nothing is one and the same."""
        number, literal = place
        copy = self._copies.of(self._first_view + number, literal >> 1, self._level)
        return copy if self._level else _Within.constant(copy.somehow)

    # ---- Costs -------------------------------------------------------------------------------------------------

    def _within(self, place: _Place) -> _Within:
        """What a place costs at this level, where all before it are known."""
        number, literal = place
        variable, either = literal >> 1, self._composition.any
        if not variable:
            return _Within.constant(literal)
        if variable < self._first_move:
            ways = self._achievers.get(literal, ()) if self._level else ()
            somehow = either([literal, *(self._costs[way][self._level - 1].somehow for way in ways)])
            return _Within(somehow, somehow, literal)
        if variable < self._first_gate:
            return _Within.constant(self._costs[number, literal ^ 1][0].somehow ^ 1)
        a, b = self._parts(place)
        if not self._level:
            parts = [self._costs[part][0].somehow for part in (a, b)]
            return _Within.constant(either(parts) if literal & 1 else self._composition.all(parts))
        return self._least(a, b) if literal & 1 else self._sum(a, b)

    def _least(self, a: _Place, b: _Place) -> _Within:
        """The cost of a disjunction."""
        one, other, either = self._costs[a][-1], self._costs[b][-1], self._composition.any
        return _Within(
            either([one.made, other.made]),
            either([one.somehow, other.somehow]),
            either([one.safe, other.safe, self._composition.both(one.made, other.made)]),
        )

    def _sum(self, a: _Place, b: _Place) -> _Within:
        """The cost of a conjunction: one part holds, or both cost something and are safe."""
        made, somehow, safe = self._paid(a, b), [], []
        for held, other in ((a, b), (b, a)):
            holds, cost = self._costs[held][0].somehow, self._costs[other][-1]
            somehow.append(self._composition.both(holds, cost.somehow))
            safe.append(self._composition.both(holds, cost.safe))
            if not self._is_disjunction(other):
                made.append(self._composition.both(holds, cost.made))
        either = self._composition.any
        return _Within(either(made), either([*made, *somehow]), either(safe))

    def _paid(self, a: _Place, b: _Place) -> list[int]:
        """The ways to share this level among two parts both of which cost something."""
        one = [self._safe(a, level) for level in range(self._level)]
        return [
            self._composition.both(one[level], self._safe(b, self._level - level))
            for level in range(1, self._level)
            if level == 1 or one[level] != one[level - 1]
        ]

    def _safe(self, place: _Place, level: int) -> int:
        """The literal of a cost being at most `level` even if the others close one way, where there are several."""
        cost = self._costs[place][level]
        return cost.safe if self._is_disjunction(place) else self._composition.any([cost.made, cost.safe])
