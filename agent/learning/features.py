"""What the evaluation that a player learns sees of a state."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.features.mobility import with_mobility
from ludens.propnet.features.territory import with_territory
from ludens.propnet.features.threats import with_threats
from ludens.propnet.network.propnet import FeatureName, Propnet

if TYPE_CHECKING:
    from ludens.agent.learning.learning import Learned

CHOICES = ("all", "mobility", "threats", "territory", "state")
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of the features for each gate of the network
_SECONDS = 5.0  # for each kind,
_SHARE = 1 / 8  # ... but of the time before the first turn no more than that: what is seen has to be learned yet
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
    late: frozenset[str] = frozenset()  # first words of the names of what was left out for want of time
    complete: bool = True  # whether it is known what gains
    plain: Propnet | None = None  # the network without territory, where it is open whether that gains
    learned: Learned | None = None  # what was found out of the evaluation already

    def without_territory(self) -> Seen:
        """The same, if it is open."""
        return self if self.plain is None else self._replace(net=self.plain, plain=None)


class Known(NamedTuple):
    """What the evaluation of a game saw that was learned before."""

    wanted: Callable[[FeatureName], bool]
    kinds: frozenset[str]  # first words of the names of that
    late: frozenset[str] = frozenset()  # ... and of what there was no time for


def feature_seconds(left: float) -> float:
    """The time for each kind, of what is left before the first turn."""
    return min(_SECONDS, _SHARE * left)


def with_features(
    net: Propnet, features: str, seconds: float = _SECONDS, known: Known | None = None, *, trying: bool = True
) -> Seen:
    """The network with one of `CHOICES`, each kind of features made in about `seconds` at most.

    Of each kind those that tell something in random games, or if it is `known` those that were seen before, for
    which there is always time. A kind that would be too many gates, or depends on a loop, is left out. Whether
    territory gains is open unless it was asked for (`feature_choice`): it is seen if there is time for `trying`
    that.
    """
    gates = max(_LEAST_GATES, _GROWTH * len(net.gates))
    seen = Seen(net)
    for kind, (add, word) in _KINDS.items():
        is_known = known is not None and word in known.kinds
        is_settled = known is not None and word not in known.late
        is_open = kind == "territory" and features == "all" and not is_known
        if features not in (kind, "all") or (is_settled and not is_known) or (is_open and not trying):
            continue
        limit, wanted = (_SECONDS, known.wanted) if known and is_known else (seconds, None)
        begun = time.monotonic()
        try:
            made = add(seen.net, gates, limit, wanted)
        except CompositionError:
            if time.monotonic() - begun >= limit:
                seen = seen._replace(late=seen.late | {word})
            continue
        if made is not seen.net:
            seen = _with_kind(seen, kind, made, is_open=is_open, is_known=is_known)
    return seen


def _with_kind(seen: Seen, kind: str, made: Propnet, *, is_open: bool, is_known: bool) -> Seen:
    """The same with a kind of features more, which `made` has."""
    if kind == "territory":
        seen = seen._replace(gains=is_known, plain=seen.net if is_open else None)
    return seen._replace(net=made, threats=seen.threats or kind == "threats")
