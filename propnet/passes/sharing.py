"""Fold constants and keep one of equal gates.

x∧1 = x, x∧0 = 0, x∧x = x, x∧¬x = 0, and gates over the same literals are the same gate: one look-up in a
table of what is there (structural hashing).

Source: A. Kuehlmann et al., "Robust Boolean Reasoning for Equivalence Checking and Functional Property
Verification", 2002.
"""

from __future__ import annotations

from ludens.propnet.network.circuit import Circuit, Gate, identity
from ludens.propnet.network.propnet import FALSE, TRUE


def share(circuit: Circuit) -> Circuit:
    """The circuit with its constants folded and no gate twice."""
    new = identity(circuit.first_gate)
    shared = Conjunctions(circuit.first_gate)
    for gate in circuit.gates:
        literal = shared.literal({new[literal] for literal in gate})
        new += (literal, literal ^ 1)
    return circuit.with_gates(shared.gates, new)


class Conjunctions:
    """Gates as they are made, each only once."""

    def __init__(self, first_gate: int) -> None:
        """No gates yet; the first will be variable `first_gate`."""
        self.gates: list[Gate] = []
        self._known: dict[Gate, int] = {}
        self._next = 2 * first_gate

    def literal(self, literals: set[int]) -> int:
        """The literal of a conjunction; takes the set over."""
        gate = folded(literals)
        if len(gate) == 1:
            return gate[0]
        literal = self._known.setdefault(gate, self._next)
        if literal == self._next:
            self.gates.append(gate)
            self._next += 2
        return literal


def folded(literals: set[int]) -> Gate:
    """The conjunction without what is redundant in it: one literal, or two and more in ascending order."""
    literals.discard(TRUE)
    if FALSE in literals or any(literal ^ 1 in literals for literal in literals if literal & 1):
        return (FALSE,)
    return tuple(sorted(literals)) or (TRUE,)
