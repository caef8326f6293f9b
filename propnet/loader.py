"""From a rule sheet to the network that plays it: the pipeline, readable as such."""

from __future__ import annotations

import numpy as np

from propnet.builder import build
from propnet.circuit import Circuit
from propnet.grounder import ground
from propnet.network import Propnet
from propnet.parser import parse_rules
from propnet.passes import PASSES
from propnet.passes.ordering import order
from propnet.rewrite import plain
from propnet.syntax import RuleSheet


def load(rules: RuleSheet | str) -> Propnet:
    """The network of a rule sheet, or of its text. Raises `GdlError`, `GroundingError`."""
    sheet = parse_rules(rules) if isinstance(rules, str) else rules
    circuit = build(ground(plain(sheet)))
    for improve in PASSES:
        circuit = improve(circuit)
    return to_propnet(circuit)


def to_propnet(circuit: Circuit) -> Propnet:
    """The final arrays of a circuit of two-input gates."""
    circuit, loops = order(circuit)
    return Propnet(
        roles=circuit.roles,
        propositions=circuit.propositions,
        moves=circuit.moves,
        initial=np.array(circuit.initial, dtype=np.bool_),
        gates=np.array(circuit.gates, dtype=np.int32).reshape(-1, 2),
        next=np.array(circuit.next, dtype=np.int32),
        legal=np.array(circuit.legal, dtype=np.int32),
        terminal=circuit.terminal,
        goal_role=np.array([role for role, _, _ in circuit.goals], dtype=np.int32),
        goal_value=np.array([value for _, value, _ in circuit.goals], dtype=np.int32),
        goal_literal=np.array([literal for _, _, literal in circuit.goals], dtype=np.int32),
        feedback=np.array(circuit.feedback, dtype=np.int32),
        loops=np.array(loops, dtype=np.int32).reshape(-1, 4),
    )
