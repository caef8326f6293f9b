"""Makes the network whose random games follow a playout policy.

`auto` takes anti-decisive play wherever the network composed with itself stays of bearable size: at equal time it
gained in knightthrough, breakthrough and connect four, though fewer games are played, and was level in pentago
(docs/experiments/playout-policies.md). Decisive play alone is never taken by itself. It made connect four weaker:
threats look won to games in which nobody parries them. Where `captures` and `mast` can expect more, they play instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.settings.options import UNIFORM
from ludens.agent.settings.strategies import AUTO
from ludens.native.playout_policies import MACHINE_POLICIES
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.apply import with_policy
from ludens.propnet.policies.table import POLICIES

CAPTURES = "captures"
MAST = "mast"
_GROWTH = 20  # gates of the policy for each gate of the network
_SECONDS = 10.0
START_SECONDS = 2.0  # of a match, when time is short; most networks take a fraction of one


def with_playouts(net: Propnet, policy: str, seconds: float = _SECONDS) -> Propnet:
    """Returns the network whose random games follow one of `PLAYOUT_POLICIES`.

    Composing it takes up to `seconds` for each policy that is composed.

    Raises `CompositionError` if the network cannot have the policy asked for; with `auto` games stay uniform.
    `MACHINE_POLICIES`, and policies that refine the default one, such as `captures`, choose from what `auto` leaves.
    """
    if policy == UNIFORM:
        return net
    if policy in MACHINE_POLICIES:
        return replace(with_playouts(net, AUTO, seconds), machine_policy=policy)
    if policy != AUTO:
        refined = policy in POLICIES and POLICIES[policy].refines_default
        return with_policy(with_playouts(net, AUTO, seconds) if refined else net, policy, seconds=seconds)
    try:
        return with_policy(net, "anti-decisive", gates=_GROWTH * len(net.gates), seconds=seconds)
    except CompositionError:
        return net


def playable(
    net: Propnet, policy: str, tell: Callable[[str], None], seconds: float = START_SECONDS
) -> tuple[Propnet, str]:
    """Returns the network whose random games follow a policy, and that; where it cannot `uniform`, and tells why."""
    try:
        return with_playouts(net, policy, seconds), policy
    except CompositionError as error:
        tell(f"random games choose from all legal moves, since policy={policy} does not suit the game: {error}")
        return net, UNIFORM
