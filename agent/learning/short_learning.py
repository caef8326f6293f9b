"""Learns a game in the seconds before a match, in the second half of which self-play searches.

    >>> Search(game, strategy="guided", evaluation=Evaluation(learn(game, seconds=10.0).weights))

Players who look one move ahead soon teach no more than they know themselves: in reversi 24 s of that are worth no more
than 12 s, while searches of 100 leaves in the second half win nine games of ten against it. They teach less where
positions have many moves, since so few of these are looked at often enough, and where moves only put something down
(docs/experiments/searched-self-play.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.learning import Learner, hidden_units
from ludens.agent.learning.random_games import choice_figures, only_places, takes_turns
from ludens.agent.learning.self_play_learner import LearningRate, SearchedPlayOptions
from ludens.native.core import Game

LEAST_SECONDS = 1.0
"""What is learned in less is worth nothing."""

_SHARE_AHEAD = 0.5  # of the time, for players who look one move ahead,
_MOST_SECONDS_AHEAD, _LEAST_ROUNDS_AHEAD = 60.0, 128  # ... but no more and no fewer
_MOST_MOVES = 20.0  # of a position on average: where there are more, searches teach too little
_SEARCHES = SearchedPlayOptions(0, leaves=100, learned_visits=8, round_states=1 << 18, rate=LearningRate(0.0005))


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
    began, before = clock(), known.seconds if known else 0.0
    hidden = hidden_units(game, before + seconds * workers, seed, known)
    learner = ShortLearner(game, seconds, hidden, seed, known, workers, clock, stopped)
    learner.learn(began + seconds)
    return learner.learned()._replace(seconds=before + (clock() - began) * workers)


def searches_teach_more(game: Game, seed: int) -> bool:
    """Says whether self-play that searches teaches more of a game, after a while, than one that looks a move ahead."""
    return (
        game.roles > 1
        and takes_turns(game, seed)
        and choice_figures(game, seed).moves <= _MOST_MOVES
        and not only_places(game, seed)
    )


class ShortLearner:
    """Learns the evaluation of one game for as long as it is asked to, and whenever it is asked again."""

    def __init__(
        self,
        game: Game,
        seconds: float,
        hidden: int,
        seed: int = 0,
        known: TrainedWeights | None = None,
        workers: int = 1,
        clock: Callable[[], float] = time.monotonic,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Is to learn for about `seconds` of `clock` on so many `workers`, in addition to what is `known`.

        It has so many `hidden` units. All that it does ends early once `stopped` says so.
        """
        self._game, self._seed, self._clock, self._stopped = game, seed, clock, stopped
        self._learner = Learner(game, seed, known, workers, hidden=hidden, stopped=stopped)
        before = known.seconds / workers if known else 0.0
        ahead = min(_SHARE_AHEAD * (before + seconds), _MOST_SECONDS_AHEAD)
        self._until_search = ahead - before  # seconds of learning
        self._known_long = before >= ahead
        self._decided = False  # whether to search

    @property
    def searches(self) -> bool:
        """Whether self-play searches by now."""
        return self._learner.searches

    def learn(self, end: float) -> None:
        """Learns until the clock says `end`. What a worker raises ends it; what was learned until then is not lost."""
        began = self._clock()

        def is_over() -> bool:
            return self._clock() >= end or self._stopped()

        def may_search() -> bool:
            return self._clock() - began >= self._until_search and self._learner.rounds >= _LEAST_ROUNDS_AHEAD

        if not self._decided:
            self._learner.learn(lambda: is_over() or may_search())
            self._until_search -= self._clock() - began
            if not is_over():
                self._decide()
        self._learner.learn(is_over)

    def learned(self) -> TrainedWeights:
        """Returns what has been learned so far."""
        return self._learner.learned()

    def _decide(self) -> None:
        """Has self-play search from now on, if that teaches more.

        What it teaches is not averaged with what looking one move ahead has taught, unless that was in earlier matches.
        """
        self._decided = True
        if searches_teach_more(self._game, self._seed):
            self._learner.search(_SEARCHES, anew=not self._known_long)
