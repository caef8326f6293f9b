"""How the propositions of a network can change, read off its gates: proven, not sampled.

A proposition *latches* true (false) if its next value is true (false) whenever it is, whatever else holds and is
played, by three-valued evaluation; it *flips* if its next value is always the other. A literal *stays* if, once
true, it is true for good: it latches itself, or is a conjunction or disjunction of literals that stay.

Source: M. Genesereth, M. Thielscher, "General Game Playing", 2014 (latches, inhibitors).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ludens.propnet.analysis.composition import check_time
from ludens.propnet.analysis.control import inputs_of
from ludens.propnet.network.circuit import Circuit, cone


@dataclass(frozen=True, slots=True)
class Changes:
    """State bits by how they change, each proven."""

    latch_true: frozenset[int]
    latch_false: frozenset[int]
    flip: frozenset[int]


def changes(circuit: Circuit, deadline: float) -> Changes:
    """Which propositions latch or flip. Raises `CompositionError` after `deadline` (time.monotonic())."""
    true: set[int] = set()
    false: set[int] = set()
    flip: set[int] = set()
    readers = _readers(circuit, circuit.next)
    for proposition, literal in enumerate(circuit.next):
        check_time(deadline)
        where_true = _constants(circuit, readers, [2 * (1 + proposition)])
        where_false = _constants(circuit, readers, [2 * (1 + proposition) + 1])
        if literal in where_true:
            true.add(proposition)
        if literal ^ 1 in where_false:
            false.add(proposition)
        if literal ^ 1 in where_true and literal in where_false:
            flip.add(proposition)
    return Changes(frozenset(true), frozenset(false), frozenset(flip))


class Inhibitors:
    """Finds the literals that keep propositions from ever becoming true.

    A literal *inhibits* a proposition that does not hold if it stays once it holds and, wherever it holds, whatever
    legal moves are made leave the proposition false.
    """

    def __init__(self, circuit: Circuit, deadline: float) -> None:
        """Raises `CompositionError` after `deadline` (time.monotonic()), as do all its methods."""
        self._circuit, self._deadline = circuit, deadline
        self._readers = _readers(circuit, [*circuit.next, *circuit.legal])
        found = changes(circuit, deadline)
        self._latched = [2 * (1 + p) for p in found.latch_true] + [2 * (1 + p) + 1 for p in found.latch_false]

    def of(self, proposition: int) -> list[int]:
        """The literals that inhibit a proposition."""
        circuit, driver = self._circuit, self._circuit.next[proposition]
        moves = [v for v in inputs_of(circuit, [driver]) if circuit.first_move <= v < circuit.first_feedback]
        near = inputs_of(circuit, [driver, *(circuit.legal[v - circuit.first_move] for v in moves)])
        found = []
        for literal in self._latched:
            if literal >> 1 in near and literal >> 1 != 1 + proposition:
                check_time(self._deadline)
                if driver ^ 1 in self._where(literal, 2 * (1 + proposition) + 1):
                    found.append(literal)
        return found

    def _where(self, *literals: int) -> set[int]:
        """All literals that hold where some do, and only legal moves are made."""
        true = _constants(self._circuit, self._readers, literals)
        illegal = [
            2 * m + 1 for m, legal in enumerate(self._circuit.legal, self._circuit.first_move) if legal ^ 1 in true
        ]
        return _constants(self._circuit, self._readers, [*literals, *illegal])


def _constants(circuit: Circuit, readers: Mapping[int, Sequence[int]], literals: Iterable[int]) -> set[int]:
    """The literals that are true where some are, by three-valued evaluation with all other inputs unknown."""
    true = {1}
    pending = list(literals)
    while pending:
        literal = pending.pop()
        if literal in true:
            continue
        true.add(literal)
        for gate in readers.get(literal >> 1, ()):
            inputs = circuit.gates[gate - circuit.first_gate]
            if any(part ^ 1 in true for part in inputs):
                pending.append(2 * gate + 1)
            elif all(part in true for part in inputs):
                pending.append(2 * gate)
    return true


def _readers(circuit: Circuit, literals: Iterable[int]) -> dict[int, list[int]]:
    """For each variable that the literals depend on, the gates between that read it."""
    readers: dict[int, list[int]] = {v: [] for v in cone(literals, circuit.first_gate, circuit.gates)}
    for variable in readers:
        for literal in circuit.gates[variable - circuit.first_gate] if variable >= circuit.first_gate else ():
            readers[literal >> 1].append(variable)
    return readers


def stays(circuit: Circuit, found: Changes, literal: int) -> bool:
    """Whether a literal, once true, is proven to stay so."""
    visited: set[int] = set()
    pending = [literal]
    while pending:
        literal = pending.pop()
        if literal in visited or literal < 2:
            continue
        visited.add(literal)
        variable = literal >> 1
        if variable >= circuit.first_gate:
            pending += [part ^ literal & 1 for part in circuit.gates[variable - circuit.first_gate]]
        elif variable - 1 not in (found.latch_false if literal & 1 else found.latch_true):
            return False
    return True
