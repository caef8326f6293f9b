"""Copies of a circuit in an answer set program, and a solver with a bound: constants and equal gates get no atom.

Literals of a copy are clingo's: an atom or its negative; one atom, `true`, is a fact. Equal gates share an atom
(structural hashing), and each gate's rule is its completion.

Source: K. Clark, "Negation as Failure", 1978.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import clingo

_POLL_SECONDS = 0.05  # how often a wait for the solver looks at the processor time that it has had


def solve_within(
    control: clingo.Control, assumption: int, read: Callable[[clingo.Model], None], seconds: float
) -> bool:
    """Looks for an answer set for so many seconds of processor time, and reads it; returns whether there is none."""
    begun = time.process_time()
    with control.solve(assumptions=[assumption], on_model=read, async_=True) as handle:
        while not handle.wait(_POLL_SECONDS):
            if time.process_time() - begun > seconds:
                handle.cancel()
                break
        return bool(handle.get().unsatisfiable)


class CircuitCopy:
    """One copy of a circuit."""

    def __init__(
        self, backend: clingo.Backend, true: int, inputs: Sequence[int], gates: Sequence[Sequence[int]]
    ) -> None:
        """`inputs` are the literals of the variables before the first gate, without variable 0."""
        self._backend = backend
        self._true = true
        self._gates = gates
        self._first_gate = 1 + len(inputs)
        self._values = [-true, *inputs, *[0] * len(gates)]
        self._known: dict[tuple[int, int], int] = {}

    def literal(self, literal: int) -> int:
        """Returns the literal of this copy for a literal of the circuit."""
        value = self._values[literal >> 1]
        return -value if literal & 1 else value

    def assign(self, variable: int, literal: int) -> None:
        """Has an input be a literal of this copy."""
        self._values[variable] = literal

    def evaluate(self, gates: Iterable[int]) -> None:
        """Adds these gates, which are numbered from 0, each after those that it reads."""
        for gate in gates:
            a, b = self._gates[gate]
            self._values[self._first_gate + gate] = self.conjunction(self.literal(a), self.literal(b))

    def conjunction(self, a: int, b: int) -> int:
        """Returns a literal that holds when both do."""
        if a == b or b == self._true:
            return a
        if a == self._true:
            return b
        if -self._true in (a, b) or a == -b:
            return -self._true
        key = (a, b) if a < b else (b, a)
        if key not in self._known:
            self._known[key] = self._backend.add_atom()
            self._backend.add_rule([self._known[key]], key)
        return self._known[key]

    def disjunction(self, literals: Sequence[int]) -> int:
        """Returns a literal that holds when one of them does."""
        if self._true in literals:
            return self._true
        left = [literal for literal in literals if literal != -self._true]
        if len(left) < 2:
            return left[0] if left else -self._true
        either = self._backend.add_atom()
        for literal in left:
            self._backend.add_rule([either], [literal])
        return either
