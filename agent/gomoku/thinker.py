"""Chooses moves of five in a row by the rules of tournaments, in a given time.

Free style and exactly five are searched by their own rules. Renju and caro are searched by the nearest rules that the
native core has, and stones of nobody as if they were those of either side; what really holds is looked at for the next
moves: who wins at once, and where black may not play.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ludens.agent.gomoku.strategies import StrategySearch
from ludens.agent.settings.options import PlayerOptions
from ludens.games.gomoku.rules import Bools, GomokuRules, native_game, pack
from ludens.games.gomoku.shapes import worth
from ludens.games.gomoku.stones import BLACK, FREE, NEUTRAL, OPPONENT, WHITE, Stones
from ludens.games.gomoku.variants import LENGTH, Variant, why_forbidden, wins, would_win
from ludens.native.core import Game, RootMoves, gomoku_shapes

_OWN = 1.5  # as much are one's own shapes worth as those of the other side
_LEAST_SECONDS = 0.01  # of a search that is worth its while
_LEAST_MB = 8  # of a search tree, unless the settings ask for less


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, and how good the search thinks it is."""

    cell: int
    value: float  # 0 … 100 for the side to move; 50 if nothing was searched


class Thinker:
    """Chooses moves for either side on one board; `hurry` may be called from any thread."""

    def __init__(self, rows: int, columns: int, variant: Variant, options: PlayerOptions, memory_mb: int) -> None:
        """Takes `memory_mb` for the search tree; with next to none every move is made at once."""
        self._variant = variant
        self._sizes = rows, columns
        self._options = options
        self._memory_mb = memory_mb
        self._strategy_search: StrategySearch | None = None  # by exact rows or not: only one has memory at a time
        self._searches_exact = False
        self._games: dict[bool, Game] = {}
        self._hurries = threading.Event()
        rings = np.abs(np.indices((rows, columns)) - np.array([rows // 2, columns // 2])[:, None, None])
        self._outward = -rings.sum(axis=0).ravel()  # greater nearer to the middle

    def hurry(self) -> None:
        """Ends a search in progress, soon, and makes all further moves at once."""
        self._hurries.set()
        if (search := self._strategy_search) is not None:
            search.stop()

    def choose(self, stones: Stones, side: int, until: float) -> Choice | None:
        """Returns a move of a side, until a moment of time.monotonic; None if there is no free cell.

        A moment that has passed is answered at once. Only if black has no other move it plays a forbidden one.
        """
        free = stones.free
        if not free:
            return None
        if len(free) == len(stones.cells):
            return Choice(int(self._outward.argmax()), 50.0)
        known = self._by_rules(stones, side, free)
        if len(known) == 1:
            return Choice(known[0], 50.0)
        found = None if self._is_over(stones, side) else self._search(stones, side, until)
        if found is None or found.best < 0:
            order, value = self._at_once(stones, side), 50.0
        else:
            best = found.best
            order = [int(found.moves[best]), *found.moves[np.argsort(-found.visits, kind="stable")].tolist()]
            value = float(found.values[best])
        cell = self._first_allowed(stones, side, order, set(known))
        return Choice(cell, 50.0 if np.isnan(value) else value)

    def _by_rules(self, stones: Stones, side: int, free: list[int]) -> list[int]:
        """Returns the moves that the rules leave: one that wins at once, those that prevent this, or all."""
        if self._variant in (Variant.FREE_STYLE, Variant.EXACT) and NEUTRAL not in stones.cells:
            return free  # the search knows these rules
        for player in (side, OPPONENT[side]):
            winning = [cell for cell in free if would_win(stones, cell, player, self._variant)]
            if player == side and winning:
                return winning[:1]
            allowed = [cell for cell in winning if not why_forbidden(stones, cell, side, self._variant)]
            if allowed:
                return allowed
        return free

    def _is_over(self, stones: Stones, side: int) -> bool:
        """Says whether the game that would be searched is over: in games that go on, or with a blocked five in caro."""
        rule = Variant.EXACT if self._exact_for(side) else Variant.FREE_STYLE
        owned = self._owned(stones)
        return any(wins(owned, cell, rule) for cell, content in enumerate(owned.cells) if content != FREE)

    def _search(self, stones: Stones, side: int, until: float) -> RootMoves | None:
        """Searches a position; None if there is no time or memory for it."""
        too_little = self._memory_mb < min(_LEAST_MB, self._options.tree_mb)
        if self._hurries.is_set() or too_little or until - time.monotonic() < _LEAST_SECONDS:
            return None
        search = self._search_for(self._exact_for(side))
        if self._hurries.is_set():  # perhaps before there was a search to stop
            return None
        return search.run(self._boards(stones), side == WHITE, until - time.monotonic())

    def _search_for(self, exact: bool) -> StrategySearch:
        """Returns what searches by exact rows or by free style; the other one gives its memory back first."""
        if self._strategy_search is None or self._searches_exact != exact:
            self._strategy_search = None
            rules = GomokuRules(*self._sizes, LENGTH, exact=exact)
            self._strategy_search = StrategySearch(rules, self._options, self._options.seed, self._memory_mb)
            self._searches_exact = exact
        return self._strategy_search

    def _at_once(self, stones: Stones, side: int) -> Iterable[int]:
        """Returns all moves, those first that make or prevent the best shapes."""
        exact = self._exact_for(side)
        if exact not in self._games:
            self._games[exact] = native_game(GomokuRules(*self._sizes, LENGTH, exact=exact))
        game = self._games[exact]
        state = pack(self._boards(stones)[None], np.array([side == WHITE]))[0]
        shapes = worth(gomoku_shapes(game, state=state))
        own = int(side == WHITE)
        gain = _OWN * shapes[own] + shapes[1 - own] + self._outward / self._outward.size
        order: list[int] = np.argsort(-gain, kind="stable").tolist()
        return order

    def _exact_for(self, side: int) -> bool:
        """Says by which rows the native core should search: in renju each side trusts its own rows, and fears more."""
        return self._variant is Variant.EXACT or (self._variant is Variant.RENJU and side == BLACK)

    def _boards(self, stones: Stones) -> Bools:
        """Returns the stones as bool[2, cells], each owned by a side."""
        cells = np.array(self._owned(stones).cells)
        return np.stack((cells == BLACK, cells == WHITE))

    def _owned(self, stones: Stones) -> Stones:
        """Returns the stones with those that belong to nobody given to the sides, no three in a line to one."""
        columns = stones.columns
        return replace(
            stones,
            cells=[
                (BLACK, WHITE)[(cell // columns // 2 + cell % columns) % 2] if content == NEUTRAL else content
                for cell, content in enumerate(stones.cells)
            ],
        )

    def _first_allowed(self, stones: Stones, side: int, order: Iterable[int], known: set[int]) -> int:
        """Returns the first of the known moves that is not forbidden, in an order; the first of all if none is left."""
        moves = [cell for cell in order if cell in known]
        moves += sorted(known.difference(moves))
        allowed = (cell for cell in moves if not why_forbidden(stones, cell, side, self._variant))
        return next(allowed, moves[0])
