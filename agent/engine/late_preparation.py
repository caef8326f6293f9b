"""Prepares a game again while its match is on, where the start clock was too short to learn it.

In most games a player waits in half of the turns. To learn on then is worth less than to think on for who has learned
the game already (docs/experiments/learning-speed.md). Who had no time for that has a search which is mostly the weaker
one (docs/experiments/choice.md). So that pauses while others move, unless a processor is to spare, and the time is
that of preparation; on our own turns it has what is left over. What that brings: docs/experiments/start-clock.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

from ludens.agent.engine.backends import Stage
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.engine.niceness import be_nice
from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget, WaitingClock
from ludens.agent.preparation.prepare import prepare_later, with_half_the_memory
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_TRIES = 3  # each with twice the time of the one before
_LEAST_SECONDS = 10.0  # of the first
_LOOK_SECONDS = 0.05  # between two looks whether there is a processor for it


class LatePreparation:
    """Decides once more how a game is searched, with more time than its start clock left."""

    def __init__(
        self,
        net: Propnet,
        sheet: RuleSheet,
        recognised: RecognisedGame | None,
        settings: PlayerOptions,
        rushed: SearchConfig,
        budget: TimeBudget,
    ) -> None:
        """`rushed` is what the preparation that was too short has chosen, and `budget` what time it had."""
        self._net = net
        self._sheet = sheet
        self._recognised = recognised
        self._settings = settings
        self._rushed = rushed
        self._budget = budget

    def in_the_meantime(self) -> SearchConfig:
        """Returns by what to search until then: what was chosen in a hurry, with half of the memory."""
        return with_half_the_memory(self._rushed, self._settings)

    def run(self, clock: WaitingClock, stopped: Callable[[], bool]) -> SearchConfig | None:
        """Returns by what to search from now on, decided in a thread that lets others go before it.

        None where that is no other search, where there was never enough time, or once it was `stopped`. `clock` counts
        the seconds that it can expect. Raises what making the game does.
        """
        with ThreadPoolExecutor(1, initializer=be_nice) as background:
            return background.submit(self._decide, clock, stopped).result()

    def _decide(self, clock: WaitingClock, stopped: Callable[[], bool]) -> SearchConfig | None:
        seen = Event()  # that it was stopped, though that may pass

        def is_stopped() -> bool:
            if stopped():
                seen.set()
            return seen.is_set()

        seconds = max(_LEAST_SECONDS, 2 * self._budget.seconds)
        for _ in range(_TRIES):
            while not clock.at_leisure and not is_stopped():
                time.sleep(_LOOK_SECONDS)  # what comes first has limits of its own, by the wall clock
            budget = replace(self._budget, seconds=seconds, clock=clock, stopped=is_stopped)
            config = prepare_later(self._net, self._settings, budget, sheet=self._sheet, recognised=self._recognised)
            if is_stopped():
                break
            if not config.rushed:
                return config if self._is_another(config) else None
            seconds *= 2
        return None

    def _is_another(self, config: SearchConfig) -> bool:
        """Says whether this is another search than the one in a hurry, or one with a better evaluation."""
        return config.evaluation is not None or str(config) != str(self._rushed)

    def agent(self, config: SearchConfig, role: str, tell: Callable[[str], None]) -> NativeAgent:
        """Returns the agent that takes over; what it meets with goes to `tell`."""
        return prepared_agent(self._net, config, self._recognised, role, self._settings, tell, Stage.PREPARED_LATER)
