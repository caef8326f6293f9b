"""Evaluates gates with three values, true, false and unknown, on two rails.

One rail tells where something is certainly true, the other where it is certainly false: as a literal, or as a set of
cases that are looked at together, a bit for each. The values are those of S. C. Kleene ("Introduction to
Metamathematics", 1952).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from ludens.propnet.network.circuit import Gate
from ludens.propnet.network.propnet import FALSE

Known: TypeAlias = tuple[int, int]
"""When something is certainly true, and when it is certainly false: as literals, or as bit sets of cases."""

Inputs: TypeAlias = Callable[[int], Known]
"""What is known of each input variable."""

UNKNOWN: Known = (FALSE, FALSE)
NOWHERE: Known = (0, -1)
"""The constant false, where cases are looked at: true in none, false in all."""

_CHECKED = 4096  # variables between two calls of `check`


def evaluate(
    variables: Iterable[int],
    gates: Sequence[Gate],
    first_gate: int,
    inputs: Inputs,
    false: Known,
    both: Callable[[int, int], int],
    either: Callable[[int, int], int],
    check: Callable[[], None],
) -> dict[int, Known]:
    """What is known of variables, in topological order, whose gates have two inputs, as `both` and `either` join it.

    `false` is what is known of the constant; `check` is called now and then, and may raise.
    """
    known = {0: false}
    for number, variable in enumerate(variables):
        if number % _CHECKED == 0:
            check()
        if variable < first_gate:
            known[variable] = inputs(variable)
            continue
        a, b = gates[variable - first_gate]
        (a_true, a_false), (b_true, b_false) = known[a >> 1], known[b >> 1]
        if a & 1:
            a_true, a_false = a_false, a_true
        if b & 1:
            b_true, b_false = b_false, b_true
        known[variable] = both(a_true, b_true), either(a_false, b_false)
    return known


def of_literal(literal: int, known: Mapping[int, Known]) -> Known:
    """What is known of a literal, by what is known of variables."""
    true, false = known[literal >> 1]
    return (false, true) if literal & 1 else (true, false)
