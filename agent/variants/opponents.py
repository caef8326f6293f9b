"""Finds out whether two roles are opponents, who then play for relative goals (propnet/analysis/relative_goals.py).

The rules pay each role for itself. Where goals do not sum to 100, a search for one's own goal alone supposes that the
other one does not mind what it gets, and in self-play neither learns what the other could do to it: in skirmish, where
each is paid for what it captures, guided search loses most games to UCT. If it plays for its goal less the other's, it
wins most, and captures more as well (docs/experiments/relative-goals.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ludens.native.core import Game, random_samples
from ludens.native.core.binding import Floats
from ludens.propnet.analysis.relative_goals import RelativeGoalsError, sums_to_100, with_relative_goals
from ludens.propnet.base.clock import now
from ludens.propnet.diagnosis.roles import NATURE
from ludens.propnet.network.propnet import Propnet

_SUM = 100
_GAMES = 64  # random ones at a time,
_ENOUGH_GAMES = 256  # ... until there are so many,
_SECONDS = 0.5  # ... or for so long
_LEAST_GAMES = 30  # that tell anything
_MOST_CORRELATION = 0.5  # of the goals of opponents: assumed, for no game at hand has more
_TOGETHER = "each role plays for its own goal alone: "


def are_opponents(net: Propnet, explain: Callable[[str], None] = lambda _text: None) -> bool:
    """Says whether relative goals are to be played for: by two roles who do not gain and lose together.

    Not where goals sum to 100 anyway, as far as the rules or random games show. Nor is a role an opponent who draws
    lots, or whose goal never varies. If too few random games end in time to tell, two roles are opponents. `explain`
    takes what is found. Plays for half a second at most, besides making the game.
    """
    if len(net.roles) != 2 or sums_to_100(net):
        return False
    if NATURE in net.roles:
        explain(f"{_TOGETHER}{NATURE} draws lots")
        return False
    goals = _random_goals(net)
    if len(goals) >= _LEAST_GAMES and np.all(goals.sum(axis=1) == _SUM):
        return False
    if reason := _why_not(net, goals):
        explain(_TOGETHER + reason)
        return False
    explain("each role plays for its goal less that of the other, since goals need not sum to 100")
    return True


def searched_network(net: Propnet, *, relative: bool) -> Propnet:
    """Returns the network whose goals searches play for."""
    return with_relative_goals(net) if relative else net


def _why_not(net: Propnet, goals: Floats) -> str:
    """Says why two roles with these goals at the ends of random games are no opponents; empty if they are."""
    if len(goals) >= _LEAST_GAMES:
        if not np.all(np.ptp(goals, axis=0) > 0):
            return "in random games that of one never varies"
        if correlation(goals) > _MOST_CORRELATION:
            return "both gain and lose together in random games"
    try:
        with_relative_goals(net)
    except RelativeGoalsError as error:
        return str(error)
    return ""


def _random_goals(net: Propnet) -> Floats:
    """Returns the goals [n, 2] at the ends of random games."""
    game, end, found = Game.from_propnet(net), now() + _SECONDS, [np.empty((0, 2), np.float32)]
    while sum(map(len, found)) < _ENOUGH_GAMES and (left := end - now()) > 0:
        found.append(random_samples(game, _GAMES, seconds=left, seed=len(found)).targets)
    return np.concatenate(found)


def correlation(goals: Floats) -> float:
    """Returns Pearson's correlation between the goals [n, 2] of two roles; both vary."""
    apart = goals - goals.mean(axis=0)
    return float(np.prod(apart, axis=1).sum()) / math.sqrt(float(np.prod((apart**2).sum(axis=0))))
