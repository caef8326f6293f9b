"""Makes every game a game of OpenSpiel: `import ludens.openspiel`, then `pyspiel.load_game("ludens(game=hex)")`.

Needs the extra `ludens[openspiel]`.
"""

from ludens.agent.env.spiel import FactObserver, SpielGame, SpielState

__all__ = ["FactObserver", "SpielGame", "SpielState"]
