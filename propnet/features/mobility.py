"""How many moves each role has, as features for evaluations.

Mobility is worth much in many games (Buro, "Simple Amazons Endgames and Their Connection to Hamilton Circuits in
Cubic Subgrid Graphs", 2000; Clune, "Heuristic Evaluation Functions for General Game Playing", 2007), but a state
shows only the moves of whose turn it is. Where control comes round (`control`), the legal moves of every role are
therefore counted in each phase of the cycle, as if it were that phase now: the control propositions become
constants, and what they decide folds away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.analysis.turns import cycle
from ludens.propnet.base.clock import now
from ludens.propnet.features.counts import Count, with_counts
from ludens.propnet.network.propnet import FALSE, FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep


def with_mobility(
    net: Propnet, gates: int, seconds: float, steps: StatesByStep, wanted: Callable[[FeatureName], bool] | None = None
) -> Propnet:
    """The network with the numbers of moves as further `features`; no new ones where they are always the same.

    The features are those that are `wanted`, or if that is None those that vary in the states of `steps`. The network
    has at most `gates` gates more, and it takes about `seconds` at most. Raises `CompositionError` otherwise, and where
    legality depends on a loop.
    """
    deadline = now() + seconds
    composition = Composition.from_network(net, gates, deadline)
    return with_counts(net, composition, list(_counts(composition)), steps, wanted)


def _counts(composition: Composition) -> Iterator[Count]:
    circuit = composition.circuit
    for number, control in enumerate(cycle(circuit)):  # from the first state on: the same whatever its symbols
        for role, span in enumerate(circuit.move_spans()):
            legal = composition.under(control, circuit.legal[span.start : span.stop])
            if sum(literal != FALSE for literal in legal) > 1:
                yield Count(f"moves {number} {role}", tuple(composition.count(legal)))
