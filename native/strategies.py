"""The search strategies of the native core and what each can do, known without the core.

>>> STRATEGIES["guided"].needs_evaluation
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r'^STRATEGY\((\w+), \w+, (\w+), ([A-Z_| ]+),\s+"(.*)"\)$', re.MULTILINE)
_MOST_ROLES = {"ONE": 1, "TWO": 2, "ANY": None}


@dataclass(frozen=True, slots=True)
class Strategy:
    """One line of strategies.h, which says what the columns mean."""

    name: str
    meaning: str
    most_roles: int | None  # of a game that it plays; None: any number
    plays_random_games: bool
    takes_leaf_batches: bool
    searches_factors: bool
    needs_evaluation: bool
    solves: bool
    shares: bool  # statistics, with searches of the same game elsewhere
    mixes: bool  # its visits, where several roles choose at once, are a mixed strategy
    needs_core: bool  # the game core of a recognised game, for which it is made


def read_strategies(table: str) -> dict[str, Strategy]:
    """The strategies of a table written as strategies.h is, by name."""
    found = {}
    for name, roles, traits, meaning in _LINE.findall(table):
        has = set(traits.split(" | "))
        found[name] = Strategy(
            name,
            meaning,
            _MOST_ROLES[roles],
            plays_random_games="RANDOM_GAMES" in has,
            takes_leaf_batches="LEAF_BATCHES" in has,
            searches_factors="FACTORS" in has,
            needs_evaluation="EVALUATION" in has,
            solves="SOLVES" in has,
            shares="SHARES" in has,
            mixes="MIXES" in has,
            needs_core="CORE" in has,
        )
    return found


STRATEGIES = read_strategies(Path(__file__).with_name("strategies.h").read_text("utf-8"))
"""Every strategy by its name, in the order of the table."""
