"""Numbers as features for evaluations: how many of some literals hold, counted in the network.

A count becomes bits that say whether it reaches one of a few bounds, which lie evenly among the counts of random
games: neighbouring counts then look alike to an evaluation, as they would not by their binary digits. Where random
games have the same count at the same step, as in games that fill a board, it tells nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep
from ludens.propnet.passes import needed_gates, order

_BOUNDS = 15  # of a count
_LEAST_VARIANCE = 1.0  # of the counts of one step


@dataclass(frozen=True, slots=True)
class Count:
    """A number counted in each state: how many of some literals hold, as binary digits."""

    what: str  # as in FeatureName
    digits: tuple[int, ...]  # literals, the least significant first
    bounds: tuple[int, ...] = ()  # whether it reaches these is a feature each

    def name(self, bound: int) -> FeatureName:
        """The name of the feature that tells whether the count reaches `bound`."""
        return FeatureName(f"{self.what} {bound}")


def with_counts(
    net: Propnet,
    composition: Composition,
    counts: Sequence[Count],
    steps: StatesByStep,
    wanted: Callable[[FeatureName], bool] | None,
) -> Propnet:
    """The network with `counts`, gates of a `composition` that started with it, as further features.

    The bounds are those that are `wanted`, or if that is None some for each count that varies between random games at
    the same of `steps`.
    """
    if wanted is not None:
        counts = [_chosen(count, wanted) for count in counts]
    elif counts:
        counts = list(_informative(composition, counts, steps))
    features = [composition.at_least(count.digits, bound) for count in counts for bound in count.bounds]
    if not features:
        return net
    return with_features(composition, features, [count.name(bound) for count in counts for bound in count.bounds])


def with_features(composition: Composition, literals: Sequence[int], names: Sequence[FeatureName]) -> Propnet:
    """The network that a composition started with, and further features: `literals`, and the name of each."""
    circuit = composition.circuit
    features, feature_names = [*circuit.features, *literals], [*circuit.feature_names, *names]
    made = replace(circuit, gates=composition.gates, features=features, feature_names=feature_names)
    return order(needed_gates(made))


def _chosen(count: Count, wanted: Callable[[FeatureName], bool]) -> Count:
    """The count with those bounds that are wanted."""
    most = 1 << len(count.digits)
    return replace(count, bounds=tuple(bound for bound in range(1, most) if wanted(count.name(bound))))


def _informative(composition: Composition, counts: Sequence[Count], steps: StatesByStep) -> Iterator[Count]:
    """The counts that vary between random games at the same step, with their bounds."""
    digits = composition.values([d for count in counts for d in count.digits], np.concatenate(steps))
    ends = np.cumsum([len(states) for states in steps])[:-1]
    first = 0
    for count in counts:
        weights = 1 << np.arange(len(count.digits))
        values = [*filter(len, np.split(digits[:, first : first + len(weights)] @ weights, ends))]
        first += len(weights)
        if values and np.average([v.var() for v in values], weights=[len(v) for v in values]) >= _LEAST_VARIANCE:
            yield replace(count, bounds=_bounds(np.concatenate(values)))


def _bounds(counts: npt.NDArray[np.int64]) -> tuple[int, ...]:
    """Numbers that divide the counts into groups of about equal size."""
    quantiles = np.quantile(counts, np.arange(1, _BOUNDS + 1) / (_BOUNDS + 1), method="nearest")
    return tuple(int(bound) for bound in np.unique(quantiles) if bound > counts.min())
