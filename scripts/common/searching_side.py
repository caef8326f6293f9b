"""A search as one side of a match: how it comes to its moves, and with what effort."""

from __future__ import annotations

import time
from collections.abc import Callable

from ludens.agent.search.contract import GameSearch
from ludens.native.core import States
from scripts.common.match_runner import think


class SearchingSide:
    """A search of some game, on some machine."""

    def __init__(
        self, search: GameSearch, seconds: float, threads: int, clock: Callable[[], float] = time.process_time
    ) -> None:
        """Each move has `seconds` of a clock for each of `threads`: by default of CPU time."""
        self._search, self._seconds, self._threads, self._clock = search, seconds, threads, clock
        self._turns = 0

    def best(self, state: States, role: int) -> int:
        """Returns the best move for `role`, of the searched game."""
        self._search.set_root(state)
        think(self._search, self._seconds, self._threads, self._clock)
        self._turns += 1
        known = self._search.root_moves(role)
        return int(known.moves[known.best])

    def effort(self) -> int:
        """Returns the playouts, or positions, of an average move."""
        return self._search.stats().playouts // max(self._turns, 1)
