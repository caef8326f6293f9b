"""Tak on its game core, with the search that plays it best."""

from __future__ import annotations

from ludens.games.recognised_game import GameOnCore
from ludens.games.tak.native_game import native_game
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.network import Floats
from ludens.games.tak.temporal_differences.weights_file import chosen_weights
from ludens.native.core import Game

STRATEGY = "td"


class TakOnCore(GameOnCore):
    """Tak by given rules."""

    machine = "tak core"
    strategy = STRATEGY

    def __init__(self, rules: TakRules) -> None:
        """Takes the rules."""
        self.rules = rules

    def __str__(self) -> str:
        return str(self.rules)

    def native_game(self) -> Game:
        """See `GameOnCore`."""
        return native_game(self.rules)

    def weights(self, choice: str) -> Floats | None:
        """See `GameOnCore`."""
        return chosen_weights(choice, self.rules.size)
