"""Replace what never changes by constants: simulation with three values, 0, 1 and X for "either".

Play starts from the first state with no move made. An input that can come to differ becomes X, and so do the
gates that X reaches, until nothing changes; values only ever rise from a constant to X, so each gate rises
once. What is then still constant is so in every state of every match. Each gate at 0 is watched through one
literal that keeps it there, as in SAT solvers.

Sources: R. Bryant, C.-J. Seger, "Formal Verification of Digital Circuits Using Symbolic Ternary System
Models", 1990; M. Moskewicz et al., "Chaff: Engineering an Efficient SAT Solver", 2001 (watched literals).
"""

from __future__ import annotations

from ludens.propnet.network.circuit import Circuit, identity
from ludens.propnet.passes.sharing import share

EITHER = 2


def unchanging(circuit: Circuit) -> Circuit:
    """The circuit with constants, folded, for all variables that have one value throughout every match."""
    constant = [(v, value) for v, value in enumerate(_Simulation(circuit).values) if value != EITHER]
    if constant == [(0, 0)]:
        return circuit
    new = identity(circuit.first_gate + len(circuit.gates))
    for variable, value in constant:
        new[2 * variable : 2 * variable + 2] = value, value ^ 1
    gates = [tuple([new[literal] for literal in gate]) for gate in circuit.gates]
    return share(circuit.with_gates(gates, new))


class _Simulation:
    """`values` of all variables once nothing changes any more."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        moves = len(circuit.legal)
        self.values = [0, *map(int, circuit.initial), *[0] * moves, *[EITHER] * len(circuit.feedback)]
        self._watchers: list[list[int]] = [[] for _ in range(circuit.first_gate + len(circuit.gates))]
        for gate in range(len(circuit.gates)):
            self.values.append(0)
            self._settle(gate)
        self._run()

    def _settle(self, gate: int) -> bool:
        """Evaluates a gate, and watches what keeps it constant; returns whether it is `EITHER`."""
        values = self.values
        literals = self._circuit.gates[gate]
        either = False
        for literal in literals:
            value = values[literal >> 1]
            if value == EITHER:
                either = True
            elif value == literal & 1:
                self._watchers[literal >> 1].append(gate)
                return False
        values[self._circuit.first_gate + gate] = EITHER if either else 1
        if not either:
            for literal in literals:
                self._watchers[literal >> 1].append(gate)
        return either

    def _run(self) -> None:
        circuit = self._circuit
        drivers = list(zip(range(1, circuit.first_feedback), [*circuit.next, *circuit.legal], strict=True))
        driven: dict[int, list[int]] = {}
        for variable, literal in drivers:
            driven.setdefault(literal >> 1, []).append(variable)
        raised = []
        for variable, literal in drivers:
            value = self.values[literal >> 1]
            if value == EITHER or value ^ (literal & 1) != self.values[variable]:
                raised.append(variable)
        while raised:
            variable = raised.pop()
            if variable < circuit.first_gate:
                if self.values[variable] == EITHER:
                    continue
                self.values[variable] = EITHER
            raised += driven.get(variable, ())
            watchers, self._watchers[variable] = self._watchers[variable], []
            for gate in watchers:
                if self.values[circuit.first_gate + gate] != EITHER and self._settle(gate):
                    raised.append(circuit.first_gate + gate)
