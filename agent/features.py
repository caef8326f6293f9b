"""What the evaluation that a player learns sees of a state."""

from __future__ import annotations

from propnet.composition import CompositionError
from propnet.mobility import with_mobility
from propnet.network import Propnet

CHOICES = ("mobility", "state")
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 5  # gates of the features for each gate of the network
_SECONDS = 5.0


def with_features(net: Propnet, features: str, seconds: float = _SECONDS) -> Propnet:
    """The network with one of `CHOICES`, made in about `seconds` at most.

    Where moves are too many to be counted, or depend on a loop, the state alone is seen.
    """
    if features == "state":
        return net
    try:
        return with_mobility(net, max(_LEAST_GATES, _GROWTH * len(net.gates)), seconds)
    except CompositionError:
        return net
