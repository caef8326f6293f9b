"""Drop all gates that no result depends on: reduction to the cone of influence.

Asked for are terminal, goals and legal moves, and the next value of every proposition that these depend on.
Moves that are never legal go too; all others stay, whether they have an effect or not.

Source: E. Clarke, O. Grumberg, D. Peled, "Model Checking", 1999.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

from ludens.propnet.network.circuit import Circuit, Gate
from ludens.propnet.network.propnet import FALSE, TRUE


def needed(circuit: Circuit) -> Circuit:
    """The circuit without gates, propositions, moves and feedback inputs that play no part."""
    used = _cone(circuit)
    for move, literal in enumerate(circuit.legal, circuit.first_move):
        used[move] = literal != FALSE
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


def _cone(circuit: Circuit) -> bytearray:
    """For each variable whether some output depends on it, at whatever step."""
    used = bytearray(circuit.first_gate + len(circuit.gates))
    driver = {variable: (literal,) for variable, literal in enumerate(circuit.next, 1)}
    driver |= {circuit.first_feedback + i: (literal,) for i, literal in enumerate(circuit.feedback)}
    pending = circuit.outputs
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
