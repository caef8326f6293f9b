"""Finds out whether a game in which two choose at once has so few positions that all can be solved in the start clock.

Then backward induction plays: nobody gains by knowing how. It takes the two for enemies, so the rules have to prove
that one wins what the other loses. Small games of two who take turns need nothing of the kind: tree searches prove
them as they go.
"""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import several_choose
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import BACKWARD_INDUCTION
from ludens.native.core import Search

_SHARE = 1 / 16  # of the time that is left: when it is played the game has to be solved once more,
_MOST_SECONDS = 10.0  # ... and who has time without end does not want to wait
_RUN_SECONDS = 0.05


def solve_small_game(plain: SearchConfig, budget: TimeBudget) -> SearchConfig | None:
    """Returns the configuration that solves the game of another one, if it can be solved in a part of the budget."""
    game = plain.variant.game
    if game.roles != 2 or not game.constant_sum or not several_choose(game, budget.seed):
        return None
    memory_bytes = plain.memory_mb << 20
    search = Search(game, strategy=BACKWARD_INDUCTION, memory_bytes=memory_bytes, symmetries=game.symmetries)
    end, before = budget.clock() + min(_MOST_SECONDS, _SHARE * budget.left()), -1
    while not (stats := search.stats()).solved:
        if stats.playouts == before or budget.stopped() or budget.clock() >= end:
            return None
        before = stats.playouts
        search.run(_RUN_SECONDS)
    reason = f"all {stats.nodes:,} positions that can come up were solved in advance"
    return replace(plain, strategy=BACKWARD_INDUCTION, kernel=None, reason=reason)
