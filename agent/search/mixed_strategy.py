"""Draws a move at random in proportion to its visits, for positions where several roles choose at the same time.

The most visited move alone can be foreseen and answered. The visits of regret matching approach the strategy that
no answer gains from; those by which it only looked are left out ("purified": Ganzfried, Sandholm and Waugh,
"Strategy purification and thresholding", 2012). What regret matching loses falls with √(moves / visits) (Hart and
Mas-Colell, 2000); the share of visits that say nothing is assumed to do so too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ludens.agent.search.contract import GameSearch
from ludens.native.core import RootMoves

# Moves with less than this share of the most visits were only looked at, and are not played: so many times
# √(moves / visits), between these bounds, all found by experiment (docs/experiments/simultaneous-moves.md).
_NOISE = 20.0
_LEAST, _MOST = 0.1, 0.4


def mixed_strategy(known: RootMoves) -> npt.NDArray[np.float64]:
    """Returns the chance of each move."""
    weights = _weights(known)
    chances: npt.NDArray[np.float64] = weights / weights.sum()
    return chances


def choose(known: RootMoves, random: Callable[[], float], *, hidden: bool, mixes: bool) -> int:
    """Returns the index of the move to play: the best one, or one that is drawn where others' choices are `hidden`.

    Only visits of searches that mix (`GameSearch.mixes`), or that are optimal, may be drawn from. `random`, which
    returns a number in [0, 1), is asked only then.
    """
    return draw(known, random()) if hidden and (mixes or known.optimal) else known.best


def choose_all(
    legal: Sequence[npt.NDArray[np.intp]],
    searches: Sequence[GameSearch],
    think: Callable[[int], None],
    random: Callable[[], float],
) -> list[int]:
    """Returns the moves of all roles in a position, each of its legal ones as its search chooses.

    Roles may share a search. `think(role)` has that of a role think: once, and only where a role has a choice. For
    `random` see `choose`.
    """
    choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
    thinking = dict[GameSearch, int]()
    for role in choosing:
        if thinking.setdefault(searches[role], role) == role:
            think(role)
    joint = [int(moves[0]) for moves in legal]
    for role in choosing:
        known = searches[role].root_moves(role)
        chosen = choose(known, random, hidden=len(choosing) > 1, mixes=searches[role].mixes)
        joint[role] = int(known.moves[chosen])
    return joint


def draw(known: RootMoves, quantile: float) -> int:
    """Returns the index of the move at `quantile`, in [0, 1), of the mixed strategy that the visits stand for.

    A position keeps its quantile while visits grow, so that the choice settles as they do.
    """
    bounds = np.cumsum(_weights(known))
    return int(np.searchsorted(bounds, quantile * bounds[-1], side="right"))


def _weights(known: RootMoves) -> npt.NDArray[np.int64]:
    """Returns the visits of the moves that may be played; of a position that was not searched, 1 of each."""
    visits = known.visits
    if not (total := visits.sum()):
        return np.ones_like(visits)
    if known.optimal:
        return visits
    share = min(_MOST, max(_LEAST, _NOISE * math.sqrt(len(visits) / total)))
    return np.where(visits >= share * visits.max(), visits, 0)
