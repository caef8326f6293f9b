"""How many moves each role has, as features for evaluations: counted in the network, in all lanes at once.

Mobility is worth much in many games (Buro, "Simple Amazons Endgames and Their Connection to Hamilton Circuits in
Cubic Subgrid Graphs", 2000; Clune, "Heuristic Evaluation Functions for General Game Playing", 2007), but a state
shows only the moves of whose turn it is. Where control comes round (`control`), the legal moves of every role are
therefore counted in each phase of the cycle, as if it were that phase now: the control propositions become
constants, and what they decide folds away.

A count becomes bits that say whether it reaches one of a few bounds, which lie evenly among the counts of random
games: neighbouring counts then look alike to an evaluation, as they would not by their binary digits. Where random
games have the same count at the same step, as in games that fill a board, it tells nothing and is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from propnet.circuit import Circuit
from propnet.composition import Bounds, Composition
from propnet.control import phases
from propnet.evaluate import Evaluator
from propnet.network import FeatureName, Propnet
from propnet.passes import needed, order, reopen
from propnet.sampling import sample_steps

FALSE = 0
_BOUNDS = 15  # of a count
_LEAST_VARIANCE = 1.0  # of the counts of one step
_GAMES = 64


@dataclass(frozen=True, slots=True)
class Count:
    """How many moves `role` has in one phase of control."""

    phase: int
    role: int
    digits: tuple[int, ...]  # literals, the least significant first
    bounds: tuple[int, ...] = ()  # whether it reaches these is a feature each

    def name(self, bound: int) -> FeatureName:
        """The same whatever the names of symbols: phases are counted from the first state."""
        return FeatureName(f"moves {self.phase} {self.role} {bound}")


def with_mobility(
    net: Propnet, gates: int, seconds: float, wanted: Callable[[FeatureName], bool] | None = None
) -> Propnet:
    """The network with the numbers of moves as `features`; none where they tell nothing.

    Those that are `wanted`, or if that is None those that tell something. It has at most `gates` gates more and
    takes about `seconds` at most. Raises `CompositionError` otherwise, and where legality depends on a loop.
    """
    deadline = time.monotonic() + seconds
    circuit = reopen(net)
    composition = Composition(circuit, Bounds(len(net.gates) + gates, deadline))
    counts = list(_counts(circuit, composition))
    if wanted is not None:
        counts = [_chosen(count, wanted) for count in counts]
    else:
        digits = [d for count in counts for d in count.digits]
        counted = replace(circuit, gates=composition.gates, features=digits)
        counts = list(_telling(order(counted), counts, deadline - time.monotonic()))
    features = [composition.at_least(count.digits, bound) for count in counts for bound in count.bounds]
    if not features:
        return net
    return order(
        needed(
            replace(
                circuit,
                gates=composition.gates,
                features=[*circuit.features, *features],
                feature_names=[*circuit.feature_names, *(c.name(bound) for c in counts for bound in c.bounds)],
            )
        )
    )


def _counts(circuit: Circuit, composition: Composition) -> Iterator[Count]:
    for number, phase in enumerate(phases(circuit)):
        for role, moves in enumerate(circuit.role_moves()):
            mine = slice(moves.start - circuit.first_move, moves.stop - circuit.first_move)
            legal = composition.under({1 + p: int(holds) for p, holds in phase.items()}, circuit.legal[mine])
            if sum(literal != FALSE for literal in legal) > 1:
                yield Count(number, role, tuple(composition.count(legal)))


def _chosen(count: Count, wanted: Callable[[FeatureName], bool]) -> Count:
    """The count with those bounds that are wanted."""
    most = 1 << len(count.digits)
    return replace(count, bounds=tuple(bound for bound in range(1, most) if wanted(count.name(bound))))


def _telling(counted: Propnet, counts: Sequence[Count], seconds: float) -> Iterator[Count]:
    """Those counts that vary between random games, with their bounds."""
    evaluator = Evaluator(counted)
    steps = [evaluator.features(step.states) for step in sample_steps(counted, _GAMES, seconds=seconds / 2)]
    first = 0
    for count in counts:
        weights = 1 << np.arange(len(count.digits))
        seen = [digits[:, first : first + len(weights)] @ weights for digits in steps if len(digits)]
        first += len(weights)
        if np.average([s.var() for s in seen], weights=[len(s) for s in seen]) >= _LEAST_VARIANCE:
            yield replace(count, bounds=_bounds(np.concatenate(seen)))


def _bounds(seen: npt.NDArray[np.int64]) -> tuple[int, ...]:
    """Numbers that part the counts seen evenly."""
    quantiles = np.quantile(seen, np.arange(1, _BOUNDS + 1) / (_BOUNDS + 1), method="nearest")
    return tuple(int(bound) for bound in np.unique(quantiles) if bound > seen.min())
