"""Drop what nothing asks for: reduction to the cone of influence.

Asked for are terminal, goals and legal moves, and the next value of every proposition that these depend on.
Moves that are never legal go too; all others stay, whether they have an effect or not.

Source: E. Clarke, O. Grumberg, D. Peled, "Model Checking", 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ludens.propnet.network.circuit import Circuit, Gate
from ludens.propnet.network.propnet import FALSE, TRUE

T = TypeVar("T")


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
        tuple([new[literal] for literal in gate])
        for gate, keep in zip(circuit.gates, used[circuit.first_gate :], strict=True)
        if keep
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
        propositions=tuple(_kept(circuit.propositions, state)),
        initial=tuple(_kept(circuit.initial, state)),
        next=_kept(circuit.next, state),
        moves=tuple(
            tuple(text for text, variable in zip(texts, variables, strict=True) if used[variable])
            for texts, variables in zip(circuit.moves, circuit.role_moves(), strict=True)
        ),
        legal=_kept(circuit.legal, moves),
        playable=circuit.playable and _kept(circuit.playable, moves),
        goals=[goal for goal in circuit.goals if goal[2] != FALSE],
        feedback=_kept(circuit.feedback, feedback),
        loop=_kept(circuit.loop, feedback),
    )


def _kept(items: Sequence[T], keep: bytearray) -> list[T]:
    return [item for item, wanted in zip(items, keep, strict=True) if wanted]
