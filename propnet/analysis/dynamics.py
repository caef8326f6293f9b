"""How the propositions of a network can change, read off its gates: proven, not sampled.

A proposition *latches* true (false) if its next value is true (false) whenever it is, whatever else holds and is
played, by three-valued evaluation; it *flips* if its next value is always the other. A literal *stays* if, once
true, it is true for good: it latches itself, or is a conjunction or disjunction of literals that stay.

Source: M. Genesereth, M. Thielscher, "General Game Playing", 2014 (latches, inhibitors).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ludens.propnet.analysis.composition import check_time
from ludens.propnet.analysis.control import inputs_of
from ludens.propnet.analysis.three_values import NOWHERE, UNKNOWN, Known, evaluate, of_literal
from ludens.propnet.network.circuit import Circuit, cone

_VALUES = 1 << 28  # bits that are held at once: of all gates, in some of the cases


@dataclass(frozen=True, slots=True)
class Changes:
    """State bits by how they change, each proven."""

    latch_true: frozenset[int]
    latch_false: frozenset[int]
    flip: frozenset[int]


def changes(circuit: Circuit, deadline: float) -> Changes:
    """Which propositions latch or flip. Raises `CompositionError` after `deadline` (clock.now())."""
    latch_true, latch_false, flip = (set[int]() for _ in range(3))
    size = max(1, _together(circuit) // 2)
    for first in range(0, len(circuit.next), size):
        part = range(first, min(first + size, len(circuit.next)))
        known = {}  # in case 2i the i-th proposition holds, and in case 2i + 1 it does not
        for i, proposition in enumerate(part):
            known[1 + proposition] = 1 << 2 * i, 2 << 2 * i
        following = _in_cases(circuit, [circuit.next[proposition] for proposition in part], known, deadline)
        for i, (proposition, (true, false)) in enumerate(zip(part, following, strict=True)):
            after_true, after_false = true >> 2 * i & 3, false >> 2 * i & 3
            if after_true & 1:
                latch_true.add(proposition)
            if after_false & 2:
                latch_false.add(proposition)
            if after_true & 2 and after_false & 1:
                flip.add(proposition)
    return Changes(frozenset(latch_true), frozenset(latch_false), frozenset(flip))


class Inhibitors:
    """Finds the literals that keep propositions from ever becoming true.

    A literal *inhibits* a proposition that does not hold if it stays once it holds and, wherever it holds, whatever
    legal moves are made leave the proposition false.
    """

    def __init__(self, circuit: Circuit, deadline: float) -> None:
        """Raises `CompositionError` after `deadline` (clock.now()), as do all its methods."""
        self._circuit, self._deadline = circuit, deadline
        found = changes(circuit, deadline)
        self._latched = [2 * (1 + p) for p in found.latch_true] + [2 * (1 + p) + 1 for p in found.latch_false]

    def of(self, proposition: int) -> list[int]:
        """The literals that inhibit a proposition."""
        circuit, driver = self._circuit, self._circuit.next[proposition]
        moves = [v for v in inputs_of(circuit, [driver]) if circuit.first_move <= v < circuit.first_feedback]
        legal = [circuit.legal[v - circuit.first_move] for v in moves]
        near = inputs_of(circuit, [driver, *legal]) - {1 + proposition}
        latched = [literal for literal in self._latched if literal >> 1 in near]
        size = _together(circuit)
        found: list[int] = []
        for first in range(0, len(latched), size):
            found += self._inhibiting(proposition, latched[first : first + size], moves, legal)
        return found

    def _inhibiting(
        self, proposition: int, latched: Sequence[int], moves: Sequence[int], legal: Sequence[int]
    ) -> Iterator[int]:
        """Those of some literals that stay which keep a proposition false, whichever of the `moves` are made."""
        known = {1 + proposition: (0, (1 << len(latched)) - 1)}  # in case i the i-th of these holds
        for case, literal in enumerate(latched):
            true, false = known.get(literal >> 1, (0, 0))
            known[literal >> 1] = (true, false | 1 << case) if literal & 1 else (true | 1 << case, false)
        for move, (_, never) in zip(moves, _in_cases(self._circuit, legal, known, self._deadline), strict=True):
            known[move] = 0, never
        ((_, never),) = _in_cases(self._circuit, [self._circuit.next[proposition]], known, self._deadline)
        return (literal for case, literal in enumerate(latched) if never >> case & 1)


def _together(circuit: Circuit) -> int:
    """How many cases may be looked at together."""
    return max(1, _VALUES // (1 + len(circuit.gates)))


def _in_cases(circuit: Circuit, literals: Sequence[int], known: Mapping[int, Known], deadline: float) -> list[Known]:
    """When literals are certainly true, and when false, by three-valued evaluation, as bit sets of cases.

    The same is `known` of some input variables; all else is unknown. Raises `CompositionError` after `deadline`.
    """
    variables = sorted(cone(literals, circuit.first_gate, circuit.gates) - {0})
    values = evaluate(
        variables,
        circuit.gates,
        circuit.first_gate,
        lambda variable: known.get(variable, UNKNOWN),
        NOWHERE,
        operator.and_,
        operator.or_,
        lambda: check_time(deadline),
    )
    return [of_literal(literal, values) for literal in literals]


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
