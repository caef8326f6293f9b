"""Remove feedback inputs that no loop needs any more.

The builder cuts every cycle of ground atoms at a feedback input. Once constants are folded, some cycles are
gone: what drives an input no longer depends on it. Such an input is no different from its driver, or from
false where inputs only drive each other, that being their least fixpoint.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludens.propnet.gdl.recursion import depth_first
from ludens.propnet.network.circuit import Circuit, identity
from ludens.propnet.network.propnet import FALSE
from ludens.propnet.passes.needed import needed_gates
from ludens.propnet.passes.sharing import share


def uncut(circuit: Circuit) -> Circuit:
    """The circuit with drivers in the place of feedback inputs that lie on no loop."""
    while ends := _ends(circuit):
        circuit = needed_gates(share(_joined(circuit, ends)))
    return circuit


def loop_members(circuit: Circuit) -> dict[int, int]:
    """The loop of each feedback input and each gate that lies on one.

    Loops are numbered in topological order, so a gate between the inputs of a loop and what drives them depends
    on no higher loop: it is reached from that loop last, and read by such a gate or by one of the inputs.
    """
    if not circuit.loop:
        return {}
    last = [-1] * circuit.first_feedback + list(circuit.loop)  # highest loop that each variable depends on
    for gate in circuit.gates:
        last.append(max([last[literal >> 1] for literal in gate]))
    loop_of = dict(enumerate(circuit.loop, circuit.first_feedback))
    pending = list(zip(circuit.feedback, circuit.loop, strict=True))
    while pending:
        literal, loop = pending.pop()
        variable = literal >> 1
        if last[variable] == loop and variable not in loop_of:
            loop_of[variable] = loop
            pending += [(read, loop) for read in circuit.gates[variable - circuit.first_gate]]
    return loop_of


def _ends(circuit: Circuit) -> dict[int, int]:
    """The literal that each feedback input of a loop without gates stands for, if anything reads the input."""
    loop_of = loop_members(circuit)
    alive = {loop for variable, loop in loop_of.items() if variable >= circuit.first_gate}
    dead = [variable for variable, loop in loop_of.items() if loop not in alive]
    driver = {variable: circuit.feedback[variable - circuit.first_feedback] for variable in dead}
    if not driver:
        return {}
    reads = [*circuit.gates, circuit.feedback, circuit.next, circuit.outputs]
    read = {literal >> 1 for literals in reads for literal in literals}
    return {variable: _end(variable, driver) for variable in driver if variable in read}


def _end(variable: int, driver: Mapping[int, int]) -> int:
    """Follows drivers to the first that is no input of a loop without gates."""
    passed: set[int] = set()
    literal = 2 * variable
    while literal >> 1 in driver:
        if literal >> 1 in passed:
            return FALSE
        passed.add(literal >> 1)
        literal = driver[literal >> 1] ^ literal & 1
    return literal


def _joined(circuit: Circuit, ends: Mapping[int, int]) -> Circuit:
    """The circuit with each input of `ends` replaced, its gates in topological order again."""
    replaced = identity(circuit.first_gate + len(circuit.gates))
    for variable, literal in ends.items():
        replaced[2 * variable : 2 * variable + 2] = literal, literal ^ 1
    reads = {
        variable: [[replaced[literal] >> 1 for literal in gate]]
        for variable, gate in enumerate(circuit.gates, circuit.first_gate)
    }
    sequence, _ = depth_first(reads, reads, range(circuit.first_gate))
    place = identity(circuit.first_gate + len(circuit.gates))
    for new, old in enumerate(sequence, circuit.first_gate):
        place[2 * old : 2 * old + 2] = 2 * new, 2 * new + 1
    moved = [place[literal] for literal in replaced]
    old_gates = (circuit.gates[variable - circuit.first_gate] for variable in sequence)
    return circuit.with_gates([tuple([moved[literal] for literal in gate]) for gate in old_gates], moved)
