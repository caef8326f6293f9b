"""Learns a game by self-play, in rounds, with any weights that can be fitted to what it shows.

Rounds of self-play in which all look one move ahead with what has been learned so far, each followed by a fit to their
lambda-returns (Sutton, "Learning to predict by the methods of temporal differences", 1988; Tesauro, "Temporal
difference learning and TD-Gammon", 1995). Games go on from round to round. Where there is time, the players of games by
turns search each position from some round on, and positions of the trees of their searches are learned too.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

import numpy as np

from ludens.agent.learning.fit import Fit, Learned, Round, WeightsT
from ludens.native.core import Evaluation, Game, PositionImages, RandomGames, SelfPlay, Simulator, TrainingSamples

_LAMBDA = 0.8
TEMPERATURE = 2.0  # in goals: a move that seems two goals worse is played less than half as often
_LEAST_SYMMETRIES = 3  # from which on images are learned; one alone teaches nothing that can be seen
_RANDOM_SHARE = 0.5  # a game of self-play begins with up to this share of a random game's moves, at random
_MEASURED_GAMES = 512  # by which it is found out how long random games are
_LOOK_SECONDS = 1.0  # of random games until it is noticed that no more are wanted


@dataclass(frozen=True, slots=True)
class LearningPace:
    """How much is played between two fits, and how long that may take; without limits of time it can be repeated.

    What takes longer is learned as far as it has come. A round may have parts, between which players stop to look
    around: so a busy machine, which makes slow progress, plays as many states as a quiet one.
    """

    random_games: int = 200_000  # whose ends are learned first
    random_seconds: float = 0.5  # at most, playing them; 0: no limit
    round_states: int = 1 << 17  # that are made by self-play before a fit
    round_seconds: float = 0.1  # at most, playing them or a part of them; 0: no limit
    processor_seconds: float = 0.0  # at most, for all parts of a round; 0: a round has one part


@dataclass(frozen=True, slots=True)
class LearningRate:
    """A rate that falls with the square root of the rounds, by which the noise of learning is averaged out."""

    first: float
    half_after: float = math.inf  # rounds after which the rate is half of the first; inf: it never falls

    def after(self, rounds: int) -> float:
        """Returns the rate after so many rounds."""
        return self.first / math.sqrt(1 + 3 * rounds / self.half_after)


@dataclass(frozen=True, slots=True)
class SearchedPlayOptions:
    """How self-play goes on where there is time to search each position: of games by turns."""

    after_rounds: int  # of players who look one move ahead
    leaves: int  # of a search
    learned_visits: int  # of a position in the tree of a search, from which on it is learned as well
    round_states: int  # that are made before a fit
    rate: LearningRate

    def begun(self, rounds: int) -> bool:
        """Says whether so many rounds are enough to search."""
        return rounds >= self.after_rounds


def random_moves(game: Game, seed: int, seconds: float = 0.0) -> int:
    """Returns how many moves at most are random at the beginning of a game of self-play.

    It takes about `seconds` at most; 0 are no limit.
    """
    return int(_RANDOM_SHARE * Simulator(game, seed=seed).playouts(_MEASURED_GAMES, seconds=seconds).mean_length)


def random_positions(
    game: Game, pace: LearningPace, rng: np.random.Generator, stopped: Callable[[], bool] = lambda: False
) -> TrainingSamples:
    """Returns a position of each of some random games, or an image of it, with what it ended with.

    Fewer once `stopped` says so.
    """
    seed, parts = new_seed(rng), list[TrainingSamples]()
    playing, missing, left = RandomGames(game, seed=seed), pace.random_games, pace.random_seconds or math.inf
    end = time.monotonic() + left
    while left > 0:
        parts.append(playing.play(missing, min(left, _LOOK_SECONDS)))
        missing -= parts[-1].games
        left = end - time.monotonic() if missing > 0 and not stopped() else 0.0
    return image_drawer(game, seed)(TrainingSamples.joined(parts))


def image_drawer(game: Game, seed: int) -> Callable[[TrainingSamples], TrainingSamples]:
    """Returns what draws images of positions of a game with enough symmetries, else keeps them; for one thread."""
    known = 0 if game.symmetries is None else len(game.symmetries)
    return PositionImages(game, seed).drawn if known >= _LEAST_SYMMETRIES else lambda samples: samples


class LearningGames:
    """Games of self-play to learn from: players look one move ahead and, from some round on, search. For one thread.

    New games begin with the searches; those under way before are dropped. Where several symmetries of the game are
    known, each position is replaced by one of its images, drawn at random, or kept.
    """

    def __init__(
        self, game: Game, random_moves: int, seed: int, pace: LearningPace, searched: SearchedPlayOptions | None = None
    ) -> None:
        """Games begin with up to so many random moves."""
        self._draw_images = image_drawer(game, seed)
        self._begin = partial(
            SelfPlay, game, random_moves=random_moves, temperature=TEMPERATURE, lambda_=_LAMBDA, seed=seed
        )
        self._pace, self._searched = pace, searched
        self._games, self._searching = self._begin(), False
        self._parts: list[TrainingSamples] = []  # of a round that has not ended,
        self._round_began, self._taken = 0, 0.0  # ... which began after so many states, and processor seconds of it

    def search(self, searched: SearchedPlayOptions) -> None:
        """Has games to come search as these options say."""
        self._searched = searched

    def play(self, evaluation: Evaluation, rounds: int) -> TrainingSamples | None:
        """Plays a round by an evaluation that was learned in so many rounds; returns the positions to learn.

        None where the round goes on in the next call, as it takes too long.
        """
        searched = self._searched
        if searched is None or not searched.begun(rounds):
            return self._play(evaluation, self._pace.round_states)
        if not self._searching:
            self._games = self._begin(leaves=searched.leaves, learned_visits=searched.learned_visits)
            self._searching = True
            self._begin_round()
        return self._play(evaluation, searched.round_states)

    def _play(self, evaluation: Evaluation, states: int) -> TrainingSamples | None:
        end, began = self._round_began + states, time.thread_time()
        self._parts.append(self._games.play(evaluation, end - self._games.states, self._pace.round_seconds))
        self._taken += time.thread_time() - began
        if self._games.states < end and self._taken < self._pace.processor_seconds:
            return None
        samples = TrainingSamples.joined(self._parts)
        self._begin_round()
        return self._draw_images(samples)

    def _begin_round(self) -> None:
        self._parts, self._round_began, self._taken = [], self._games.states, 0.0


class SelfPlayLearner(Generic[WeightsT]):
    """Learns one game in rounds, for as long as it is asked to and whenever it is asked again.

    What is learned so far can be had at any time, from any thread. With one worker it follows from the generator and
    the number of rounds, as long as none of them takes longer than its `pace` allows.
    """

    def __init__(
        self,
        game: Game,
        fit: Fit[WeightsT],
        seed: int,
        rng: np.random.Generator,
        workers: int,
        pace: LearningPace,
        rate: LearningRate,
        searched: SearchedPlayOptions | None = None,
        on_samples: Callable[[TrainingSamples, int, float], None] = lambda _samples, _seed, _rate: None,
    ) -> None:
        """Goes on with `fit`; `seed` is of what is found out of the game, `rng` of all that is played and fitted.

        `on_samples` takes all samples, with a seed and the rate of this fit. `rate` is that of learning from self-play,
        until that is `searched`. Without `workers` all games are played elsewhere, with the `weights`, and come by
        `take`.
        """
        self._game, self.pace, self._fit, self._rng = game, pace, fit, rng
        self._rate, self.searched, self._on_samples = rate, searched, on_samples
        self._evaluation, self._lock = fit.weights.evaluation(game), threading.Lock()
        self._failure: Exception | None = None  # of a worker, after which all of them stop
        self.random_moves = random_moves(game, seed)
        self._games = [LearningGames(game, self.random_moves, self._seed(), pace, searched) for _ in range(workers)]

    def learn(self, finished: Callable[[], bool]) -> None:
        """Learns until `finished` says so. Each worker plays games of its own, and fits to them, one at a time."""

        def work(games: LearningGames) -> None:
            while not (finished() or self._failure):
                self._round(games)

        with ThreadPoolExecutor(len(self._games)) as pool:
            list(pool.map(work, self._games))

    def round(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Learns one round of every worker's games; goes on with no other part of one once `stopped` says so."""
        for games in self._games:
            while not (stopped() or self._round(games)):
                pass

    def _round(self, games: LearningGames) -> bool:
        """Plays a round, or a part of one, and learns it; says whether the round has ended."""
        try:
            samples = games.play(self._evaluation, self.rounds)
        except Exception as error:
            self._failure = error
            raise
        self.take(samples)
        return samples is not None

    def take(self, samples: TrainingSamples | None) -> None:
        """Fits to the samples of a round, if it has ended, and there are any: in the first rounds no game may have."""
        if samples is None or not len(samples.features):
            return
        with self._lock:
            seed, rate = self._seed(), self.rate
            try:
                self._fit.take(samples, seed, rate)
                self._on_samples(samples, seed, rate)
                self._evaluation = self._fit.weights.evaluation(self._game)
            except Exception as error:
                self._failure = error
                raise

    @property
    def weights(self) -> WeightsT:
        """The newest weights, with which games are played."""
        return self._fit.weights

    @property
    def rounds(self) -> int:
        """How many rounds were learned, those of what was known before included."""
        return self._fit.rounds

    @property
    def searches(self) -> bool:
        """Whether self-play searches by now."""
        return self.searched is not None and self.searched.begun(self.rounds)

    @property
    def rate(self) -> float:
        """The rate of learning by now."""
        if self.searched and self.searches:
            return self.searched.rate.after(self.rounds - self.searched.after_rounds)
        return self._rate.after(self.rounds)

    @property
    def history(self) -> tuple[Round, ...]:
        """All rounds so far, but for those of what was known before and those that are forgotten."""
        return tuple(self._fit.history)

    def learned(self) -> Learned[WeightsT]:
        """Returns what has been learned so far."""
        with self._lock:
            return self._fit.learned()

    def forget_history(self) -> list[Round]:
        """Returns all rounds so far, or since it was asked last, and forgets them."""
        with self._lock:
            history, self._fit.history = self._fit.history, []
            return history

    def state(self) -> Any:
        """Returns all that another learner goes on from, games under way excepted; raises what a worker has raised."""
        with self._lock:
            if self._failure:
                raise self._failure
            return self._fit.state()

    def _seed(self) -> int:
        return new_seed(self._rng)


def new_seed(rng: np.random.Generator) -> int:
    """Draws a seed."""
    return int(rng.integers(1 << 62))
