"""Which search suits a game: what the strategy `auto` comes to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ludens.agent.settings.options import AUTO
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.analysis.dynamics import UnfinishedError, changes
from ludens.propnet.analysis.factors import Factorisation, factorise
from ludens.propnet.passes import reopen

if TYPE_CHECKING:
    from ludens.agent.settings.options import PlayerOptions
    from ludens.propnet.network.propnet import Propnet

_FACTOR_SECONDS = 2.0  # most games that have factors show them within a tenth of one
_LATCH_SECONDS = 1.0
_PLACING_SHARE = 0.9  # of the propositions; where pieces move there are less than half


def suited(strategy: str, roles: int, learned: bool) -> str:
    """The search for `strategy` in a game of so many; `learned`: there is an evaluation that could guide it.

    For one role nobody else needs to be foreseen, so what counts is to remember all positions seen. Where nothing
    has been learned, a search that would be guided by it is one by random games.
    """
    if strategy == AUTO:
        return "puzzle" if roles == 1 else suited("guided", roles, learned)
    return "uct" if strategy == "guided" and not learned else strategy


def learns(options: PlayerOptions, roles: int) -> bool:
    """Whether an evaluation is to be learned of a game of so many roles, if there is time."""
    return suited(options.strategy, roles, learned=True) == "guided"


def factors_of(net: Propnet, options: PlayerOptions) -> Factorisation | None:
    """The factors of a game, if it has any, they are found soon, and the player may use them."""
    if options.factored == "off":
        return None
    try:
        return factorise(net, _FACTOR_SECONDS)
    except CompositionError:
        return None


def only_places(net: Propnet) -> bool:
    """Whether all that moves do is to put something down for good, as in hex: proven of almost all propositions.

    There a move is worth much the same whenever it is made, so that statistics of all moves as first may help.
    """
    circuit = reopen(net)
    try:
        found = changes(circuit, time.monotonic() + _LATCH_SECONDS)
    except UnfinishedError:
        return False
    control = {proposition for cycle in autonomous(circuit) for proposition in cycle.propositions}
    others = set(range(net.state_bits)) - control
    return len(others & (found.latch_true | found.latch_false)) > _PLACING_SHARE * len(others)
