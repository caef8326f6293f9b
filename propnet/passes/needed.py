"""Drop all gates that no result depends on: reduction to the cone of influence.

Asked for are terminal, goals and legal moves, and the next value of every proposition that these depend on.
Moves that are never legal go too; all others stay, whether they have an effect or not.

That is done once, before a network is finished. Whatever becomes of it later is a variant of the same game: it keeps
all propositions and moves, so that states and moves mean the same in both, and only gates are dropped.

Source: E. Clarke, O. Grumberg, D. Peled, "Model Checking", 1999.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import compress

from ludens.propnet.network.circuit import Circuit, Gate
from ludens.propnet.network.propnet import FALSE, TRUE


def needed(circuit: Circuit) -> Circuit:
    """The circuit without gates, propositions, moves and feedback inputs that play no part."""
    used = _cone(circuit, circuit.outputs)
    for move, literal in enumerate(circuit.legal, circuit.first_move):
        used[move] = literal != FALSE
    return _kept(circuit, used)


def needed_gates(circuit: Circuit) -> Circuit:
    """The circuit without gates and feedback inputs that play no part, of the same propositions and moves."""
    used = _cone(circuit, [*circuit.outputs, *circuit.next])
    used[1 : circuit.first_feedback] = b"\1" * (circuit.first_feedback - 1)
    return _kept(circuit, used)


def _kept(circuit: Circuit, used: bytearray) -> Circuit:
    """The circuit without the variables that are not used, false in the place of each."""
    used[FALSE] = True
    if all(used):
        return circuit
    new = [FALSE, TRUE]
    count = 1
    for keep in used[1:]:
        new += (2 * count, 2 * count + 1) if keep else (FALSE, TRUE)
        count += keep
    gates: list[Gate] = [
        tuple([new[literal] for literal in gate]) for gate in compress(circuit.gates, used[circuit.first_gate :])
    ]
    return _without_inputs(circuit, used).with_gates(gates, new)


def _cone(circuit: Circuit, literals: Iterable[int]) -> bytearray:
    """For each variable whether one of the literals depends on it, at whatever step."""
    used = bytearray(circuit.first_gate + len(circuit.gates))
    driver = {variable: (literal,) for variable, literal in enumerate(circuit.next, 1)}
    driver |= {circuit.first_feedback + i: (literal,) for i, literal in enumerate(circuit.feedback)}
    pending = [*literals]
    while pending:
        variable = pending.pop() >> 1
        if used[variable]:
            continue
        used[variable] = True
        gate = variable - circuit.first_gate
        pending.extend(circuit.gates[gate] if gate >= 0 else driver.get(variable, ()))
    return used


def _without_inputs(circuit: Circuit, used: bytearray) -> Circuit:
    state = used[1 : circuit.first_move]
    moves = used[circuit.first_move : circuit.first_feedback]
    feedback = used[circuit.first_feedback : circuit.first_gate]
    return replace(
        circuit,
        propositions=tuple(compress(circuit.propositions, state)),
        initial=tuple(compress(circuit.initial, state)),
        next=list(compress(circuit.next, state)),
        moves=tuple(
            tuple(compress(texts, used[variables.start : variables.stop]))
            for texts, variables in zip(circuit.moves, circuit.role_moves(), strict=True)
        ),
        legal=list(compress(circuit.legal, moves)),
        playable=circuit.playable and list(compress(circuit.playable, moves)),
        goals=[goal for goal in circuit.goals if goal[2] != FALSE],
        feedback=list(compress(circuit.feedback, feedback)),
        loop=list(compress(circuit.loop, feedback)),
    )
