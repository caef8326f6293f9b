"""Self-play of long learning on a cluster: workers play with the newest weights, and this process fits to their games.

The weights of an evaluation are put into Ray's object store once, from which each node fetches them once, however many
workers it has. A worker keeps its games from round to round; the games of one that dies are lost, and nothing else.
What is learned depends on which worker is when done with what, and not only on the seed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ludens.agent.cluster.actor_pool import ActorPool, Place
from ludens.agent.learning.fit import Weights
from ludens.agent.learning.self_play_learner import LearningGames, LearningPace, SearchedPlayOptions, SelfPlayLearner
from ludens.agent.long_learning.learned_game import GameSource
from ludens.native.core import TrainingSamples

_STEP_BACK = 10  # levels of priority, as `nice` counts them
_TASK_SECONDS = 1.0  # of rounds that a worker plays before it hands them in: messages are few, and weights new enough


class PlayTask(NamedTuple):
    """What workers are to play by."""

    weights: Weights
    rounds: int  # that were learned before


class SelfPlayWorker:
    """Plays rounds of games by the weights that it is given."""

    def __init__(
        self,
        source: GameSource,
        random_moves: int,
        pace: LearningPace,
        searched: SearchedPlayOptions | None,
        place: Place,
        fitted_on: str | None = None,
    ) -> None:
        """Games begin with up to so many random moves. `fitted_on` is the node of the process that fits to them.

        All workers wait for that process sooner or later, so those beside it step back for it.
        """
        if place.node == fitted_on:
            os.nice(_STEP_BACK)
        seed = int(np.random.default_rng().integers(1 << 62))  # every worker plays other games
        self._game = source.variant().full_game
        self._games = LearningGames(self._game, random_moves, seed, pace, searched)

    def do(self, task: PlayTask) -> list[TrainingSamples]:
        """Returns the positions to learn of each of some rounds: of those that have ended."""
        evaluation, rounds, end = (
            task.weights.evaluation(self._game),
            list[TrainingSamples | None](),
            time.monotonic() + _TASK_SECONDS,
        )
        while not rounds or time.monotonic() < end:
            rounds.append(self._games.play(evaluation, task.rounds))
        return [samples for samples in rounds if samples is not None]


class ClusterPlay:
    """The self-play of a run, on all workers of a cluster."""

    def __init__(self, ray: Any, source: GameSource, news: Callable[[str], None]) -> None:
        self._ray, self._source, self._news = ray, source, news
        self._pool: ActorPool[Any, list[TrainingSamples]] | None = None
        self._played: Iterator[tuple[Any, list[TrainingSamples]] | None] = iter(())

    def learn(self, learner: SelfPlayLearner[Any], finished: Callable[[], bool]) -> None:
        """Has `learner` take rounds until `finished` says so; raises `ClusterError`.

        All calls are for the same learner. Between calls workers go on until each has done its tasks.
        """
        if self._pool is None:
            fitted_on = self._ray.get_runtime_context().get_node_id()
            make = partial(
                SelfPlayWorker, self._source, learner.random_moves, learner.pace, learner.searched, fitted_on=fitted_on
            )
            self._pool = ActorPool(self._ray, make, self._news)
            self._played = self._pool.results(self._weights(learner))
        while not finished():
            try:
                done = next(self._played)
            except StopIteration:  # stopped
                return
            for samples in done[1] if done else ():
                learner.take(samples)

    def stop(self) -> None:
        """Ends `learn` soon, for good."""
        if self._pool:
            self._pool.stop()

    @property
    def workers(self) -> int:
        """How many workers play at the moment."""
        return self._pool.workers if self._pool else 0

    def _weights(self, learner: SelfPlayLearner[Any]) -> Iterator[Any]:
        """Yields references of the newest weights."""
        put, reference = None, None
        while True:
            if put is not learner.weights:
                put = learner.weights
                reference = self._ray.put(PlayTask(put, learner.rounds))
            yield reference
