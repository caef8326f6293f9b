"""Factor disjunctions of conjunctions: ab + ac + d becomes a(b + c) + d, down to the last common literal.

Ground instances of one rule differ in a literal or two, so the rest is common to many of them. The
conjunctions of one disjunction are grouped by the literal of each that occurs most often among them, what all
of a group have in common is taken out, and each group is factored in turn; so the work is linear in the text for
each level of nesting. Only gates with a single reader are opened, since opening others would copy them.

Source: R. Brayton, "Factoring Logic Functions", IBM Journal of Research and Development, 1987 (literal
factoring); as propnets use it: E. Cox et al., 2009.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ludens.propnet.network.circuit import Circuit, Gate, identity
from ludens.propnet.network.propnet import FALSE
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
        groups = _groups(cubes)
        reached = [*groups]  # each before its parts
        for group in reached:
            group.parts = _groups(group.rest)
            reached += group.parts
        for group in reversed(reached):
            rest = [self._gate(part.literal ^ 1 for part in group.parts) ^ 1] if group.parts else []
            group.literal = self._gate([*group.common, *rest])
        return [group.literal ^ 1 for group in groups]

    def _gate(self, literals: Iterable[int]) -> int:
        return self._gates.literal(set(literals))


@dataclass(slots=True)
class _Group:
    """Cubes with literals in common; their disjunction is these and, if there are parts, one of the parts."""

    common: Collection[int]
    rest: Cubes  # what each cube has besides; none where that is nothing for some cube
    parts: list[_Group] = field(default_factory=list)  # groups of the rest
    literal: int = FALSE  # of the disjunction, once its gate is made


def _groups(cubes: Cubes) -> list[_Group]:
    """The cubes by the literal of each that occurs most often among them."""
    if len(cubes) <= 1:
        return [_Group(cube, []) for cube in cubes]
    count = Counter(literal for cube in cubes for literal in cube)
    groups: dict[int, Cubes] = {}
    for cube in cubes:
        groups.setdefault(max(cube, key=lambda literal: (count[literal], -literal)), []).append(cube)
    return [_group(group) for group in groups.values()]


def _group(cubes: Cubes) -> _Group:
    common = set(cubes[0]).intersection(*cubes[1:])
    rest: Cubes = [tuple([literal for literal in cube if literal not in common]) for cube in cubes]
    return _Group(common, [] if () in rest else rest)


def _readers(circuit: Circuit) -> list[int]:
    """How many gates read each variable; anything that the circuit gives out counts as two."""
    readers = [0] * (circuit.first_gate + len(circuit.gates))
    for gate in circuit.gates:
        for literal in gate:
            readers[literal >> 1] += 1
    for literal in [*circuit.next, *circuit.feedback, *circuit.outputs]:
        readers[literal >> 1] += 2
    return readers
