"""Factor disjunctions of conjunctions: ab + ac + d becomes a(b + c) + d, down to the last common literal.

Ground instances of one rule differ in a literal or two, so the rest is common to many of them. The
conjunctions of one disjunction are grouped by the literal of each that occurs most often among them, the
literal is taken out, and each group is factored in turn; so the work is linear in the text for each level of
nesting. Only gates with a single reader are opened, since opening others would copy them.

Source: R. Brayton, "Factoring Logic Functions", IBM Journal of Research and Development, 1987 (literal
factoring); as propnets use it: E. Cox et al., 2009.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ludens.propnet.network.circuit import Circuit, Gate, identity
from ludens.propnet.passes.sharing import Conjunctions, folded

Cubes = list[Gate]
"""Conjunctions whose disjunction is denied: [ab, ac] stands for ¬(ab)∧¬(ac)."""


def factor(circuit: Circuit) -> Circuit:
    """The circuit with its disjunctions of conjunctions factored; nested conjunctions are opened."""
    return _LiteralFactoring(circuit).run()


class _LiteralFactoring:
    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._new = identity(circuit.first_gate)
        self._gates = Conjunctions(circuit.first_gate)
        self._open: dict[int, tuple[list[int], Cubes]] = {}  # gates not yet made: literals, denied cubes

    def run(self) -> Circuit:
        circuit, new = self._circuit, self._new
        readers = _readers(circuit)
        for variable, gate in enumerate(circuit.gates, circuit.first_gate):
            literals, cubes = self._content(gate)
            if readers[variable] == 1:
                self._open[variable] = literals, cubes
                new += (-1, -1)
            else:
                literal = self._gate([*literals, *self._denials(cubes)])
                new += (literal, literal ^ 1)
        return circuit.with_gates(self._gates.gates, new)

    def _content(self, gate: Gate) -> tuple[list[int], Cubes]:
        literals: list[int] = []
        cubes: Cubes = []
        for literal in gate:
            inside = self._open.pop(literal >> 1, None)
            if inside is None:
                literals.append(self._new[literal])
            elif literal & 1:
                cubes.append(folded({*inside[0], *self._denials(inside[1])}))
            else:
                literals += inside[0]
                cubes += inside[1]
        return literals, cubes

    def _denials(self, cubes: Cubes) -> list[int]:
        """Literals whose conjunction denies all the cubes."""
        if len(cubes) <= 1:
            return [self._gate(cube) ^ 1 for cube in cubes]
        count = Counter(literal for cube in cubes for literal in cube)
        groups: dict[int, Cubes] = {}
        for cube in cubes:
            groups.setdefault(max(cube, key=lambda literal: (count[literal], -literal)), []).append(cube)
        return [self._group(literal, group) ^ 1 for literal, group in groups.items()]

    def _group(self, literal: int, cubes: Cubes) -> int:
        """The disjunction of cubes that have a literal in common."""
        if len(cubes) == 1:
            return self._gate(cubes[0])
        if (literal,) in cubes:
            return literal
        rest = [tuple([other for other in cube if other != literal]) for cube in cubes]
        return self._gate([literal, self._gate(self._denials(rest)) ^ 1])

    def _gate(self, literals: Iterable[int]) -> int:
        return self._gates.literal(set(literals))


def _readers(circuit: Circuit) -> list[int]:
    """How many gates read each variable; anything that the circuit gives out counts as two."""
    readers = [0] * (circuit.first_gate + len(circuit.gates))
    for gate in circuit.gates:
        for literal in gate:
            readers[literal >> 1] += 1
    for literal in [*circuit.next, *circuit.feedback, *circuit.outputs]:
        readers[literal >> 1] += 2
    return readers
