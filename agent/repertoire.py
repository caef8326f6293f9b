"""Which search suits a game: what the strategy `auto` comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.options import AUTO

if TYPE_CHECKING:
    from native.core import Game


def suited(strategy: str, game: Game, learned: bool) -> str:
    """The search for `strategy` in a game; `learned`: there is an evaluation that could guide it.

    For one role nobody else needs to be foreseen, so what counts is to remember all positions seen. Where nothing
    has been learned, a search that would be guided by it is one by random games.
    """
    if strategy == AUTO:
        return "puzzle" if game.roles == 1 else suited("guided", game, learned)
    return "uct" if strategy == "guided" and not learned else strategy
