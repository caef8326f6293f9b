"""Put gates in the order of evaluation: depth-first, with each loop in one piece.

A gate then stands soon after what it reads, which keeps values in the cache. Gates that lie on a loop, that
is between its feedback inputs and what drives them, come right after each other, since they are evaluated
together until nothing changes; what reads any of them comes after the whole loop.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes.loops import loop_members


def order(circuit: Circuit) -> Propnet:
    """The circuit, which must have gates of two inputs, in its final form."""
    sequence, ranges = _sequence(circuit, loop_members(circuit))
    new = np.arange(2 * (circuit.first_gate + len(circuit.gates)), dtype=np.int32)
    moved = 2 * np.array(sequence, dtype=np.int32)
    new[moved] = 2 * np.arange(circuit.first_gate, circuit.first_gate + len(sequence))
    new[moved + 1] = new[moved] + 1
    gates = np.fromiter(chain.from_iterable(circuit.gates), dtype=np.int32).reshape(-1, 2)
    gates = np.sort(new[gates[moved // 2 - circuit.first_gate]], axis=1)
    return _arrays(circuit.with_gates((), new.tolist()), gates, ranges)


def reopen(net: Propnet) -> Circuit:
    """A network as a circuit again, with gates of two inputs, to be worked on further."""
    loop = [number for number, (*_, first, last) in enumerate(net.loops.tolist()) for _ in range(first, last)]
    goals = zip(net.goal_role.tolist(), net.goal_value.tolist(), net.goal_literal.tolist(), strict=True)
    return Circuit(
        roles=net.roles,
        propositions=net.propositions,
        moves=net.moves,
        initial=tuple(net.initial.tolist()),
        gates=list(map(tuple, net.gates.tolist())),
        next=net.next.tolist(),
        legal=net.legal.tolist(),
        terminal=net.terminal,
        goals=list(goals),
        feedback=net.feedback.tolist(),
        loop=loop,
        playable=None if net.playable is None else net.playable.tolist(),
        features=net.features.tolist(),
        feature_names=net.feature_names,
    )


def _arrays(circuit: Circuit, gates: Int32Array, loops: list[tuple[int, int, int, int]]) -> Propnet:
    return Propnet(
        roles=circuit.roles,
        propositions=circuit.propositions,
        moves=circuit.moves,
        initial=np.array(circuit.initial, dtype=np.bool_),
        gates=gates,
        next=np.array(circuit.next, dtype=np.int32),
        legal=np.array(circuit.legal, dtype=np.int32),
        terminal=circuit.terminal,
        goal_role=np.array([role for role, _, _ in circuit.goals], dtype=np.int32),
        goal_value=np.array([value for _, value, _ in circuit.goals], dtype=np.int32),
        goal_literal=np.array([literal for _, _, literal in circuit.goals], dtype=np.int32),
        feedback=np.array(circuit.feedback, dtype=np.int32),
        loops=np.array(loops, dtype=np.int32).reshape(-1, 4),
        playable=None if circuit.playable is None else np.array(circuit.playable, dtype=np.int32),
        features=np.array(circuit.features, dtype=np.int32),
        feature_names=tuple(circuit.feature_names),
    )


def _sequence(circuit: Circuit, loop_of: dict[int, int]) -> tuple[list[int], list[tuple[int, int, int, int]]]:
    """Gate variables in order of evaluation, and for each loop its ranges of gates and feedback inputs."""
    read = _Reads(circuit, loop_of)
    variables = circuit.first_gate + len(circuit.gates)
    done = bytearray(variables + 1 + max(circuit.loop, default=0))  # loops, being negative, count from its end
    done[: circuit.first_feedback] = b"\1" * circuit.first_feedback
    sequence: list[int] = []
    ranges: list[tuple[int, int, int, int]] = []
    outputs = [*circuit.outputs, *circuit.next]
    loops = [-1 - loop for loop in dict.fromkeys(circuit.loop)]  # first: feedback inputs are in their order
    stack = [*loops, *(read.node(literal >> 1) for literal in outputs)][::-1]
    opened = bytearray(len(done))
    while stack:
        node = stack[-1]
        if not opened[node] and not done[node]:
            opened[node] = True
            stack += [child for child in reversed(read.nodes(node)) if not done[child]]
            continue
        stack.pop()
        if done[node]:
            continue
        done[node] = True
        if node >= 0:
            sequence.append(node)
        else:
            start = len(sequence)
            sequence += read.gates(node)
            ranges.append((start, len(sequence), *read.inputs(node)))
    return sequence, ranges


class _Reads:
    """The graph of which gate reads which, where a whole loop is one node, -1 - loop; other nodes are variables."""

    def __init__(self, circuit: Circuit, loop_of: dict[int, int]) -> None:
        self._circuit = circuit
        self._first_feedback, self._first_gate = circuit.first_feedback, circuit.first_gate
        self._loop_of = {variable: -1 - loop for variable, loop in loop_of.items()}
        self._members: dict[int, list[int]] = {}
        for variable in sorted(loop_of):
            self._members.setdefault(self._loop_of[variable], []).append(variable)

    def node(self, variable: int) -> int:
        return self._loop_of.get(variable, variable)

    def nodes(self, node: int) -> list[int]:
        """The nodes that a node reads, but for itself."""
        circuit = self._circuit
        if node >= self._first_gate:
            variables = [literal >> 1 for literal in circuit.gates[node - self._first_gate]]
            return list(map(self._loop_of.get, variables, variables))
        first, last = self.inputs(node)
        read = {self.node(literal >> 1) for literal in circuit.feedback[first:last]}
        for gate in self.gates(node):
            read |= {self.node(literal >> 1) for literal in circuit.gates[gate - self._first_gate]}
        return sorted(read - {node})

    def gates(self, node: int) -> list[int]:
        """The gates of a loop."""
        return [variable for variable in self._members[node] if variable >= self._first_gate]

    def inputs(self, node: int) -> tuple[int, int]:
        """First and past-last feedback input of a loop."""
        inputs = [variable for variable in self._members[node] if variable < self._first_gate]
        return inputs[0] - self._first_feedback, inputs[-1] + 1 - self._first_feedback
