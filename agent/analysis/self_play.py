"""Plays games of a player against itself: what good play makes of a game, where random games may tell little.

All roles of a game read one search, so that none of them is stronger than another; where several choose at once each
draws its move by chance, as a player of matches does. Or some roles have less to spend on a move than others: who may
spend the same reads the same search. Several games go at the same time, each in a thread of its own.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.random_games import Ending
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.mixed_strategy import choose_all
from ludens.native.core import Game, RootMoves, Simulator, States
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import LudensError

_SLICE_SECONDS = 0.1  # of a search between two looks whether it is to go on


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """What a player may spend on a move: so many random games, or seconds if that is 0."""

    playouts: int = 0
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class SelfPlayedGame:
    """How a game of a player against itself ended."""

    number: int  # of the game, from 0 on
    ending: Ending
    goals: tuple[int, ...]
    steps: int
    choices: tuple[int, ...]  # legal moves of each role that had a choice, step by step
    forced: int  # steps at which nobody had a choice
    expected: tuple[tuple[float, ...], ...]  # goals of the roles, from the first step on at which they are known


def self_play(
    config: SearchConfig, seatings: Sequence[Sequence[MoveBudget]], threads: int, seed: int, rules: Game
) -> Iterator[SelfPlayedGame]:
    """Yields games as they end, `threads` of them at a time; games under way are given up when the iterator closes.

    `seatings` says for each game what the roles may spend on a move. Goals are those of the game by its `rules`,
    expectations those of the search. Raises `LudensError` where the strategy makes no search, or the game fails.
    """
    stopped = threading.Event()
    pool = ThreadPoolExecutor(threads)
    try:
        running: set[Future[SelfPlayedGame]] = {
            pool.submit(_OneGame(config, budgets, number, seed + number, stopped.is_set, rules).play)
            for number, budgets in enumerate(seatings)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for game in done:
                yield game.result()
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


class _OneGame:
    """A game that is played from its first state to its end."""

    def __init__(
        self,
        config: SearchConfig,
        budgets: Sequence[MoveBudget],
        number: int,
        seed: int,
        stopped: Callable[[], bool],
        rules: Game,
    ) -> None:
        self._config = config
        self._budgets = budgets  # of the roles
        self._number = number
        self._seed = seed
        self._stopped = stopped
        self._rules = rules
        self._random = random.Random(seed)
        self._choices: list[int] = []
        self._expected: list[tuple[float, ...]] = []
        self._forced = 0

    def play(self) -> SelfPlayedGame:
        """Plays it; raises `LudensError`."""
        game = self._rules
        self._searches = {budget: self._new_search() for budget in dict.fromkeys(self._budgets)}
        simulator = Simulator(game, self._config.lanes, self._seed)
        state, steps = game.initial, 0
        while not simulator.terminal(state)[0]:
            legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state)]
            if not all(map(len, legal)):
                return self._over(Ending.STUCK, simulator, state, steps)
            if steps == MAX_STEPS or self._stopped():
                return self._over(Ending.ENDLESS, simulator, state, steps)
            joint = self._choose(state, legal)
            state = simulator.next(state, np.array([joint], np.int32))[0]
            steps += 1
        proper = min(_goals(simulator, state)) >= 0
        return self._over(Ending.PROPER if proper else Ending.NO_GOAL, simulator, state, steps)

    def _new_search(self) -> GameSearch:
        config = replace(self._config, threads=1, kernel=None)
        search = new_search(config, self._random.getrandbits(63))
        if search is None:
            raise LudensError(f"{config.strategy} makes no search, so it cannot show what good play is")
        return search

    def _choose(self, state: States, legal: Sequence[npt.NDArray[np.intp]]) -> list[int]:
        searches = [self._searches[budget] for budget in self._budgets]

        def think(role: int) -> None:
            _think(searches[role], state, self._budgets[role], self._stopped)

        joint = choose_all(legal, searches, think, self._random.random)
        self._note(legal)
        return joint

    def _note(self, legal: Sequence[npt.NDArray[np.intp]]) -> None:
        """Notes what there was to choose, and what the roles expect: at a forced step the same as before."""
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        self._choices += [len(legal[role]) for role in choosing]
        self._forced += not choosing
        values = self._values(choosing[0]) if choosing else None
        if values is None or any(map(math.isnan, values)):
            values = self._expected[-1] if self._expected else None
        if values is not None:
            self._expected.append(values)

    def _values(self, thinker: int) -> tuple[float, ...]:
        """Returns what all roles expect by the search of one."""
        search = self._searches[self._budgets[thinker]]
        return tuple(_value(search.root_moves(role)) for role in range(len(self._budgets)))

    def _over(self, ending: Ending, simulator: Simulator, state: States, steps: int) -> SelfPlayedGame:
        goals, expected = _goals(simulator, state), tuple(self._expected)
        return SelfPlayedGame(self._number, ending, goals, steps, tuple(self._choices), self._forced, expected)


def _value(known: RootMoves) -> float:
    """Returns what a role expects after its best move; NaN while that is unknown."""
    return known.expected(known.best) if known.best >= 0 else math.nan


def _think(search: GameSearch, state: States, budget: MoveBudget, stopped: Callable[[], bool]) -> None:
    search.set_root(state)
    if budget.playouts:
        search.run(playouts=budget.playouts)
        return
    end = time.monotonic() + budget.seconds
    while (left := end - time.monotonic()) > 0 and not search.stats().solved and not stopped():
        search.run(min(left, _SLICE_SECONDS))


def _goals(simulator: Simulator, state: States) -> tuple[int, ...]:
    return tuple(simulator.goals(state)[0].tolist())
