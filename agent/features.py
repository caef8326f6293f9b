"""What the evaluation that a player learns sees of a state."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from propnet.composition import CompositionError
from propnet.mobility import with_mobility
from propnet.network import FeatureName, Propnet
from propnet.territory import with_territory
from propnet.threats import with_threats

if TYPE_CHECKING:
    from agent.learning import Learned

CHOICES = ("all", "mobility", "threats", "territory", "state")
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of the features for each gate of the network
_SECONDS = 5.0  # for each kind; what is not found in that never is
_SHARE = 0.08  # of the time before the first turn, for each kind: what is seen has to be learned yet
_KINDS = {  # and the first word of what features of that kind are called
    "mobility": (with_mobility, "moves"),
    "threats": (with_threats, "threat"),
    "territory": (with_territory, "territory"),
}


class Seen(NamedTuple):
    """The network of a game with what its evaluation sees."""

    net: Propnet
    threats: bool = False  # whether they are part of that
    gains: bool = False  # whether territory is part of that because it was found to gain
    complete: bool = True  # whether nothing was left out that more time could have found
    plain: Propnet | None = None  # the network without territory, where it is open whether that gains
    learned: Learned | None = None  # what was found out of the evaluation already

    def without_territory(self) -> Seen:
        """The same, if it is open."""
        return self if self.plain is None else self._replace(net=self.plain, plain=None)


def feature_seconds(left: float) -> float:
    """The time for each kind, of what is left before the first turn."""
    return min(_SECONDS, _SHARE * left)


def with_features(
    net: Propnet,
    features: str,
    seconds: float = _SECONDS,
    wanted: Callable[[FeatureName], bool] | None = None,
    kinds: Collection[str] | None = None,
    *,
    trying: bool = True,
) -> Seen:
    """The network with one of `CHOICES`, each kind of features made in about `seconds` at most.

    Of each kind those that are `wanted`, or if that is None those that tell something in random games; `kinds`:
    the first words of those wanted, where they are known. A kind that would be too many gates, or depends on a
    loop, is left out. Whether territory gains is open unless it was asked for (`feature_choice`): it is seen if
    there is time for `trying` that.
    """
    gates, found, complete = max(_LEAST_GATES, _GROWTH * len(net.gates)), set[str](), True
    plain = None
    for kind, (add, word) in _KINDS.items():
        is_open = kind == "territory" and features == "all" and wanted is None
        if features not in (kind, "all") or (kinds is not None and word not in kinds) or (is_open and not trying):
            continue
        begun = time.monotonic()
        try:
            before, net = net, add(net, gates, seconds, wanted)
        except CompositionError:
            complete = complete and (seconds >= _SECONDS or time.monotonic() - begun < seconds)
            continue
        if net is not before:
            found.add(kind)
            plain = before if is_open else None
    gains = wanted is not None and "territory" in found
    return Seen(net, "threats" in found, gains, complete, plain)
