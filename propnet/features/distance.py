"""Distance as features for evaluations: how few of its own moves a role would need to win, although others hinder it.

Where the end of the game depends on a recursive rule, as that of a connection game does, no single proposition shows
how good a position is; the cost of winning (`analysis.relaxed_costs`) does: in hex it is the two-distance between the
edges, by which programs for that game live (J. van Rijswijck, "Search and Evaluation in Hex", 2002). A feature says
whether the cost is at most some number, or whether it is even if the others close one of the last ways.

Rules may look at one role only, the one that has just moved; so the cost is the least among those at the states of
control that come round, as if it were that state now (as in `mobility`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.propnet.analysis.composition import Composition, check_growth
from ludens.propnet.analysis.relaxed_costs import LoopCopies, RelaxedCosts
from ludens.propnet.analysis.turns import cycle, turn, wins
from ludens.propnet.base.clock import now
from ludens.propnet.features.counts import with_features
from ludens.propnet.network.circuit import Circuit, cone
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep
from ludens.propnet.passes import needed_gates, order, reopen, uncut

_MOST = 10  # moves that are told apart

_Features = dict[FeatureName, int]


def with_distance(
    net: Propnet, gates: int, seconds: float, _steps: StatesByStep, wanted: Callable[[FeatureName], bool] | None = None
) -> Propnet:
    """The network with distances as further `features`; no new ones where the end of the game depends on no loop.

    The features are those that are `wanted`, or if that is None those up to the cost of winning from the first state,
    as far as `gates` more suffice. It takes about `seconds` at most. Raises `CompositionError` where that is too
    little, where legality depends on a loop, and where it is not known whose turn it is.
    """
    deadline = now() + seconds / 2  # putting loops and gates in order takes as long again
    if not _ends_by_loop(reopen(net)):
        return net
    circuit, found = _distances(net, gates, deadline)
    if wanted is None:
        nearer = _not_yet(circuit, found)
        wanted = nearer.__contains__
    found = {name: literal for name, literal in found.items() if wanted(name)}
    if not found:
        return net
    made = with_features(Composition(circuit), list(found.values()), list(found))
    check_growth(len(made.gates) - len(net.gates), gates)
    return made


def _ends_by_loop(circuit: Circuit) -> bool:
    """Whether the end of the game depends on a recursive rule."""
    read = cone([circuit.terminal], circuit.first_gate, circuit.gates)
    return any(circuit.first_feedback <= variable < circuit.first_gate for variable in read)


def _distances(net: Propnet, more_gates: int, deadline: float) -> tuple[Circuit, _Features]:
    """A circuit with the literals of the distances of all roles, for as many moves as so many gates suffice for."""
    phases = cycle(circuit := reopen(net))
    copies = LoopCopies(circuit, len(net.roles) * len(phases), _MOST + 1)
    most = len(net.gates) + more_gates
    composition = Composition(copies.circuit, most, deadline)
    turns = dict(enumerate(turn(composition, control) for control in phases))
    costs = {
        role: RelaxedCosts(composition, copies, phases, {n: t for n, t in turns.items() if t.role == role}, role, won)
        for role, won in wins(composition)
    }
    found: _Features = {}
    for moves in range(_MOST + 1):
        before = len(composition.gates)
        for role, cost in costs.items():
            for ways, literal in enumerate(cost.add_level(), 1):
                if moves:
                    found[FeatureName(f"distance {role} {moves} {ways}")] = literal
        if 2 * len(composition.gates) - before > most:
            break
    circuit = copies.closed(composition)
    kept = len(circuit.features)
    circuit = uncut(replace(circuit, features=[*circuit.features, *found.values()]))
    found = dict(zip(found, circuit.features[kept:], strict=True))
    return replace(circuit, features=circuit.features[:kept]), found


def _not_yet(circuit: Circuit, features: _Features) -> set[FeatureName]:
    """The features that do not hold in the first state."""
    net = order(needed_gates(replace(circuit, features=list(features.values()))))
    holds = Evaluator(net).features(net.initial)
    return {name for name, already in zip(features, holds.tolist(), strict=True) if not already}
