"""Finds out whether two roles are opponents, who then play for relative goals (propnet/analysis/relative_goals.py).

The rules pay each role for itself. Where goals do not sum to 100, a search for one's own goal alone supposes that the
other one does not mind what it gets, and in self-play neither learns what the other could do to it: in skirmish, where
each is paid for what it captures, guided search gets less than UCT does. If it plays for its goal less the other's, it
gets more, and captures more as well (docs/experiments/relative-goals.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludens.native.core import Game, random_samples
from ludens.native.core.binding import Floats
from ludens.propnet.analysis.relative_goals import RelativeGoalsError, sums_to_100, with_relative_goals
from ludens.propnet.diagnosis.roles import NATURE
from ludens.propnet.network.propnet import Propnet

SECONDS = 0.5  # for random games, at most, unless something else is said
_GAMES = 4096  # far more than are played side by side: those that end first would be the shortest
_SEED = 1
_LEAST_GAMES = 30  # that tell anything
_MOST_CORRELATION = 0.5  # of the goals of opponents: assumed, for no game at hand has more
_SUM = 100
_ALONE = "each role plays for its own goal alone: "


def are_opponents(net: Propnet, explain: Callable[[str], None] = lambda _text: None, seconds: float = SECONDS) -> bool:
    """Says whether relative goals are to be played for: by two roles who do not gain and lose together.

    Not where goals sum to 100 anyway, as far as the rules or random games show. Nor is a role an opponent who moves by
    chance, or whose goal never varies. If too few random games end in time to tell, two roles are opponents. `explain`
    takes what is found. Plays for so many `seconds` at most, besides making the game.
    """
    if len(net.roles) != 2 or sums_to_100(net):
        return False
    if NATURE in net.roles:
        explain(f"{_ALONE}{NATURE} moves by chance")
        return False
    goals = random_samples(Game.from_propnet(net), _GAMES, seconds=seconds, seed=_SEED).targets
    if len(goals) >= _LEAST_GAMES and np.all(goals.sum(axis=1) == _SUM):
        return False
    if reason := _why_not(net, goals):
        explain(_ALONE + reason)
        return False
    explain("each role plays for its goal less that of the other, since goals need not sum to 100")
    return True


def explain_core_goals(core: Game, explain: Callable[[str], None]) -> None:
    """Explains what two roles on a game core of its own play for where their goals need not sum to 100."""
    if core.roles == 2 and not core.constant_sum:
        explain(f"{_ALONE}the game is played on a core of its own")


def _why_not(net: Propnet, goals: Floats) -> str:
    """Says why two roles with these goals at the ends of random games are no opponents; empty if they are."""
    if len(goals) >= _LEAST_GAMES:
        if not np.all(np.ptp(goals, axis=0) > 0):
            return "in random games that of one never varies"
        if np.corrcoef(goals.T).min() > _MOST_CORRELATION:
            return "both gain and lose together in random games"
    try:
        with_relative_goals(net)
    except RelativeGoalsError as error:
        return str(error)
    return ""
