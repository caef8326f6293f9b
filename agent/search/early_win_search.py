"""Searches a game that ends at unstoppable wins, but plays on until the real end.

A search that takes unstoppable wins for the end does not know how to play them: where such a win is on the board it
has nothing to search, and among moves that all allow one it cannot tell which puts up the most resistance. There the
full game is searched, in a tree of its own. Evaluations are learned from full games, too: from games that end early
they come to be much worse (docs/experiments/unstoppable-wins.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ludens.agent.search.contract import GameSearch
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Game, JointMoves, RootMoves, SearchStats, Simulator, States

_FULL_GAME_SHARE = 4  # of the memory is for the full game
_EVEN = 50


class EarlyWinSearch:
    """A `GameSearch` of a variant that ends early."""

    def __init__(self, variant: GameVariant, make: Callable[[Game, int], GameSearch], memory_mb: int) -> None:
        """`make` makes the search of a game with so much memory, in MB."""
        self.game = variant.game
        full_mb = max(1, memory_mb // _FULL_GAME_SHARE)
        self._early = make(variant.game, max(1, memory_mb - full_mb))
        self._full = make(variant.full_game, full_mb)
        self._search = self._early  # the one at work
        self._simulator = Simulator(variant.game, 64)
        self._state = variant.game.initial
        self._lost = False  # as is proven of the root
        self.set_root()

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
        self._state = self.game.initial if state is None else state
        self._lost = False
        if self._simulator.terminal(self._state.reshape(-1))[0]:
            self._turn_to_full_game()
        else:
            self._early.set_root(self._state)
            self._search = self._early
            self._play_on_if_lost()  # as may be known of this position already

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """See `GameSearch`."""
        self._search.run(seconds, playouts)
        if self._search is self._early:
            self._play_on_if_lost()

    def stop(self) -> None:
        """See `GameSearch`."""
        self._search.stop()

    def suggest(self, moves: JointMoves) -> None:
        """See `GameSearch`."""
        self._search.suggest(moves)

    def stats(self) -> SearchStats:
        """See `GameSearch`; visits of the root are those of the tree at work, or of both if it changed."""
        search = self._search
        one, other = search.stats(), (self._full if search is self._early else self._early).stats()
        sums = ["playouts", "iterations", "state_changes", "nodes", "recycled", "memory_bytes"]
        if self._lost:
            sums.append("root_visits")
        return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in sums})

    def root_moves(self, role: int) -> RootMoves:
        """See `GameSearch`; where the root is lost, that is what all moves are proven to come to."""
        known = self._search.root_moves(role)
        return known._replace(proven=self._early.root_moves(role).proven) if self._lost else known

    def expected_line(self, room: int = 20) -> JointMoves:
        """See `GameSearch`; as far as the first unstoppable win."""
        return self._search.expected_line(room)

    def _play_on_if_lost(self) -> None:
        if self._is_lost():
            self._turn_to_full_game()
            self._lost = True

    def _turn_to_full_game(self) -> None:
        self._full.set_root(self._state)
        self._search = self._full

    def _is_lost(self) -> bool:
        """Says whether it is proven that the role to move has lost."""
        if not self._early.stats().solved:
            return False
        known = [self._early.root_moves(role) for role in range(self.game.roles)]
        moves = known[int(np.argmax([len(each.moves) for each in known]))]
        return bool(0 <= moves.proven[moves.best] < _EVEN)
