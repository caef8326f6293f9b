"""K in a row on its game core, with the search that plays it best."""

from __future__ import annotations

from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.games.recognised_game import GameOnCore
from ludens.native.core import Game

STRATEGY = "patterns"


class GomokuOnCore(GameOnCore):
    """K in a row by given rules."""

    machine = "gomoku core"

    def __init__(self, rules: GomokuRules) -> None:
        """Takes the rules; where a row does not win, `strategy` is empty."""
        self.rules = rules
        self.strategy = STRATEGY if rules.rows_win else ""

    def __str__(self) -> str:
        return str(self.rules)

    def native_game(self) -> Game:
        """See `GameOnCore`."""
        return native_game(self.rules)
