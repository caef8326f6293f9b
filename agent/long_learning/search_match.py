"""Plays games between two searches of one game from random openings, for example guided by two evaluations.

For an opening there are two games. One role is played by the first search, all others by the second; in the other
game it is the other way round. The score is 1 if the first got all that this role can win over the second, and 0.5 if
both got as much, whatever the goals of the game and the number of its roles.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.mixed_strategy import choose_all
from ludens.agent.statistics.sprt import decided
from ludens.native.core import Game, Simulator, States

_OPENING_MOVES = 6  # at most, at random
_MOST_MOVES = 400  # of a game, which then counts as even
_BATCH = 8  # openings that are played before the test is asked
_EVEN = 50  # goals
_LEAST_SECONDS, _MOST_SECONDS = 0.001, 0.2  # of a run
_MOST_ITERATIONS = 4096  # of a run


@dataclass(frozen=True, slots=True)
class LimitedSearch:
    """A search with so many iterations a move or, if there are none, so many seconds of processor time."""

    config: SearchConfig
    iterations: int
    seconds: float = 0.0

    def make(self, seed: int) -> GameSearch:
        """Makes the search."""
        search = new_search(self.config, seed)
        assert search is not None  # all strategies here do search
        return search

    def think(self, search: GameSearch, stopped: threading.Event) -> None:
        """Searches from the root; ends soon once it is `stopped`."""
        left, end = self.iterations, time.thread_time() + self.seconds
        while not stopped.is_set() and not search.stats().solved and (left > 0 or time.thread_time() < end):
            if self.iterations:
                search.run(playouts=min(left, _MOST_ITERATIONS))
                left -= _MOST_ITERATIONS
            else:
                search.run(min(max(end - time.thread_time(), _LEAST_SECONDS), _MOST_SECONDS))


class SearchMatch:
    """Games of a game, `workers` of them at once; they follow from the seed where iterations limit the moves."""

    def __init__(self, game: Game, seed: int, workers: int) -> None:
        self._game, self._seed, self._workers = game, seed, workers
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends all games soon, whose scores then mean nothing."""
        self._stopped.set()

    def play(
        self, first: LimitedSearch, second: LimitedSearch, openings: Sequence[int], end: float = math.inf
    ) -> list[float]:
        """Returns the score of the first search, 0 … 1, in the two games of each opening.

        From `end` of `time.monotonic` on no opening is begun but the first one.
        """

        def score(number: int) -> float | None:
            if number != openings[0] and time.monotonic() >= end:
                return None
            return self._score(first, second, number)

        with ThreadPoolExecutor(self._workers) as pool:
            return [each for each in pool.map(score, openings) if each is not None]

    def decide(
        self,
        first: LimitedSearch,
        second: LimitedSearch,
        bounds: tuple[float, float],
        most_games: int,
        end: float = math.inf,
    ) -> list[float]:
        """Plays until Wald's test decides between two scores, or `most_games` are over; returns all scores.

        From `end` of `time.monotonic` on no opening is begun but the first one.
        """
        scores: list[float] = []
        most = max(1, most_games // 2)
        while len(scores) < most and decided(scores, bounds) is None and not self._stopped.is_set():
            if scores and time.monotonic() >= end:
                break
            scores += self.play(first, second, range(len(scores), min(most, len(scores) + _BATCH)), end)
        return scores

    def _score(self, first: LimitedSearch, second: LimitedSearch, number: int) -> float:
        simulator, rng = Simulator(self._game, 64), random.Random(self._seed * 1_000_003 + number)
        state, role = _opening(simulator, rng), number % self._game.roles
        others = range(self._game.roles)
        as_first = [first if each == role else second for each in others]
        as_second = [second if each == role else first for each in others]
        goals = [self._goal(simulator, state, seats, role, number) for seats in (as_first, as_second)]
        return 0.5 + (goals[0] - goals[1]) / 200

    def _goal(self, simulator: Simulator, state: States, seats: Sequence[LimitedSearch], role: int, seed: int) -> int:
        """Returns what `role` gets in a game from a state; an even share where it does not end."""
        searches, rng = [limited.make(seed) for limited in seats], random.Random(seed)

        def think(seat: int) -> None:
            searches[seat].set_root(state)
            seats[seat].think(searches[seat], self._stopped)

        for _ in range(_MOST_MOVES):
            if self._stopped.is_set():
                return _EVEN
            if simulator.terminal(state)[0]:
                return max(0, int(simulator.goals(state)[0][role]))
            legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state)]
            if not all(map(len, legal)):  # by mistake of the rules
                return _EVEN
            joint = choose_all(legal, searches, think, rng.random)
            state = simulator.next(state, np.array(joint, np.int32))[0]
        return _EVEN


def _opening(simulator: Simulator, rng: random.Random) -> States:
    """Returns a state some random moves from the beginning; the initial one if games end too soon for that."""
    for moves in range(rng.randint(0, _OPENING_MOVES), -1, -1):
        state: States = simulator.game.initial
        for _ in range(moves):
            if simulator.terminal(state)[0]:
                break
            joint = [rng.choice(np.flatnonzero(legal[0]).tolist()) for legal in simulator.legal(state)]
            state = simulator.next(state, np.array(joint, np.int32))[0]
        if not simulator.terminal(state)[0]:
            return state
    return simulator.game.initial
