"""The agent for puzzles: a search by playing and planners by reasoning work at the same time.

What a planner finds is the best there is: a goal is left out only when it is refuted.

Where a puzzle falls into factors, a planner that explores each alone begins, and mostly ends it. The one that
reasons about the network as a whole is called in when that was not done in its first moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ludens.agent.engine.backends import SearchBackend, Stage, network_backend
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.protocol.wire import History, Position, SearchReport
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.factored_planning import FactoredPlanner
from ludens.agent.search.planning import Plan, Planning
from ludens.agent.search.strategy_choice import PUZZLE
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import unpack_bits
from ludens.propnet.analysis.factors import Factorisation
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_FOREVER = 86_400.0  # seconds; a planning ends with the position, or with the player


class PuzzleAgent(NativeAgent):
    """Plays a game of one role; suggests a better plan to the search than it has."""

    uses_start_clock = True  # a wrong first move may spoil everything

    def __init__(
        self,
        net: Propnet,
        factoring: Factorisation | None,
        backend: SearchBackend,
        role: str,
        settings: PlayerOptions,
        tell: Callable[[str], None],
    ) -> None:
        """`net` is what the backend plays, with its factors if it has any; the rest as for `NativeAgent`."""
        super().__init__(backend, role, settings.seed, tell)
        self._net = net
        self._factoring = factoring
        self._limits = Limits(_FOREVER, settings.grounding_mb)
        self._factored: FactoredPlanner | None = None
        self._planning: Planning | None = None
        self._proven: tuple[History, float] | None = None  # a position, and the best goal there is from it on
        self._bound: tuple[History, float] = ((), math.inf)  # a position, and what no plan from it on exceeds

    def go_to(self, history: History) -> Position:
        """See `MatchAgent`."""
        if self._planning is not None:
            self._planning.cancel()
            self._bound = self._history, self._planning.most
        position = super().go_to(history)
        self._factored = self._planning = None
        if self._proven is not None and (history[: len(self._proven[0])], self.plan.goal) == self._proven:
            self._end_search()
        if self.can_search and self._factoring is not None:
            self._factored = FactoredPlanner(self._net, self._factoring, self._bits())
        elif self.can_search:
            self._begin_planning()
        return position

    def think(self, seconds: float) -> SearchReport:
        """See `SearchAgent`."""
        proven = self._consult_factors(seconds) if self._factored is not None else None
        if self._planning is not None and self._planning.found is not None:
            proven = self._planning.found
            self._suggest(proven)
            self._planning = None
        report = super().think(seconds)
        if proven is not None and report.value == proven.goal:
            self._proven = self._history, proven.goal
            self._end_search()
        if self._planning is not None and not self.can_search:
            self._planning.cancel()
            self._planning = None
        return self._report

    def _end_search(self) -> None:
        """Ends the search of a position, since nothing earns more than its plan."""
        self.can_search = False
        self._report = replace(self._report, final=True)

    def _consult_factors(self, seconds: float) -> Plan | None:
        """Goes on planning by factors, and suggests what was found; returns the plan if nothing can earn more."""
        assert self._factored is not None
        factored = self._factored
        try:
            factored.run(seconds)
        except LudensError as error:
            self._tell(f"the puzzle is planned as a whole, not factor by factor: {error}")
            self._factored = self._factoring = None
        if factored.found is not None:
            self._suggest(factored.found)
        if factored.done:
            self._factored = None
            return factored.found
        if self._planning is None:
            self._begin_planning()
        return None

    def _begin_planning(self) -> None:
        before, most = self._bound
        follows = self._history[: len(before)] == before  # then it counts here too
        self._planning = Planning(self._net, self._bits(), self._limits, most if follows else math.inf)

    def _suggest(self, plan: Plan) -> None:
        assert self._search is not None
        self._search.suggest(np.array([plan.moves], np.int32).T)

    def _bits(self) -> BoolArray:
        bits: BoolArray = unpack_bits(np.atleast_2d(self._state), self._net.state_bits)[0]
        return bits


def prepared_agent(
    net: Propnet,
    config: SearchConfig,
    recognised: RecognisedGame | None,
    role: str,
    settings: PlayerOptions,
    tell: Callable[[str], None],
    stage: Stage = Stage.PREPARED,
) -> NativeAgent:
    """Returns the agent that plays a network as was prepared; for puzzles one with planners."""
    backend = network_backend(net, config, recognised, stage)
    if config.strategy == PUZZLE:
        return PuzzleAgent(net, config.factoring, backend, role, settings, tell)
    return NativeAgent(backend, role, settings.seed, tell)
