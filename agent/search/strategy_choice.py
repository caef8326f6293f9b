"""Decides which search a strategy's name stands for in a given game."""

from __future__ import annotations

from ludens.agent.settings.strategies import AUTO
from ludens.native.strategies import STRATEGIES

GUIDED, RANDOM_GAMES, PUZZLE = "guided", "uct", "puzzle"
"""The strategies of `auto`: with an evaluation, without one, and for games of one role."""


def resolve_strategy(strategy: str, roles: int, *, learned: bool) -> str:
    """Returns the strategy that plays a game of so many roles; `learned`: there is an evaluation to guide it.

    A game of one role needs no foresight of others, so what counts is to remember all positions seen. A strategy
    that needs an evaluation is replaced by one of random games where there is none.
    """
    if strategy == AUTO:
        return PUZZLE if roles == 1 else resolve_strategy(GUIDED, roles, learned=learned)
    return strategy if learned or not _needs_evaluation(strategy) else RANDOM_GAMES


def learns(strategy: str, roles: int) -> bool:
    """Says whether an evaluation is to be learned of a game of so many roles, if there is time."""
    return _needs_evaluation(resolve_strategy(strategy, roles, learned=True))


def _needs_evaluation(strategy: str) -> bool:
    return strategy in STRATEGIES and STRATEGIES[strategy].needs_evaluation
