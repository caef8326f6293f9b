"""Tak on its game core, with the search and the weights that play it best."""

from __future__ import annotations

from ludens.games.recognised_game import GameOnCore
from ludens.games.tak.native_game import native_game
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.network import Floats
from ludens.games.tak.temporal_differences.weights_file import NO_WEIGHTS, chosen_weights
from ludens.native.core import Game

STRATEGY = "td"

_NETWORK_IS_BEST = {4}
"""Sizes of boards on which the weights that come with Ludens win against the plain evaluation, by matches."""


class TakOnCore(GameOnCore):
    """Tak by given rules."""

    machine = "tak core"
    strategy = STRATEGY

    def __init__(self, rules: TakRules) -> None:
        """Takes the rules."""
        self.rules = rules
        self.best_weights = "" if rules.size in _NETWORK_IS_BEST else NO_WEIGHTS

    def __str__(self) -> str:
        return str(self.rules)

    def native_game(self) -> Game:
        """See `GameOnCore`."""
        return native_game(self.rules)

    def weights(self, choice: str) -> Floats | None:
        """See `GameOnCore`."""
        return chosen_weights(choice, self.rules.size)
