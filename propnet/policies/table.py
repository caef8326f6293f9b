"""The playout policies that a network can have as gates, by name.

A playout policy says which moves random games choose from: rows `playable` of the network, besides `legal`, for all
games side by side in one pass. What the rows say is composed from the network itself (`analysis.composition`). A new
policy is a function `(net, composition, seconds) -> playable` in a file of this folder, and a line in `POLICIES`:
all settings and tools take their names from there.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludens.propnet.analysis.composition import Composition
    from ludens.propnet.network.propnet import Propnet

    Playable = Callable[[Propnet, Composition, float], list[int]]


class PlayoutPolicy(NamedTuple):
    """How random games choose their moves.

    `playable` gives for each move, role after role, the literal of its being one to choose from, as gates added to
    a composition that starts with the network; at least one must hold wherever some move of a role is legal. It
    may take about so many seconds, and raises `CompositionError` where the network cannot have the policy.
    """

    playable: Playable
    meaning: str  # what a random game does, in words for users
    refines_default: bool = False  # whether players apply it to what their default policy leaves, if asked for it


def _in_file(file: str, function: str) -> Playable:
    """Returns a function of a file of this folder that is imported when it is first called.

    Help and settings need names and meanings alone, without what composes networks.
    """

    def playable(net: Propnet, composition: Composition, seconds: float) -> list[int]:
        found: Playable = getattr(import_module(f"{__package__}.{file}"), function)
        return found(net, composition, seconds)

    return playable


POLICIES = {
    "decisive": PlayoutPolicy(_in_file("decisive", "decisive"), "wins at once where possible"),
    "anti-decisive": PlayoutPolicy(
        _in_file("decisive", "anti_decisive"), "as decisive, and lets no other role win at once if it can"
    ),
    "captures": PlayoutPolicy(
        _in_file("captures", "captures_first"), "captures before other moves", refines_default=True
    ),
}
"""All playout policies by name; players offer them in this order."""
