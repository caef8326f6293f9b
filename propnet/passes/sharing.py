"""Fold constants and keep one of equal gates.

x∧1 = x, x∧0 = 0, x∧x = x, x∧¬x = 0, and gates over the same literals are the same gate: one look-up in a
table of what is there (structural hashing).

Source: A. Kuehlmann et al., "Robust Boolean Reasoning for Equivalence Checking and Functional Property
Verification", 2002.
"""

from __future__ import annotations

from propnet.circuit import Circuit, Gate, identity

FALSE, TRUE = 0, 1


def share(circuit: Circuit) -> Circuit:
    """The circuit with its constants folded and no gate twice."""
    new = identity(circuit.first_gate)
    gates: list[Gate] = []
    known: dict[Gate, int] = {}
    for gate in circuit.gates:
        literals = folded({new[literal] for literal in gate})
        if len(literals) == 1:
            literal = literals[0]
        else:
            literal = known.setdefault(literals, 2 * (circuit.first_gate + len(gates)))
            if literal == 2 * (circuit.first_gate + len(gates)):
                gates.append(literals)
        new += (literal, literal ^ 1)
    return circuit.with_gates(gates, new)


def folded(literals: set[int]) -> Gate:
    """The conjunction without what is redundant in it: one literal, or two and more in ascending order."""
    literals.discard(TRUE)
    if FALSE in literals or any(literal ^ 1 in literals for literal in literals if literal & 1):
        return (FALSE,)
    return tuple(sorted(literals)) or (TRUE,)
