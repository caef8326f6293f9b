"""How many moves each role has, as features for evaluations: counted in the network, in all lanes at once.

Mobility is worth much in many games (Buro, "Simple Amazons Endgames and Their Connection to Hamilton Circuits in
Cubic Subgrid Graphs", 2000; Clune, "Heuristic Evaluation Functions for General Game Playing", 2007), but a state
shows only the moves of whose turn it is. Where control comes round (`control`), the legal moves of every role are
therefore counted in each phase of the cycle, as if it were that phase now: the control propositions become
constants, and what they decide folds away. A count is its binary digits, so that a linear function of the
digits can be any linear function of the count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

from propnet.circuit import Circuit
from propnet.composition import Bounds, Composition
from propnet.control import autonomous
from propnet.network import Propnet
from propnet.passes import needed, order, reopen

FALSE = 0
_LONGEST_CYCLE = 8  # of control; what comes round later is a counter


def with_mobility(net: Propnet, gates: int, seconds: float) -> Propnet:
    """The network with the numbers of moves as `features`; none where nobody ever has a choice.

    It has at most `gates` gates more and takes about `seconds` at most. Raises `CompositionError` otherwise, and
    where legality depends on a loop.
    """
    circuit = reopen(net)
    composition = Composition(circuit, Bounds(len(net.gates) + gates, time.monotonic() + seconds))
    features: list[int] = []
    for phase in _phases(circuit):
        for moves in circuit.role_moves():
            mine = slice(moves.start - circuit.first_move, moves.stop - circuit.first_move)
            legal = composition.under({1 + p: int(holds) for p, holds in phase.items()}, circuit.legal[mine])
            if sum(literal != FALSE for literal in legal) > 1:
                features += composition.count(legal)
    return order(needed(replace(circuit, gates=composition.gates, features=features)))


def _phases(circuit: Circuit) -> Iterator[dict[int, bool]]:
    """The states of control as it comes round; a single one without propositions where it does not."""
    turning = [c for c in autonomous(circuit) if c.back == 0 and 1 < c.cycle <= _LONGEST_CYCLE]
    length = math.lcm(*(c.cycle for c in turning))
    for step in range(length if length <= _LONGEST_CYCLE else 0):
        states = ((c.propositions, c.states[step % c.cycle]) for c in turning)
        yield {p: holds for propositions, state in states for p, holds in zip(propositions, state, strict=True)}
    if length > _LONGEST_CYCLE:
        yield {}
