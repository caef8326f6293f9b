"""Checks whether a game has a faster core of its own than its network."""

from __future__ import annotations

from collections.abc import Callable

from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import AUTO, INSTANT
from ludens.games.recognised_game import RecognisedGame, Recogniser
from ludens.games.registry import candidates, recognise
from ludens.propnet.network.propnet import Propnet

_LEAST_SECONDS, _MOST_SECONDS = 8.0, 120.0  # for comparing a recognised game with its network: on a busy machine
_TIME_SHARE = 1 / 3  # of the time before the first turn, within these


def recognised_game(
    net: Propnet, settings: PlayerOptions, explain: Callable[[str], None], seconds: float = 0.0
) -> RecognisedGame | None:
    """Returns the game as which a network is recognised; None where there is none, or the settings do not need it.

    `explain` takes the reasons why it is not one of the games that it looks like; `seconds` are left before the first
    turn.
    """
    if settings.strategy in INSTANT or settings.recognise == "off":
        return None
    served = [recogniser for recogniser in candidates(net) if serves(recogniser, settings.strategy)]
    proof_seconds = min(max(_LEAST_SECONDS, _TIME_SHARE * seconds), _MOST_SECONDS)
    recognition = recognise(net, proof_seconds, among=served)
    for name, reason in recognition.refusals.items():
        explain(f"not recognised as {name}: {reason}")
    game, recogniser = recognition.game, recognition.recogniser
    if game is not None and recogniser is not None and recogniser.strategies is not None and not game.strategy:
        explain(f"{game} is played on its network: {recogniser.strategy} does not play for such goals")
        return None
    return game


def serves(recogniser: Recogniser, strategy: str) -> bool:
    """Says whether a strategy plays on the game cores of a recogniser."""
    served = recogniser.strategies
    return served is None or strategy in (AUTO, recogniser.strategy, *served)
