"""Gives a network a playout policy of the table."""

from __future__ import annotations

from dataclasses import replace

from ludens.propnet.analysis.composition import Composition, check_growth
from ludens.propnet.analysis.lookahead import PolicyError
from ludens.propnet.base.clock import now
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import finish
from ludens.propnet.policies.decisive import MOST_GATES, PLAYABLE_GROWTH
from ludens.propnet.policies.table import POLICIES


def with_policy(net: Propnet, policy: str, gates: int = MOST_GATES, seconds: float = 10.0) -> Propnet:
    """The network with the playable moves of one of `POLICIES`, of at most `gates` gates more.

    If the network had playable moves before, the policy chooses from these. It takes about `seconds` at most.
    Raises `CompositionError`, of which `PolicyError` is one, where that is not possible.
    """
    if policy not in POLICIES:
        raise PolicyError(f"there is no playout policy {policy!r}; there are {', '.join(POLICIES)}")
    composition = Composition.from_network(net, PLAYABLE_GROWTH * gates, now() + seconds)
    playable = POLICIES[policy].playable(net, composition, seconds)
    made = finish(replace(composition.circuit, gates=composition.gates, playable=playable))
    check_growth(len(made.gates) - len(net.gates), gates)
    return made
