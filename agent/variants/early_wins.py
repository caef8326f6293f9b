"""Finds the wins of a game that no answer can prevent, as far as a player has time for it."""

from __future__ import annotations

from collections.abc import Callable

from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.finding import NoUnstoppableWinsError, UnstoppableWins, find_unstoppable_wins

_LONGEST = 2  # chain of moves; longer ones win little more, and cost many gates (docs/experiments/unstoppable-wins.md)
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of unstoppable wins for each gate of the network
_SECONDS = 4.0  # most games take less than one


def early_wins(net: Propnet, explain: Callable[[str], None]) -> UnstoppableWins | None:
    """Finds the unstoppable wins of a game, in all its networks; None where there are none, or too many to find.

    `explain` takes what is found.
    """
    try:
        found = find_unstoppable_wins(net, _LONGEST, max(_LEAST_GATES, _GROWTH * len(net.gates)), _SECONDS)
    except NoUnstoppableWinsError:
        return None
    except CompositionError as error:
        explain(f"wins that nobody can prevent are not looked for: {error}")
        return None
    explain(f"a search ends at wins that nobody can prevent; {len(found.gates):,} more logic gates find them")
    return found
