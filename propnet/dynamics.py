"""How the propositions of a network can change, read off its gates: proven, not sampled.

A proposition *latches* true (false) if its next value is true (false) whenever it is, whatever else holds and is
played, by three-valued evaluation; it *flips* if its next value is always the other. A literal *stays* if, once
true, it is true for good: it latches itself, or is a conjunction or disjunction of literals that stay.

Propositions and moves that no chain of legality and next values connects are *factors*: independent sub-games.
They may share control states that run by themselves; goals may depend on all of them; the game ends when one of
them does, or when all do: the end is a disjunction, or a conjunction, of conditions of one factor each.

Sources: M. Genesereth, M. Thielscher, "General Game Playing", 2014 (latches, factoring); E. Cox et al., "Factoring
General Games using Propositional Automata", 2009.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class Factor:
    """Propositions, and moves of all roles together, that no other factor has to do with."""

    propositions: tuple[int, ...]
    moves: tuple[int, ...]


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


def factors(circuit: Circuit, free: Iterable[int], deadline: float) -> tuple[Factor, ...]:
    """The factors that have moves with an effect, where propositions in `free` join nothing.

    Free may be whatever runs by itself. Raises `UnfinishedError` after `deadline`.
    """
    support = supports(circuit, deadline)
    ignored = sum(1 << (1 + proposition) for proposition in free)
    parent = list(range(circuit.first_feedback))

    def root(variable: int) -> int:
        while parent[variable] != variable:
            parent[variable] = parent[parent[variable]]
            variable = parent[variable]
        return variable

    for variable, literal in enumerate([*circuit.next, *circuit.legal], 1):
        _check(deadline)
        if ignored >> variable & 1:
            continue
        for other in _bits(support[literal >> 1] & ~ignored):
            parent[root(other)] = root(variable)
    for part in _parts(circuit, circuit.terminal):
        first, *others = [*_bits(support[part >> 1] & ~ignored)] or [0]
        for other in others:
            parent[root(other)] = root(first)
    members: dict[int, list[int]] = {}
    for variable in range(1, circuit.first_feedback):
        if not ignored >> variable & 1:
            members.setdefault(root(variable), []).append(variable)
    found = []
    for variables in members.values():
        propositions = tuple(v - 1 for v in variables if v < circuit.first_move)
        moves = tuple(v - circuit.first_move for v in variables if v >= circuit.first_move)
        if propositions and moves:
            found.append(Factor(propositions, moves))
    return tuple(found)


def _parts(circuit: Circuit, literal: int) -> list[int]:
    """What the literal is a conjunction of, or else a disjunction, up to complement."""
    parts: list[int] = []
    pending = [literal & ~1]
    while pending:
        literal = pending.pop()
        variable = literal >> 1
        if variable >= circuit.first_gate and not literal & 1:
            pending += circuit.gates[variable - circuit.first_gate]
        else:
            parts.append(literal)
    return parts


def supports(circuit: Circuit, deadline: float) -> list[int]:
    """For each variable a bit set of the state bits and moves (by variable) that it depends on."""
    support = [0, *(1 << v for v in range(1, circuit.first_feedback)), *[0] * len(circuit.feedback)]
    support += [0] * len(circuit.gates)
    while True:
        _check(deadline)
        for variable, gate in enumerate(circuit.gates, circuit.first_gate):
            support[variable] = _union(support, gate)
        fed_back = [support[literal >> 1] for literal in circuit.feedback]
        if support[circuit.first_feedback : circuit.first_gate] == fed_back:
            return support
        support[circuit.first_feedback : circuit.first_gate] = fed_back


def _union(support: list[int], literals: Sequence[int]) -> int:
    result = 0
    for literal in literals:
        result |= support[literal >> 1]
    return result


def _bits(mask: int) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise UnfinishedError("not done in time")
