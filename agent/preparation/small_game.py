"""Finds out whether a game in which two choose at once has so few positions that all can be solved in the start clock.

Then the search has backward induction at its side from the first position on: nobody gains by knowing how that plays.
It takes the two for enemies, so the rules have to prove that one wins what the other loses. Small games of two who take
turns need nothing of the kind: tree searches prove them as they go.
"""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import several_choose
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.strategy_choice import BACKWARD_INDUCTION
from ludens.propnet.base.errors import LudensError

_SHARE = 1 / 5  # of the time that is left, at most: mostly memory ends it sooner
_MOST_SECONDS = 10.0  # who has time without end does not want to wait
_RUN_SECONDS = 0.05
_SOLVER_SHARE = 0.9  # of the time of the search
_SOLVER_MEMORY = 8  # a solver at the side of a search has such a part of its memory
_HOWEVER_LONG = 1_000_000  # steps of random games


def solve_small_game(plain: SearchConfig, budget: TimeBudget) -> SearchConfig | None:
    """Returns a configuration with a search that has solved the game of `plain`, if a part of the budget suffices."""
    game = plain.variant.game
    if game.roles != 2 or not game.constant_sum or not several_choose(game, budget.seed):
        return None
    memory_mb = max(1, plain.memory_mb // _SOLVER_MEMORY)
    alone = replace(plain, strategy=BACKWARD_INDUCTION, kernel=None, memory_mb=memory_mb)
    beside = replace(plain, kernel=None, solver_share=_SOLVER_SHARE, solver_steps=_HOWEVER_LONG)
    try:
        if (solver := _solve(alone, budget)) is None:  # it gives up sooner than a search that has it at its side
            return None
        positions = solver.stats().nodes
        reason = f"all {positions:,} positions that can come up were solved in advance, by backward induction"
        return replace(beside, solved=_solve(beside, budget), reason=reason)
    except (LudensError, MemoryError) as error:
        budget.explain(f"the game could not be solved: {str(error) or 'out of memory'}")
        return None


def _solve(config: SearchConfig, budget: TimeBudget) -> GameSearch | None:
    """Returns a search that has solved the game; None if time or memory did not suffice."""
    search = new_search(config, budget.seed)
    assert search is not None
    end, before = budget.clock() + min(_MOST_SECONDS, _SHARE * budget.left()), -1
    while not (stats := search.stats()).solved:
        gave_up = stats.playouts == before
        if gave_up or budget.stopped() or budget.clock() >= end:
            return None
        before = stats.playouts
        search.run(_RUN_SECONDS)
    return search
