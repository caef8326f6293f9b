"""Makes every game a game of OpenSpiel: `import ludens.openspiel`, then `pyspiel.load_game("ludens(game=hex)")`.

Needs the extra `ludens[openspiel]`.
"""

try:
    from ludens.agent.env.spiel import FactObserver, SpielGame, SpielState
except ModuleNotFoundError as error:
    if error.name not in ("pyspiel", "open_spiel"):
        raise
    told = f"{error.name} is not installed: pip install 'ludens[openspiel]'"
    raise ModuleNotFoundError(told, name=error.name) from None

__all__ = ["FactObserver", "SpielGame", "SpielState"]
