"""Searches together with other machines: a native search that a few times a second tells its peers what it found out.

The cluster may only help: whatever becomes of it, this search goes on as it would alone, and nothing here waits for it.
"""

from __future__ import annotations

import threading

from ludens.agent.cluster.peer_search import SHARED_NODES, PeerPlan, Round
from ludens.agent.cluster.search_link import SearchLink
from ludens.native.core import Game, JointMoves, RootMoves, Search, SearchStats, States
from ludens.propnet.base.errors import NativeError

_EXCHANGE_SECONDS = 0.1  # between two looks at what peers have told


class ClusterSearch:
    """A `GameSearch` whose peers are on other machines; the results of all count, the counters are its own."""

    def __init__(self, search: Search, link: SearchLink, plan: PeerPlan) -> None:
        """Has peers made by the plan, which makes them search as `search` does."""
        self._search, self._link = search, link
        self._number = 0  # of the root
        self._root = search.game.initial
        link.begin(plan)

    @property
    def game(self) -> Game:
        """See `GameSearch`."""
        return self._search.game

    @property
    def mixes(self) -> bool:
        """See `GameSearch`."""
        return self._search.mixes

    @property
    def unguided_visits(self) -> int:
        """See `GameSearch`."""
        return self._search.unguided_visits

    def set_root(self, state: States | None = None) -> None:
        """See `GameSearch`."""
        self._search.set_root(state)
        self._root = self.game.initial if state is None else state
        self._number += 1

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """See `GameSearch`."""
        over = threading.Event()
        exchange = threading.Thread(target=self._exchange, args=[over], name="exchange with peers")
        exchange.start()
        try:
            self._search.run(seconds, playouts)
        finally:
            over.set()
            exchange.join()

    def stop(self) -> None:
        """See `GameSearch`."""
        self._search.stop()

    def suggest(self, moves: JointMoves) -> None:
        """See `GameSearch`."""
        self._search.suggest(moves)

    def stats(self) -> SearchStats:
        """See `GameSearch`; visits of the root are those of all machines."""
        return self._search.stats()

    def root_moves(self, role: int) -> RootMoves:
        """See `GameSearch`."""
        return self._search.root_moves(role)

    def expected_line(self, room: int = 20) -> JointMoves:
        """See `GameSearch`."""
        return self._search.expected_line(room)

    def _exchange(self, over: threading.Event) -> None:
        """Tells and takes what was found out, at least once, until the run is over."""
        try:
            while True:
                self._link.update(Round(self._number, self._root, {0: self._search.shared_stats(SHARED_NODES)}))
                for place, words in self._link.heard().items():
                    self._search.take_stats(place, words)
                if over.wait(_EXCHANGE_SECONDS):
                    return
        except NativeError as error:
            self._link.close(str(error))
