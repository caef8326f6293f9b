"""The playout policies that a network can have as gates, by name, and how a network gets one.

A playout policy says which moves random games choose from: rows `playable` of the network, besides `legal`, for all
games side by side in one pass. What the rows say is composed from the network itself (`analysis.composition`). A new
policy is a function `(net, composition, seconds) -> playable` in a file of this folder, and a line in `POLICIES`:
all settings and tools take their names from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ludens.propnet.analysis.composition import Composition, check_growth
from ludens.propnet.analysis.lookahead import PolicyError
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import finish
from ludens.propnet.policies.captures import captures_first
from ludens.propnet.policies.decisive import MOST_GATES, PLAYABLE_GROWTH, anti_decisive, decisive


class PlayoutPolicy(NamedTuple):
    """How random games choose their moves.

    `playable` gives for each move, role after role, the literal of its being one to choose from, as gates added to
    a composition that starts with the network; at least one must hold wherever some move of a role is legal. It
    may take about so many seconds, and raises `CompositionError` where the network cannot have the policy.
    """

    playable: Callable[[Propnet, Composition, float], list[int]]
    meaning: str  # what a random game does, in words for users
    refines_default: bool = False  # whether players apply it to what their default policy leaves, if asked for it


POLICIES = {
    "decisive": PlayoutPolicy(decisive, "wins at once where possible"),
    "anti-decisive": PlayoutPolicy(anti_decisive, "besides, never lets another role win at once"),
    "captures": PlayoutPolicy(captures_first, "captures before other moves", refines_default=True),
}
"""All playout policies by name; players offer them in this order."""


def with_policy(net: Propnet, policy: str, gates: int = MOST_GATES, seconds: float = 10.0) -> Propnet:
    """The network with the playable moves of one of `POLICIES`, of at most `gates` gates more.

    If the network had playable moves before, the policy chooses from these. It takes about `seconds` at most.
    Raises `CompositionError`, of which `PolicyError` is one, where that is not possible.
    """
    if policy not in POLICIES:
        raise PolicyError(f"there is no playout policy {policy!r}; there are {', '.join(POLICIES)}")
    composition = Composition.from_network(net, PLAYABLE_GROWTH * gates, time.monotonic() + seconds)
    playable = POLICIES[policy].playable(net, composition, seconds)
    made = finish(replace(composition.circuit, gates=composition.gates, playable=playable))
    check_growth(len(made.gates) - len(net.gates), gates)
    return made
