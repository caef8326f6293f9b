"""Learns what the states of a game are worth, from nothing but its rules, during the start clock or for hours.

    >>> Search(game, strategy="guided", evaluation=Evaluation(learn(game, seconds=10.0).weights))

First a fit to the ends of random games; then, as long as there is time, rounds of self-play in which all look one
move ahead with what has been learned so far, each followed by a fit to their lambda-returns (Sutton, "Learning to
predict by the methods of temporal differences", 1988; Tesauro, "Temporal difference learning and TD-Gammon",
1995). Games go on from round to round. In long runs the players of games by turns search each position from some round
on, and positions of the trees of their searches are learned too.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from ludens.agent.learning.averaged_fit import RATE, AveragedFit, FitState, Round, TrainedWeights
from ludens.native.core import (
    Evaluation,
    EvaluationFit,
    EvaluationWeights,
    Game,
    SelfPlay,
    Simulator,
    States,
    TrainingSamples,
    random_samples,
    unpack_bits,
)

HIDDEN, MORE_HIDDEN = 30, 62  # units; with the sums of two roles, four and eight vectors of eight numbers
_MANY_POSITIONS = 4_000_000  # from which more units gain: docs/experiments/hidden-units.md
_PROBE_SECONDS = 0.1
_RANDOM_PASSES = 2
_SHOWN_STATES = 4000  # to find out what tells whose turn it is
_SHOWN_GAMES, _SHOWN_MOVES = 64, 300  # to find out whether one role chooses at a time
_RANDOM_RATE = 0.003
_LAMBDA = 0.8
_TEMPERATURE = 2.0  # in goals: a move that seems two goals worse is played less than half as often
_RANDOM_SHARE = 0.5  # a game of self-play begins with up to this share of a random game's moves, at random
_SPREAD = 0.1  # of the weights of hidden units at the beginning


@dataclass(frozen=True, slots=True)
class LearningPace:
    """How much is played between two fits, and how long that may take; without limits of time it can be repeated.

    What takes longer is learned as far as it has come or, where rounds are whole, is a part of its round.
    """

    random_games: int = 200_000  # whose ends are learned first
    random_seconds: float = 0.5  # at most, playing them; 0: no limit
    round_states: int = 1 << 17  # that are made by self-play before a fit
    round_seconds: float = 0.1  # at most, playing them; 0: no limit
    whole_rounds: bool = False


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


SHORT_LEARNING = LearningRate(RATE, half_after=150)
"""The rate of learning from self-play before a match."""

LEAST_SECONDS = 1.0
"""What is learned in less is worth nothing."""


def learn(
    game: Game,
    seconds: float,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
    known: TrainedWeights | None = None,
    clock: Callable[[], float] = time.monotonic,
    workers: int = 1,
) -> TrainedWeights:
    """Trains an evaluation for about `seconds` of `clock`, from `known` weights on; ends early once `stopped` says so.

    `workers` threads play and fit.
    """
    end = clock() + seconds
    learner = Learner(game, seed, known, workers, hidden=hidden_units(game, seconds * workers, seed))
    learner.learn(lambda: clock() >= end or stopped())
    return learner.learned()


class LearningGames:
    """Games of self-play to learn from: players look one move ahead and, from some round on, search. For one thread.

    New games begin with the searches; those under way before are dropped.
    """

    def __init__(
        self, game: Game, random_moves: int, seed: int, pace: LearningPace, searched: SearchedPlayOptions | None = None
    ) -> None:
        """Games begin with up to so many random moves."""
        self._begin = partial(
            SelfPlay, game, random_moves=random_moves, temperature=_TEMPERATURE, lambda_=_LAMBDA, seed=seed
        )
        self._pace, self._searched = pace, searched
        self._games, self._searching = self._begin(), False
        self._parts: list[TrainingSamples] = []  # of a round that has not ended,
        self._round_began = 0  # ... which began after so many states

    def play(self, evaluation: Evaluation, rounds: int) -> TrainingSamples | None:
        """Plays a round by an evaluation that was learned in so many rounds; returns the positions to learn.

        None where the round goes on in the next call, as it takes too long.
        """
        searched = self._searched
        if searched is None or not searched.begun(rounds):
            return self._play(evaluation, self._pace.round_states)
        if not self._searching:
            self._games = self._begin(leaves=searched.leaves, learned_visits=searched.learned_visits)
            self._searching, self._parts, self._round_began = True, [], 0
        return self._play(evaluation, searched.round_states)

    def _play(self, evaluation: Evaluation, states: int) -> TrainingSamples | None:
        end = self._round_began + states
        self._parts.append(self._games.play(evaluation, end - self._games.states, self._pace.round_seconds))
        if self._pace.whole_rounds and self._games.states < end:
            return None
        samples, self._parts, self._round_began = TrainingSamples.joined(self._parts), [], self._games.states
        return samples


class Learner:
    """Learns the evaluation of one game in rounds, for as long as it is asked to and whenever it is asked again.

    What is learned so far can be had at any time, from any thread. With one worker it follows from the seed and the
    number of rounds, as long as none of them takes longer than its `pace` allows.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        known: TrainedWeights | FitState | None = None,
        workers: int = 1,
        also: Callable[[TrainingSamples, int, float], None] = lambda _samples, _seed, _rate: None,
        pace: LearningPace = LearningPace(),
        hidden: int = HIDDEN,
        rate: LearningRate = SHORT_LEARNING,
        searched: SearchedPlayOptions | None = None,
    ) -> None:
        """Begins with `known` weights, else with a fit of `hidden` units to random games.

        `also` takes all samples, with a seed and the rate of this fit. `rate` is that of learning from self-play,
        until that is `searched`. Without `workers` all games are played elsewhere, with the `weights`, and come by
        `take`.
        """
        self._game, self.pace, self._hidden = game, pace, hidden
        self._rate, self.searched = rate, searched
        self._rng = np.random.default_rng(seed)
        self._also = also
        if isinstance(known, FitState):
            self._fit = AveragedFit.resumed(known)
        elif known:
            self._fit = AveragedFit(EvaluationFit(known.weights), known.rounds)
        else:
            self._fit = AveragedFit(self._fit_to_random_games())
        self._evaluation, self._lock = Evaluation(self._fit.weights), threading.Lock()
        self.random_moves = int(_RANDOM_SHARE * Simulator(game, seed=seed).playouts(512).mean_length)
        self._games = [LearningGames(game, self.random_moves, self._seed(), pace, searched) for _ in range(workers)]

    def learn(self, finished: Callable[[], bool]) -> None:
        """Learns until `finished` says so. Each worker plays games of its own, and fits to them; no one waits."""

        def work(games: LearningGames) -> None:
            while not finished():
                self._round(games)

        with ThreadPoolExecutor(len(self._games)) as pool:
            list(pool.map(work, self._games))

    def round(self) -> None:
        """Learns one round of every worker's games."""
        for games in self._games:
            self._round(games)

    def _round(self, games: LearningGames) -> None:
        self.take(games.play(self._evaluation, self.rounds))

    def take(self, samples: TrainingSamples | None) -> None:
        """Fits to the samples of a round, if it has ended, and there are any: in the first rounds no game may have."""
        if samples is None or not len(samples.features):
            return
        with self._lock:
            seed, rate = self._seed(), self.rate
            self._fit.take(samples, seed, rate)
            self._also(samples, seed, rate)
            self._evaluation = Evaluation(self._fit.weights)

    @property
    def weights(self) -> EvaluationWeights:
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

    def learned(self) -> TrainedWeights:
        """Returns what has been learned so far."""
        with self._lock:
            return self._fit.learned()

    def forget_history(self) -> list[Round]:
        """Returns all rounds so far, or since it was asked last, and forgets them."""
        with self._lock:
            history, self._fit.history = self._fit.history, []
            return history

    def state(self) -> FitState:
        """Returns all that another learner goes on from, games under way excepted."""
        with self._lock:
            return self._fit.state()

    def _fit_to_random_games(self) -> EvaluationFit:
        pace = self.pace
        samples = random_samples(self._game, pace.random_games, seconds=pace.random_seconds, seed=self._seed())
        control = control_propositions(self._game, samples.states(self._game)[:_SHOWN_STATES])
        fit = EvaluationFit(_blank(self._game, control, self._hidden, self._rng))
        for _ in range(_RANDOM_PASSES):
            fit.fit(samples, _RANDOM_RATE, self._seed())
        return fit

    def _seed(self) -> int:
        return int(self._rng.integers(1 << 62))


