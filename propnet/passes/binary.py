"""Split wide conjunctions into two-input gates, so that they share as many of these as possible.

The literals of a gate are cut where their numbers part: those that agree in all but the last bits are joined
first (the radix trie of D. Morrison's "PATRICIA", 1968, over sorted literals). So any two gates share what
they have in common in an aligned range of literals, and "all moves but a few" costs a few gates each time;
trees are at most as deep as numbers have bits.
"""

from __future__ import annotations

from itertools import pairwise

from ludens.propnet.network.circuit import Circuit, Gate, identity
from ludens.propnet.network.propnet import FALSE, TRUE


def binary(circuit: Circuit) -> Circuit:
    """The circuit with gates of two inputs, equal ones shared."""
    new = identity(circuit.first_gate)
    gates = Gates(circuit.first_gate)
    for gate in circuit.gates:
        literal = gates.tree(sorted([new[literal] for literal in gate]))
        new += (literal, literal ^ 1)
    return circuit.with_gates(gates.gates, new)


class Gates:
    """Two-input gates as they are made, each only once."""

    def __init__(self, first_gate: int) -> None:
        """No gates yet; the first will be variable `first_gate`."""
        self.gates: list[Gate] = []
        self._first = first_gate
        self._known: dict[Gate, int] = {}

    def tree(self, literals: list[int]) -> int:
        """The conjunction of the literals, which must ascend: split by their common prefixes."""
        joined = [literals[0]]
        levels: list[int] = []  # bits in which neighbours differ
        for last, literal in pairwise(literals):
            level = (last ^ literal).bit_length()
            while levels and levels[-1] <= level:
                levels.pop()
                right = joined.pop()
                joined[-1] = self.conjunction(joined[-1], right)
            joined.append(literal)
            levels.append(level)
        while len(joined) > 1:
            right = joined.pop()
            joined[-1] = self.conjunction(joined[-1], right)
        return joined[0]

    def add(self, gate: Gate) -> None:
        """Adds a gate of two inputs as it is, in ascending order."""
        self._known[gate] = 2 * (self._first + len(self.gates))
        self.gates.append(gate)

    def conjunction(self, a: int, b: int) -> int:
        """The literal of a∧b."""
        if a > b:
            a, b = b, a
        if a == FALSE or a ^ 1 == b:
            return FALSE
        if a in (TRUE, b):
            return b
        literal = self._known.get((a, b))
        if literal is None:
            literal = 2 * (self._first + len(self.gates))
            self.add((a, b))
        return literal
