"""The agent whose searches have a number of iterations instead of time, so that its match can be repeated.

What it plays depends on nothing but its seed, the position, and the number of iterations: it makes a new search for
each position, with a seed that follows from the step, and has no use for the time before its first turn. So it does
not matter how quick or busy the machine is, nor whether an engine was lost and replaced on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.engine.backends import SearchBackend
from ludens.agent.engine.match_agent import new_random
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.protocol.wire import History, Position, SearchReport
from ludens.agent.settings.options import PlayerOptions

_BATCHES = 16  # of as many games as are played side by side, from one report to the next


class IterationAgent(NativeAgent):
    """Plays a native game by searches of so many iterations; interrupted only by another position."""

    def __init__(self, backend: SearchBackend, role: str, settings: PlayerOptions, tell: Callable[[str], None]) -> None:
        """Takes seed and iterations of each search from `settings`; the rest as for `NativeAgent`."""
        self._seed = settings.seed
        self._iterations = settings.iterations
        super().__init__(backend, role, settings.seed, tell)

    def go_to(self, history: History) -> Position:
        """See `MatchAgent`."""
        self._random = new_random(self._seed, len(history))
        self._new_search()
        position = super().go_to(history)
        self.can_search = self.can_search and len(position.legal) > 1
        return position

    def think(self, seconds: float) -> SearchReport:
        """See `SearchAgent`; takes as long as its next few games do, whatever `seconds` says."""
        before = self._left()
        report = super().think(seconds)
        if not 0 < self._left() < before:  # or there is nothing left to be found out
            self.can_search = False
            self._report = report = replace(report, final=True)
        return report

    def _run(self, seconds: float) -> None:
        assert self._search is not None
        self._search.run(playouts=min(self._left(), _BATCHES * max(1, self._config.lanes)))

    def _left(self) -> int:
        """Returns how many iterations of this position are left."""
        assert self._search is not None
        return self._iterations - (self._search.stats().playouts - self._playouts)
