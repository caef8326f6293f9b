"""Checks whether a game has a faster core of its own than its network."""

from __future__ import annotations

from collections.abc import Callable

from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import INSTANT
from ludens.games.recognised_game import RecognisedGame
from ludens.games.registry import candidates, recognise
from ludens.propnet.network.propnet import Propnet

_PROOF_SECONDS = 8.0  # for comparing a recognised game with its network


def recognised_game(net: Propnet, settings: PlayerOptions, explain: Callable[[str], None]) -> RecognisedGame | None:
    """Returns the game as which a network is recognised; None where there is none, or where nothing is searched.

    `explain` takes the reasons why it is not one of the games that it looks like.
    """
    if settings.strategy in INSTANT:
        return None
    gaining = (recogniser for recogniser in candidates(net) if recogniser.gains)
    recognition = recognise(net, _PROOF_SECONDS, among=gaining)
    for name, reason in recognition.refusals.items():
        explain(f"not recognised as {name}: {reason}")
    return recognition.game
