"""Numbers as features for evaluations: how many of some literals hold, counted in the network.

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

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import sample_steps
from ludens.propnet.passes import needed, order

_BOUNDS = 15  # of a count
_LEAST_VARIANCE = 1.0  # of the counts of one step
_GAMES = 64


@dataclass(frozen=True, slots=True)
class Count:
    """A number that a state has."""

    what: str  # as in FeatureName
    digits: tuple[int, ...]  # literals, the least significant first
    bounds: tuple[int, ...] = ()  # whether it reaches these is a feature each

    def name(self, bound: int) -> FeatureName:
        """That of the feature."""
        return FeatureName(f"{self.what} {bound}")


def with_counts(
    net: Propnet,
    composition: Composition,
    counts: Sequence[Count],
    deadline: float,
    wanted: Callable[[FeatureName], bool] | None,
) -> Propnet:
    """The network with `counts`, gates of a `composition` that started with it, as further features.

    The bounds are those that are `wanted`, or if that is None some for each count that varies between random games,
    which are played for half of the time left before `deadline` (time.monotonic()).
    """
    circuit = composition.circuit
    if wanted is not None:
        counts = [_chosen(count, wanted) for count in counts]
    elif counts:
        digits = [d for count in counts for d in count.digits]
        counted = order(replace(circuit, gates=composition.gates, features=digits))
        counts = list(_telling(counted, counts, deadline - time.monotonic()))
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
        if seen and np.average([s.var() for s in seen], weights=[len(s) for s in seen]) >= _LEAST_VARIANCE:
            yield replace(count, bounds=_bounds(np.concatenate(seen)))


def _bounds(seen: npt.NDArray[np.int64]) -> tuple[int, ...]:
    """Numbers that part the counts seen evenly."""
    quantiles = np.quantile(seen, np.arange(1, _BOUNDS + 1) / (_BOUNDS + 1), method="nearest")
    return tuple(int(bound) for bound in np.unique(quantiles) if bound > seen.min())
