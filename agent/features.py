"""What the evaluation that a player learns sees of a state."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from propnet.composition import CompositionError
from propnet.mobility import with_mobility
from propnet.network import FeatureName, Propnet
from propnet.threats import with_threats

CHOICES = ("all", "mobility", "threats", "state")
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of the features for each gate of the network
_SECONDS = 5.0  # for each kind
_KINDS = {"mobility": with_mobility, "threats": with_threats}


class Seen(NamedTuple):
    """The network of a game with what its evaluation sees."""

    net: Propnet
    threats: bool = False  # whether they are part of that
    complete: bool = True  # whether nothing was left out for want of time


def with_features(
    net: Propnet,
    features: str,
    seconds: float = _SECONDS,
    wanted: Callable[[FeatureName], bool] | None = None,
) -> Seen:
    """The network with one of `CHOICES`, each kind of features made in about `seconds` at most.

    Of each kind those that are `wanted`, or if that is None those that tell something in random games. A kind
    that would be too many gates, or depends on a loop, is left out.
    """
    gates, found, complete = max(_LEAST_GATES, _GROWTH * len(net.gates)), set[str](), True
    for kind, add in _KINDS.items():
        if features in (kind, "all"):
            begun = time.monotonic()
            try:
                before, net = net, add(net, gates, seconds, wanted)
                if net is not before:
                    found.add(kind)
            except CompositionError:
                complete = complete and time.monotonic() - begun < seconds
    return Seen(net, "threats" in found, complete)
