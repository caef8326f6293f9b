"""The agent whose searches have a number of iterations instead of time, so that its match can be repeated.

What it plays depends on nothing but its seed, the position, and the number of iterations: it makes a new search for
each position, with a seed that follows from the step, and has no use for the time before its first turn. So it does
not matter how quick or busy the machine is, nor whether an engine was lost and replaced on the way.

An opponent of a level (`settings/levels.py`) draws some of its moves at random, and searches no longer than a person
likes to wait, though this may end before its iterations do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from ludens.agent.engine.backends import SearchBackend
from ludens.agent.engine.match_agent import new_random
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.protocol.wire import History, Position, SearchReport
from ludens.agent.settings.levels import MOVE_SECONDS
from ludens.agent.settings.options import PlayerOptions

_LEAST_SECONDS = 0.001  # of a run, since 0 is no limit
_BATCHES = 16  # of as many games as are played side by side, from one report to the next


class IterationAgent(NativeAgent):
    """Plays a native game by searches of so many iterations; interrupted only by another position."""

    def __init__(
        self,
        backend: SearchBackend,
        role: str,
        settings: PlayerOptions,
        tell: Callable[[str], None],
        patience: float = MOVE_SECONDS,
    ) -> None:
        """Takes seed and iterations of each search, or a level, from `settings`; the rest as for `NativeAgent`.

        A move of a level takes `patience` seconds at most.
        """
        self._seed = settings.seed
        self._settings = settings
        self._random_share = settings.weakness.random_share if settings.weakness else 0.0
        self._seconds = patience if settings.weakness else math.inf
        self._ends = math.inf  # when the search of this position does, at the latest
        super().__init__(backend, role, settings.seed, tell)

    def go_to(self, history: History) -> Position:
        """See `MatchAgent`."""
        self._ends = time.monotonic() + self._seconds
        position = super().go_to(history)
        self.can_search = self.can_search and len(position.legal) > 1
        if self.can_search and self._random_share and self._random.random() < self._random_share:
            self._draw_move(position)
        return position

    def _arrive(self, history: History) -> Position:
        self._random = new_random(self._seed, len(history))
        self._new_search()
        return super()._arrive(history)

    def _draw_move(self, position: Position) -> None:
        """Settles on any legal move, without a search."""
        self.can_search, self.weight = False, 1
        move = self._random.choice(sorted(position.legal))
        self._report = SearchReport(position.step, move, machine=self._game.machine, final=True)

    def think(self, seconds: float) -> SearchReport:
        """See `SearchAgent`; takes as long as its next few games do, whatever `seconds` says."""
        before = self._left()
        report = super().think(seconds)
        if not 0 < self._left() < before or time.monotonic() >= self._ends:  # or nothing is left to be found out
            self.can_search = False
            self._report = report = replace(report, final=True)
        return report

    def _run(self, seconds: float) -> None:
        assert self._search is not None
        playouts = min(self._left(), _BATCHES * max(1, self._config.lanes))
        if math.isinf(self._ends):
            self._search.run(playouts=playouts)
        else:
            self._search.run(max(_LEAST_SECONDS, self._ends - time.monotonic()), playouts)

    def _left(self) -> int:
        """Returns how many iterations of this position are left."""
        assert self._search is not None
        level = self._settings.weakness
        learned = level is not None and self._config.evaluation is not None
        iterations = level.guided_iterations if level and learned else self._settings.move_iterations
        return iterations - (self._search.stats().playouts - self._playouts)
