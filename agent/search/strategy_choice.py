"""Decides which search a strategy's name stands for in a given game."""

from __future__ import annotations

from ludens.agent.settings.strategies import AUTO
from ludens.native.strategies import STRATEGIES

GUIDED, RANDOM_GAMES, PUZZLE = "guided", "uct", "puzzle"
"""The strategies of `auto`: with an evaluation, without one, and for games of one role."""

RAVE, DECOUPLED = "rave", "decoupled"
"""Others that it tries: where moves only put something down, and where several roles choose at the same time."""

BACKWARD_INDUCTION = "backward_induction"
"""The one that solves small games of two who choose at once."""


def resolve_strategy(strategy: str, roles: int, *, learned: bool, on_core: bool = False) -> str:
    """Returns the strategy that plays a game of so many roles; `learned`: there is an evaluation to guide it.

    A game of one role needs no foresight of others, so what counts is to remember all positions seen. A strategy
    that needs an evaluation is replaced by one of random games where there is none, and so is one that needs a game
    core unless the game is played `on_core`.
    """
    if strategy == AUTO:
        return PUZZLE if roles == 1 else resolve_strategy(GUIDED, roles, learned=learned)
    lacking = (_needs_evaluation(strategy) and not learned) or (needs_core(strategy) and not on_core)
    return RANDOM_GAMES if lacking else strategy


def learns(strategy: str, roles: int) -> bool:
    """Says whether an evaluation is to be learned of a game of so many roles, if there is time."""
    return _needs_evaluation(resolve_strategy(strategy, roles, learned=True))


def needs_core(strategy: str) -> bool:
    """Says whether a strategy plays only recognised games, on the game core for which it is made."""
    return strategy in STRATEGIES and STRATEGIES[strategy].needs_core


def _needs_evaluation(strategy: str) -> bool:
    return strategy in STRATEGIES and STRATEGIES[strategy].needs_evaluation
