"""How the propositions of a network can change, read off its gates: proven, not sampled.

A proposition *latches* true (false) if its next value is true (false) whenever it is, whatever else holds and is
played, by three-valued evaluation; it *flips* if its next value is always the other. A literal *stays* if, once
true, it is true for good: it latches itself, or is a conjunction or disjunction of literals that stay.

Source: M. Genesereth, M. Thielscher, "General Game Playing", 2014 (latches).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from propnet.circuit import Circuit
from propnet.errors import LudensError


class UnfinishedError(LudensError):
    """An analysis that was not done in time."""


@dataclass(frozen=True, slots=True)
class Changes:
    """State bits by how they change, each proven."""

    latch_true: frozenset[int]
    latch_false: frozenset[int]
    flip: frozenset[int]


def changes(circuit: Circuit, deadline: float) -> Changes:
    """Which propositions latch or flip. Raises `UnfinishedError` after `deadline` (time.monotonic())."""
    true: set[int] = set()
    false: set[int] = set()
    flip: set[int] = set()
    readers = _readers(circuit)
    for proposition, literal in enumerate(circuit.next):
        _check(deadline)
        where_true = _constants(circuit, readers, 2 * (1 + proposition))
        where_false = _constants(circuit, readers, 2 * (1 + proposition) + 1)
        if literal in where_true:
            true.add(proposition)
        if literal ^ 1 in where_false:
            false.add(proposition)
        if literal ^ 1 in where_true and literal in where_false:
            flip.add(proposition)
    return Changes(frozenset(true), frozenset(false), frozenset(flip))


def _constants(circuit: Circuit, readers: Sequence[Sequence[int]], literal: int) -> set[int]:
    """The literals that are true where one is, by three-valued evaluation with all other inputs unknown."""
    true = {1}
    pending = [literal]
    while pending:
        literal = pending.pop()
        if literal in true:
            continue
        true.add(literal)
        for gate in readers[literal >> 1]:
            inputs = circuit.gates[gate - circuit.first_gate]
            if any(part ^ 1 in true for part in inputs):
                pending.append(2 * gate + 1)
            elif all(part in true for part in inputs):
                pending.append(2 * gate)
    return true


def _readers(circuit: Circuit) -> list[list[int]]:
    """For each variable the gates that read it."""
    readers: list[list[int]] = [[] for _ in range(circuit.first_gate + len(circuit.gates))]
    for variable, gate in enumerate(circuit.gates, circuit.first_gate):
        for literal in gate:
            readers[literal >> 1].append(variable)
    return readers


def stays(circuit: Circuit, found: Changes, literal: int) -> bool:
    """Whether a literal, once true, is proven to stay so."""
    seen: set[int] = set()
    pending = [literal]
    while pending:
        literal = pending.pop()
        if literal in seen or literal < 2:
            continue
        seen.add(literal)
        variable = literal >> 1
        if variable >= circuit.first_gate:
            pending += [part ^ literal & 1 for part in circuit.gates[variable - circuit.first_gate]]
        elif variable - 1 not in (found.latch_false if literal & 1 else found.latch_true):
            return False
    return True


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise UnfinishedError("not done in time")
