"""K in a row on its game core, with the search that plays it best."""

from __future__ import annotations

from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.games.recognised_game import GameOnCore
from ludens.native.core import Game

STRATEGY = "patterns"
UNIFORM, BY_THREATS = "uniform", "anti-decisive"
POLICIES = UNIFORM, BY_THREATS
"""Of random games on the core: any legal move, or rows are completed, and those about to be completed are answered."""


class GomokuOnCore(GameOnCore):
    """K in a row by given rules."""

    machine = "gomoku core"

    def __init__(self, rules: GomokuRules, *, policy: str = UNIFORM, insight: bool = True) -> None:
        """Takes the rules; where a row does not win, `strategy` is empty.

        Random games follow a `policy` of `POLICIES`. With `insight` tree searches are told of wins by threats, and
        which moves promise most.
        """
        self.rules, self.policy, self._insight = rules, policy, insight
        self.strategy = STRATEGY if rules.rows_win else ""

    def __str__(self) -> str:
        return str(self.rules)

    def native_game(self) -> Game:
        """See `GameOnCore`."""
        return native_game(self.rules, threat_playouts=self.policy == BY_THREATS, insight=self._insight)
