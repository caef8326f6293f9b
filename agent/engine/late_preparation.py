"""Prepares a game again while its match is on, where the start clock was too short to learn it.

In most games a player waits in half of the turns. To learn on then is worth less than to think on for who has learned
the game already (docs/experiments/learning-speed.md), but far more for who has not, since guided search is much the
stronger one in most games (docs/experiments/choice.md). So the search that was chosen in a hurry pauses while others
move, until there was time to learn.
"""

from __future__ import annotations

from collections.abc import Callable

from ludens.agent.engine.backends import Stage
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare_later
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_TRIES = 3  # each with twice the time of the one before
_LEAST_SECONDS = 20.0  # of the first


class LatePreparation:
    """Decides once more how a game is searched, with more time than its start clock left."""

    def __init__(
        self,
        net: Propnet,
        sheet: RuleSheet,
        recognised: RecognisedGame | None,
        settings: PlayerOptions,
        budget: TimeBudget,
    ) -> None:
        """`budget` is that of the preparation that was too short: its seconds, and those of each move."""
        self._net = net
        self._sheet = sheet
        self._recognised = recognised
        self._settings = settings
        self._budget = budget

    def run(self, stopped: Callable[[], bool]) -> SearchConfig | None:
        """Returns by what to search from now on; None where nothing better was found, or once it is `stopped`.

        Raises what making the game does.
        """
        seconds = max(_LEAST_SECONDS, 2 * self._budget.seconds)
        for _ in range(_TRIES):
            budget = TimeBudget(
                seconds, self._budget.move_seconds, self._budget.seed, stopped=stopped, explain=self._budget.explain
            )
            config = prepare_later(self._net, self._settings, budget, sheet=self._sheet, recognised=self._recognised)
            if stopped():
                break
            if not config.rushed:
                return config if config.strategy == GUIDED else None
            seconds *= 2
        return None

    def agent(self, config: SearchConfig, role: str, tell: Callable[[str], None]) -> NativeAgent:
        """Returns the agent that takes over; what it meets with goes to `tell`."""
        return prepared_agent(self._net, config, self._recognised, role, self._settings, tell, Stage.PREPARED_LATER)
