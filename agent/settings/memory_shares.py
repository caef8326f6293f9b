"""Who plays with how much of the memory of a search, as parts of that: several live in an engine at once.

At first one plays on the rules and one on the network, while two searches of a trial game may be at work. Then who was
chosen enters. If that was in a hurry, another one takes over from it later. A solver has an eighth of its search's own
memory (native/src/search/search.hpp).
"""

from __future__ import annotations

import math

INTERIM = 1 / 4
"""An agent that plays until there is a better one: one on the rules, one on the network."""

TRIAL = (1 - 2 * INTERIM) / 2
"""Each search of a trial game at most: the rest is for the interim agents, should the first turn come."""

TAKEOVER = 1 / 2
"""A search that was chosen in a hurry, and one that takes over from it."""

_SPARE = 1 / 4  # for what grows with trees besides

ALL = 2 * INTERIM + 1 + _SPARE
"""All that an engine needs for its trees: most when the search that was chosen is made."""


def memory_part(whole_mb: int, share: float) -> int:
    """Returns a share of so many MB, in whole MB: one at least."""
    return max(1, math.floor(whole_mb * share))
