"""A circuit composed with itself: what holds after each move, as gates over the present state.

For a move m, the inputs of a cone (of the end of the game, say) are replaced by the literals that drive them, and
in these m is made and the idle moves of the others. Folding constants and sharing equal gates then leave little,
since m changes little: all moves are composed on top of one composition without a move, and only what depends on
m is looked at again, as in event-driven simulation. Literals that are known to be true, because nobody asks where
they are not, are constants too.

Sources: E. Clarke, O. Grumberg, D. Peled, "Model Checking", 1999 (unrolling of the transition function);
A. Kuehlmann et al., "Robust Boolean Reasoning", 2002 (structural hashing); O. Coudert, J.-C. Madre, "A Unified
Framework for the Formal Verification of Sequential Circuits", 1990 (care sets).
"""

from __future__ import annotations

import heapq
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ludens.propnet.analysis.three_values import NOWHERE, Inputs, Known, evaluate, of_literal
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.circuit import Circuit, Gate, identity
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.passes.binary import Gates

# How much a row of similar steps will need is foreseen once this share of its time, and so many seconds, have passed.
_FORESEEN_AFTER, _FORESEEN_SECONDS = 0.1, 0.1
_PATIENCE = 2.0  # times the limit that a foreseen time may be: the machine may have been busy at first;
_ROOM_PATIENCE = 1.25  # ... and that a foreseen number of gates may be
_CHECKED = 4096  # gates between looks at the clock
_VALUES = 1 << 28  # bits that are held at once: of all gates, in some of the states


class CompositionError(LudensError):
    """A composition that needs more gates or time than allowed, or that is not possible."""


class OutOfTimeError(CompositionError):
    """A composition that takes more time than allowed, or would: with more time it may be possible."""


def check_growth(gates: int, allowed: int) -> None:
    """Raises `CompositionError` if more gates were added than are allowed."""
    if gates > allowed:
        raise CompositionError(f"it needs {gates} additional gates, and at most {allowed} are allowed")


def check_time(deadline: float) -> None:
    """Raises `OutOfTimeError` after `deadline` (clock.now())."""
    if now() > deadline:
        raise OutOfTimeError("it takes too much time")


