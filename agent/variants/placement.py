"""Finds games in which moves only place something, such as hex.

There a move is worth much the same whenever it is made, so that statistics of all moves as first (RAVE) may help.
"""

from __future__ import annotations

from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.analysis.dynamics import changes
from ludens.propnet.base.clock import now
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen

_SECONDS = 1.0
_LATCHED_SHARE = 0.9  # of the propositions; where pieces move less than half of them latch


def only_places(net: Propnet) -> bool:
    """Says whether almost all propositions are proven to latch; False if that takes more than a second."""
    circuit = reopen(net)
    try:
        found = changes(circuit, now() + _SECONDS)
    except CompositionError:
        return False
    control = {proposition for cycle in autonomous(circuit) for proposition in cycle.propositions}
    others = set(range(net.state_bits)) - control
    return len(others & (found.latch_true | found.latch_false)) > _LATCHED_SHARE * len(others)