def hidden_units(game: Game, seconds: float, seed: int = 0) -> int:
    """Returns how many hidden units suit an evaluation that is learned for so long, on all threads together.

    That goes by the positions that will be learned, which a moment of self-play tells.
    """
    games = SelfPlay(game, temperature=_TEMPERATURE, seed=seed)
    began = time.thread_time()
    games.play(Evaluation(_blank(game, (), HIDDEN, np.random.default_rng(seed))), 1 << 62, _PROBE_SECONDS)
    taken = max(time.thread_time() - began, 1e-6)
    return MORE_HIDDEN if games.positions / taken * seconds >= _MANY_POSITIONS else HIDDEN


def control_propositions(game: Game, states: States) -> tuple[int, ...]:
    """Returns the propositions that tell whose turn it is: one for each role that has turns, but for the last.

    As far as `states` [n, state_words] show; those where nobody chooses, or several do, show nothing.
    """
    chooses = np.stack([moves.sum(axis=1) > 1 for moves in Simulator(game, 64).legal(states)])
    alone = chooses.sum(axis=0) == 1
    bits = unpack_bits(states[alone], game.state_bits)
    found = []
    for turns in chooses[:, alone]:
        same = np.flatnonzero((bits == turns[:, None]).all(axis=0))
        if len(same) and turns.any() and not turns.all():
            found.append(int(same[0]))
    return tuple(found[:-1])


def takes_turns(game: Game, seed: int = 0) -> bool:
    """Says whether one role at most chooses at a time, as far as the first moves of some random games show."""
    simulator, rng = Simulator(game, _SHOWN_GAMES), np.random.default_rng(seed)
    states = np.repeat(game.initial[None], _SHOWN_GAMES, axis=0)
    for _ in range(_SHOWN_MOVES):
        legal = simulator.legal(states)
        if (sum(moves.sum(axis=1) > 1 for moves in legal) > 1).any():
            return False
        joint = np.stack([(moves * rng.random(moves.shape)).argmax(axis=1) for moves in legal], axis=1)
        states = simulator.next(states, joint.astype(np.int32))
        states[simulator.terminal(states)] = game.initial
    return True


def _blank(game: Game, control: tuple[int, ...], hidden: int, rng: np.random.Generator) -> EvaluationWeights:
    """Returns weights of zero, but for small random ones that tell hidden units from each other."""
    sets, inputs = len(control) + 1, game.feature_bits + 1
    inner = rng.normal(0, _SPREAD, (sets, inputs, hidden)).astype(np.float32)
    inner[:, game.state_bits : game.feature_bits] = 0  # what sums up the state would drown it
    return EvaluationWeights(
        control,
        np.zeros((sets, inputs, game.roles), np.float32),
        inner,
        rng.normal(0, _SPREAD, (sets, hidden, game.roles)).astype(np.float32),
    )
