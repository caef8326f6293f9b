"""Plays games of a player against itself: what good play makes of a game, where random games may tell little.

All roles of a game read one search, so that none of them is stronger than another; where several choose at once each
draws its move by chance, as a player of matches does. Several games go at the same time, each in a thread of its own.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from ludens.agent.preparation.random_games import Ending
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.mixed_strategy import draw
from ludens.native.core import Simulator, States
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import LudensError

_SLICE_SECONDS = 0.1  # of a search between two looks whether it is to go on


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """What a player may spend on a move: so many random games, or seconds if that is 0."""

    playouts: int = 0
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """How a game of a player against itself ended."""

    ending: Ending
    goals: tuple[int, ...]
    steps: int


def self_play(config: SearchConfig, budget: MoveBudget, games: int, threads: int, seed: int) -> Iterator[PlayedGame]:
    """Yields games as they end, `threads` of them at a time; games under way are given up when the iterator closes.

    Raises `LudensError` where the strategy makes no search, or the game fails.
    """
    stopped = threading.Event()
    pool = ThreadPoolExecutor(threads)
    try:
        running: set[Future[PlayedGame]] = {
            pool.submit(_play, config, budget, seed + number, stopped.is_set) for number in range(games)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for game in done:
                yield game.result()
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


def _play(config: SearchConfig, budget: MoveBudget, seed: int, stopped: Callable[[], bool]) -> PlayedGame:
    chance = random.Random(seed)
    search = new_search(replace(config, threads=1, kernel=None), chance.getrandbits(63))
    if search is None:
        raise LudensError(f"{config.strategy} makes no search, so it cannot show what good play is")
    game = config.variant.full_game
    simulator = Simulator(game, config.lanes, seed)
    state, steps = game.initial, 0
    while not simulator.terminal(state)[0]:
        legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state)]
        if not all(map(len, legal)):
            return PlayedGame(Ending.STUCK, _goals(simulator, state), steps)
        if steps == MAX_STEPS or stopped():
            return PlayedGame(Ending.ENDLESS, _goals(simulator, state), steps)
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        joint = [int(moves[0]) for moves in legal]
        if choosing:
            _think(search, state, budget, stopped)
        for role in choosing:
            known = search.root_moves(role)
            chosen = draw(known.visits, chance.random()) if len(choosing) > 1 else known.best
            joint[role] = int(known.moves[chosen])
        state = simulator.next(state, np.array([joint], np.int32))[0]
        steps += 1
    goals = _goals(simulator, state)
    return PlayedGame(Ending.NO_GOAL if min(goals) < 0 else Ending.PROPER, goals, steps)


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
