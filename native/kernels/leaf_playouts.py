"""Computes how many random games a tree search should play from each leaf, from what they cost here.

A visit costs t, what the tree takes to choose, make and count it, and p for each of its k random games. Games from
one leaf differ by w, the leaves by b, so n visits know a mean to sqrt((b^2 + w^2 / k) / n), and of all k that n
visits can have in a given time the best is (w / b) sqrt(t / p) (two-stage samples: Cochran, "Sampling techniques",
1977, section 10.6). Where the games cost much more than the tree that is one. Results are won or lost, while the
leaves below a move are much alike, and with more games from each fewer leaves are in flight: matches at equal time
have w for five times b.
"""

from __future__ import annotations

import math
import time
from weakref import WeakKeyDictionary

from ludens.native.core import Game, Search
from ludens.native.strategies import STRATEGIES

MOST = 8  # beyond, no match has shown a gain
_WITHIN_BETWEEN = 5.0  # w / b, as matches have it (docs/experiments/uct-tree.md)
_VISITS = 1 << 15  # that a measurement is to take: a tree costs more as it grows
_ENOUGH = 4096  # of them; where a search makes fewer in the time, games cost more than any tree
_SECONDS = 0.1  # a measurement, at most
_MEMORY_BYTES = 32 << 20

_measured: WeakKeyDictionary[Game, dict[str, int]] = WeakKeyDictionary()


def choose_playouts_per_leaf(game: Game, strategy: str) -> int:
    """Random games to be played from each leaf, 1 … MOST; measured once for a game, in at most 0.2 s."""
    if not STRATEGIES[strategy].takes_leaf_batches:
        return 1
    known = _measured.setdefault(game, {})
    if strategy not in known:
        known[strategy] = _measure(game, strategy)
    return known[strategy]


def best_count(visit: float, playout: float) -> int:
    """The best number of games, if a visit with a single one takes `visit` and a game `playout`, of any unit."""
    tree = max(0.0, visit - playout)
    return max(1, min(MOST, round(_WITHIN_BETWEEN * math.sqrt(tree / playout))))


def _measure(game: Game, strategy: str) -> int:
    playout = _cost(game, "flat")
    visit = _cost(game, strategy) if playout else None
    return best_count(visit, playout) if visit and playout else 1


def _cost(game: Game, strategy: str) -> float | None:
    """CPU seconds a visit with a single random game; None where too few end in time, or the game is solved."""
    search = Search(game, strategy=strategy, memory_bytes=_MEMORY_BYTES, playouts_per_leaf=1)
    began = time.thread_time()
    search.run(seconds=_SECONDS, playouts=_VISITS)
    elapsed = time.thread_time() - began
    stats = search.stats()
    return None if stats.solved or stats.iterations < _ENOUGH else elapsed / stats.iterations