class Composition:
    """Two-input gates over the inputs of a circuit: its own, and more, such as for its outputs after a move."""

    def __init__(self, circuit: Circuit, most_gates: int = sys.maxsize, deadline: float = math.inf) -> None:
        """Starts with the gates of the circuit, which keep their numbers, and may have `most_gates`, these included.

        It must be done by `deadline` (clock.now()).
        """
        self.circuit = circuit
        self._first_gate = circuit.first_gate
        self._most_gates, self._deadline = most_gates, deadline
        self._gates = Gates(circuit.first_gate)
        for gate in circuit.gates:
            self._gates.add(gate)
        self._known: dict[int, int] = {}  # literals that are constant while something is assumed
        self._fanout: dict[int, list[int]] = {}  # for each variable the gates that read it
        self._read = circuit.first_gate  # first gate that is not part of that yet

    @classmethod
    def from_network(cls, net: Propnet, more_gates: int, deadline: float) -> Composition:
        """A composition that starts with a network, and may add `more_gates` until `deadline` (clock.now())."""
        return cls(reopen(net), len(net.gates) + more_gates, deadline)

    @property
    def gates(self) -> Sequence[Gate]:
        """The gates of the circuit, followed by those that were added."""
        return self._gates.gates

    def extract(self, outputs: Sequence[int]) -> tuple[list[Gate], list[int]]:
        """The gates that some outputs depend on, and the outputs, renumbered: gates follow the propositions.

        `insert` adds them to any circuit of the same propositions. Outputs must not depend on moves.
        """
        new = {variable: 2 * variable for variable in range(self.circuit.first_move)}
        gates: list[Gate] = []
        for variable in self._cone(outputs):
            if variable >= self._first_gate:
                a, b = (_read(new, literal) for literal in self._gate(2 * variable))
                new[variable] = 2 * (self.circuit.first_move + len(gates))
                gates.append((a, b))
        return gates, [_read(new, out) for out in outputs]

    def insert(self, gates: Iterable[Gate], outputs: Iterable[int]) -> list[int]:
        """Adds the gates that `extract` returned, and returns its outputs as literals of this composition."""
        new = identity(self.circuit.first_move)
        for a, b in gates:
            literal = self.both(new[a], new[b])
            new += (literal, literal ^ 1)
        return [new[out] for out in outputs]

    def both(self, a: int, b: int) -> int:
        """The literal of a∧b."""
        return self._conjunction(a, b)

    @property
    def _conjunction(self) -> Callable[[int, int], int]:
        """The function that `both` is under the present assumptions, for many calls of it."""
        return self._conjunction_assumed if self._known else self._gates.conjunction

    def _conjunction_assumed(self, a: int, b: int) -> int:
        known = self._known
        literal = self._gates.conjunction(known.get(a, a), known.get(b, b))
        return known.get(literal, literal)

    def all(self, literals: Iterable[int]) -> int:
        """The literal of a conjunction; equal literals in the same order make equal gates."""
        joined = sorted({*literals}) or [TRUE]
        both = self._conjunction
        while len(joined) > 1:
            pairs = [both(a, b) for a, b in zip(joined[::2], joined[1::2], strict=False)]
            joined = pairs + joined[2 * len(pairs) :]
        return joined[0]

    def any(self, literals: Iterable[int]) -> int:
        """The literal of a disjunction."""
        return self.all(literal ^ 1 for literal in literals) ^ 1

    def gate(self, variable: int) -> Gate:
        """The two inputs of a gate; nothing for an input."""
        return self._gate(2 * variable)

    def implied(self, literal: int) -> set[int]:
        """The literals that are seen to hold where `literal` does: it, its conjuncts, and theirs."""
        found: set[int] = set()
        pending = [literal]
        while pending:
            literal = pending.pop()
            if literal not in found:
                found.add(literal)
                gate = self._gate(literal)
                if gate and not literal & 1:
                    pending += gate
        return found

    def implies(self, literal: int, disjunction: int) -> bool:
        """Whether `literal` is seen to imply `disjunction`: it is, or has as a conjunct, one of the disjuncts."""
        held = self.implied(literal)
        visited: set[int] = set()
        pending = [disjunction]
        while pending:
            literal = pending.pop()
            if literal in held:
                return True
            if literal & 1 and literal not in visited:
                visited.add(literal)
                pending += [part ^ 1 for part in self._gate(literal)]
        return False

    def inputs(self, literal: int) -> list[int]:
        """The input variables that a literal depends on, none of them of feedback. Raises `CompositionError`."""
        return [variable for variable in self._cone([literal]) if variable < self._first_gate]

    # ---- Assumptions -------------------------------------------------------------------------------------------

    def assume(self, literals: Iterable[int]) -> bool:
        """Takes the literals, and what follows by unit propagation, as true until `forget`.

        Returns False, and assumes nothing, if they contradict each other.
        """
        self.check()
        readers = self._all_readers()
        known = self._known = {FALSE: FALSE, TRUE: TRUE}
        pending = list(literals)
        while pending:
            literal = pending.pop()
            if known.get(literal, TRUE) == FALSE:
                self.forget()
                return False
            if literal in known:
                continue
            known[literal], known[literal ^ 1] = TRUE, FALSE
            pending += self._inputs_settled(literal)
            for variable in readers.get(literal >> 1, ()):
                pending += self._output_settled(variable)
        return True

    def assumed(self, literal: int) -> int:
        """The constant that a literal is under the present assumptions, or itself."""
        return self._known.get(literal, literal)

    def forget(self) -> None:
        """Drops all assumptions."""
        self._known = {}

    def _inputs_settled(self, literal: int) -> Sequence[int]:
        """The literals that follow for the inputs of a gate whose value is known."""
        gate = self._gate(literal)
        if not gate:
            return ()
        if not literal & 1:
            return gate
        return [b ^ 1 for a, b in (gate, gate[::-1]) if self._known.get(a) == TRUE]

    def _output_settled(self, variable: int) -> Sequence[int]:
        """The literals that follow for a gate one of whose inputs is known, and for its other input."""
        gate = self._gate(2 * variable)
        values = [self._known.get(literal) for literal in gate]
        if FALSE in values:
            return (2 * variable + 1,)
        if None not in values:
            return (2 * variable,)
        return self._inputs_settled(2 * variable + 1) if self._known.get(2 * variable) == FALSE else ()

    # ---- One move ahead ----------------------------------------------------------------------------------------

    def after(
        self, outputs: Sequence[int], moves: Sequence[int], idle: Iterable[int], passes: int = 1
    ) -> list[list[int]]:
        """For each of `moves` (input variables), the `outputs` as they will be once it and `idle` are made.

        Outputs must not depend on moves, and nothing on feedback. Raises `CompositionError`, also if it can be foreseen
        that time or room will not suffice for so many `passes` of this size.
        """
        circuit = self.circuit
        cone = self._cone(outputs)
        state = [variable for variable in cone if variable < circuit.first_gate]
        drivers = [circuit.next[variable - 1] for variable in state]
        step = self._cone(drivers)
        made = dict.fromkeys(idle, TRUE)
        base = {v: made.get(v, FALSE if v >= circuit.first_move else 2 * v) for v in step if v < circuit.first_gate}
        self._rebuild(base, step)
        ahead = {v: _read(base, literal) for v, literal in zip(state, drivers, strict=True)}
        self._rebuild(ahead, cone)

        step_readers, readers = self._readers(step), self._readers(cone)
        driven: dict[int, list[int]] = {}
        for variable, literal in zip(state, drivers, strict=True):
            driven.setdefault(literal >> 1, []).append(variable)
        found: list[list[int]] = []
        began, before = now(), len(self.gates)
        for move in moves:
            change = self._ripple(base, {move: TRUE} if move in base else {}, step_readers)
            touched = {v: _read(change, circuit.next[v - 1]) for source in change for v in driven.get(source, ())}
            after = self._ripple(ahead, {v: new for v, new in touched.items() if new != ahead[v]}, readers)
            found.append([_read(after, out) if out >> 1 in after else _read(ahead, out) for out in outputs])
            self._check_pace(began, before, len(found) / len(moves) / passes)
        return found

    def count(self, literals: Iterable[int]) -> list[int]:
        """How many of the literals hold, as binary digits, the least significant first: a tree of full adders."""
        columns = [[literal for literal in literals if literal != FALSE]]
        digits = []
        while columns:
            column, carries = columns.pop(0), []
            while len(column) > 1:
                (a, b), c = (column.pop(), column.pop()), column.pop() if column else FALSE
                either = self._differ(a, b)
                column.insert(0, self._differ(either, c))
                carries.append(self.any([self.both(a, b), self.both(either, c)]))
            digits += column or [FALSE]
            if carries:
                columns.append(carries)
            self.check()
        return digits

    def at_least(self, digits: Sequence[int], bound: int) -> int:
        """Whether the number of these binary digits, the least significant first, is at least `bound`."""
        if bound >> len(digits):
            return FALSE
        result = TRUE
        for place, digit in enumerate(digits):
            result = self.both(digit, result) if bound >> place & 1 else self.any([digit, result])
        return result

    def _differ(self, a: int, b: int) -> int:
        """The literal of a≠b."""
        return self.any([self.both(a, b ^ 1), self.both(a ^ 1, b)])

    # ---- Three values ------------------------------------------------------------------------------------------

    def certain(self, outputs: Sequence[int], inputs: Inputs) -> list[int]:
        """For each output a literal that holds only where the output does, whatever is unknown of the inputs.

        `inputs` gives for an input variable the literals of its being known to be true, and known to be false.
        Unknown is what neither says (S. C. Kleene's three values, on two rails).
        """

        both = self._conjunction

        def either(a: int, b: int) -> int:
            return both(a ^ 1, b ^ 1) ^ 1

        return [true for true, _ in self._rails(outputs, inputs, (FALSE, TRUE), both, either)]

    def certain_cases(self, outputs: Sequence[int], inputs: Inputs) -> list[int]:
        """For each output the cases in which it holds, whatever is unknown of the inputs: case i is bit i.

        `inputs` gives for an input variable the cases in which it is known to be true, and known to be false. All
        cases are looked at together, in two operations a gate on numbers of as many bits.
        """
        return [true for true, _ in self._rails(outputs, inputs, NOWHERE, operator.and_, operator.or_)]

    def _rails(
        self,
        outputs: Sequence[int],
        inputs: Inputs,
        false: Known,
        both: Callable[[int, int], int],
        either: Callable[[int, int], int],
    ) -> list[Known]:
        """For each output when it is known to be true, and known to be false, as `both` and `either` join that."""
        cone, gates = self._cone(outputs), self._gates.gates
        known = evaluate(cone, gates, self._first_gate, inputs, false, both, either, self.check)
        return [of_literal(out, known) for out in outputs]

    # ---- Given states ------------------------------------------------------------------------------------------

    def values(self, outputs: Sequence[int], states: BoolArray) -> BoolArray:
        """[n, outputs] whether each output, which must not depend on moves, holds in states [n, S].

        Many states are looked at together, in a few operations a gate on numbers of as many bits.
        """
        cone = self._cone(outputs)
        most = max(1, _VALUES // (1 + len(cone)))
        parts = [self._values(outputs, cone, states[first : first + most]) for first in range(0, len(states), most)]
        return np.concatenate(parts) if parts else np.zeros((0, len(outputs)), np.bool_)

    def _values(self, outputs: Sequence[int], cone: Sequence[int], states: BoolArray) -> BoolArray:
        every = (1 << len(states)) - 1
        columns = np.packbits(states.T, axis=1, bitorder="little")
        values = {0: 0}
        for number, variable in enumerate(cone):
            if number % _CHECKED == 0:
                self.check()
            if variable < self.circuit.first_move:
                values[variable] = int.from_bytes(columns[variable - 1].tobytes(), "little")
            elif variable >= self._first_gate:
                a, b = self._gate(2 * variable)
                left, right = values[a >> 1], values[b >> 1]
                values[variable] = (left ^ every if a & 1 else left) & (right ^ every if b & 1 else right)
        length = columns.shape[1]
        rows = [(values[out >> 1] ^ (every if out & 1 else 0)).to_bytes(length, "little") for out in outputs]
        bits = np.frombuffer(b"".join(rows), np.uint8).reshape(len(outputs), length)
        return np.unpackbits(bits, axis=1, count=len(states), bitorder="little").T.astype(np.bool_)

    # ---- Cofactors ---------------------------------------------------------------------------------------------

    def under(self, constants: Mapping[int, int], outputs: Sequence[int]) -> list[int]:
        """The outputs where some input variables are constants. Raises `CompositionError`."""
        values = self._substituted(constants, self._cone(outputs))
        return [_read(values, out) for out in outputs]

    def cofactors(
        self, constants: Mapping[int, int], outputs: Sequence[int], inputs: Sequence[int], passes: int = 1
    ) -> Iterator[list[int]]:
        """For each of `inputs`, false among the constants, the outputs where it is true. For `passes` see `after`."""
        plain, changes = self.changes(constants, outputs, inputs, passes)
        for changed in changes:
            yield [changed.get(place, same) for place, same in enumerate(plain)]

    def changes(
        self, constants: Mapping[int, int], outputs: Sequence[int], inputs: Sequence[int], passes: int = 1
    ) -> tuple[list[int], Iterator[dict[int, int]]]:
        """The outputs where some inputs are constants; for each of `inputs`, false there, those it changes, by place.

        It raises `CompositionError`, also while changes are asked for: if time or room will not suffice for all.
        """
        values = self._substituted(constants, cone := self._cone(outputs))
        return [_read(values, out) for out in outputs], self._changed(values, cone, outputs, inputs, passes)

    def _changed(
        self, values: Mapping[int, int], cone: Sequence[int], outputs: Sequence[int], inputs: Sequence[int], passes: int
    ) -> Iterator[dict[int, int]]:
        readers = self._readers(cone)
        places: dict[int, list[int]] = {}
        for place, out in enumerate(outputs):
            places.setdefault(out >> 1, []).append(place)
        began, before = now(), len(self.gates)
        for number, variable in enumerate(inputs, 1):
            change = self._ripple(values, {variable: TRUE} if variable in values else {}, readers)
            yield {place: _read(change, outputs[place]) for source in change for place in places.get(source, ())}
            self._check_pace(began, before, number / len(inputs) / passes)

    def _substituted(self, constants: Mapping[int, int], cone: list[int]) -> dict[int, int]:
        """The literals that replace the variables of a cone where some inputs are constants."""
        values = {v: constants.get(v, 2 * v) for v in cone if v < self._first_gate}
        self._rebuild(values, cone)
        return values

    def _rebuild(self, values: dict[int, int], cone: list[int]) -> None:
        """Adds to `values`, the literals that replace inputs, those that replace the gates of a cone."""
        values[0] = FALSE
        known, both = self._known, self._conjunction
        for variable in cone:
            if variable in values:
                values[variable] = known.get(values[variable], values[variable])
            else:
                a, b = self._gate(2 * variable)
                values[variable] = both(_read(values, a), _read(values, b))
        self.check()

    def _ripple(self, base: Mapping[int, int], inputs: dict[int, int], readers: _Readers) -> dict[int, int]:
        """The literals that differ from those of `base` once these `inputs` do, by variable."""
        changed = dict(inputs)
        queue = list({reader for variable in changed for reader in readers.get(variable, ())})
        heapq.heapify(queue)
        queued = set(queue)
        both, gates, first_gate = self._conjunction, self._gates.gates, self._first_gate
        while queue:
            variable = heapq.heappop(queue)
            a, b = gates[variable - first_gate]
            literal = both(changed.get(a >> 1, base[a >> 1]) ^ a & 1, changed.get(b >> 1, base[b >> 1]) ^ b & 1)
            if literal == base[variable]:
                continue
            changed[variable] = literal
            for reader in readers.get(variable, ()):
                if reader not in queued:
                    queued.add(reader)
                    heapq.heappush(queue, reader)
        return changed

    def _cone(self, literals: Iterable[int]) -> list[int]:
        """The variables that the literals depend on, in topological order."""
        self.check()
        first_feedback, first_gate = self.circuit.first_feedback, self._first_gate
        gates = self._gates.gates
        found: set[int] = set()
        pending = [literal >> 1 for literal in literals]
        while pending:
            variable = pending.pop()
            if variable in found or not variable:
                continue
            found.add(variable)
            if variable >= first_gate:
                a, b = gates[variable - first_gate]
                pending += (a >> 1, b >> 1)
            elif variable >= first_feedback:
                raise CompositionError("the result of a move depends on recursive rules")
        return sorted(found)

    def _readers(self, variables: Iterable[int]) -> _Readers:
        """For each variable the gates among `variables` that read it."""
        readers: dict[int, list[int]] = {}
        for variable in variables:
            for literal in self._gate(2 * variable):
                readers.setdefault(literal >> 1, []).append(variable)
        return readers

    def _all_readers(self) -> _Readers:
        """For each variable the gates that read it."""
        end = self._first_gate + len(self.gates)
        for variable in range(self._read, end):
            for literal in self._gate(2 * variable):
                self._fanout.setdefault(literal >> 1, []).append(variable)
        self._read = end
        return self._fanout

    def _gate(self, literal: int) -> Gate:
        """The two inputs of a gate; nothing for an input."""
        place = (literal >> 1) - self._first_gate
        return self._gates.gates[place] if place >= 0 else ()

    def _check_pace(self, began: float, gates: int, share: float) -> None:
        """Raises `CompositionError` if what is done to so large a share would take too much time or room in all.

        It began at a time (clock.now()), with so many `gates`.
        """
        self.check()
        spent = now() - began
        if spent < max(_FORESEEN_SECONDS, _FORESEEN_AFTER * (self._deadline - began)):
            return
        if spent > _PATIENCE * share * (self._deadline - began):
            raise OutOfTimeError("it would take too much time")
        if len(self.gates) - gates > _ROOM_PATIENCE * share * (self._most_gates - gates):
            raise CompositionError(f"it would need more than {self._most_gates} gates")

    def check(self) -> None:
        """Raises `CompositionError` once there are too many gates, or it is too late."""
        if len(self.gates) > self._most_gates:
            raise CompositionError(f"it needs more than {self._most_gates} gates")
        check_time(self._deadline)


_Readers = Mapping[int, Sequence[int]]


def _read(values: Mapping[int, int], literal: int) -> int:
    return values[literal >> 1] ^ literal & 1
