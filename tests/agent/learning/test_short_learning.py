"""What is learned before a match: first by players who look one move ahead, then by searches where these teach more."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import short_learning
from ludens.agent.learning.averaged_fit import AveragedFit
from ludens.agent.learning.learning import HIDDEN, Learner
from ludens.agent.learning.self_play_learner import LearningGames, LearningPace
from ludens.agent.learning.short_learning import ShortLearner, learn, searches_teach_more
from ludens.native.core import Evaluation, Game, RandomGames, TrainingSamples
from ludens.propnet.compile.loader import load

FEW_MOVES, MANY_MOVES = "reversi", "breakthrough"
SAMPLES = 100
_take = AveragedFit.take


@cache
def game_named(name: str) -> Game:
    return Game.from_propnet(load(games.read(name)))


class Rounds:
    """A clock that counts rounds of self-play, and notes which of them searched.

    What they teach are positions of random games.
    """

    def __init__(self, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
        """Has each round take a second."""
        samples = RandomGames(game, seed=1).play(SAMPLES)
        self.searched: list[bool] = []

        def play(_games: LearningGames, _evaluation: Evaluation, _rounds: int) -> TrainingSamples:
            return samples

        def take(fit: AveragedFit, samples: TrainingSamples, seed: int, rate: float) -> None:
            self.searched.append(rate == short_learning._SEARCHES.rate.first)
            _take(fit, samples, seed, rate)

        monkeypatch.setattr(LearningGames, "play", play)
        monkeypatch.setattr(AveragedFit, "take", take)
        monkeypatch.setattr(short_learning, "_LEAST_ROUNDS_AHEAD", 3)

    def __call__(self) -> float:
        return float(len(self.searched))


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """The clock for a game with few moves."""
    return Rounds(game_named(FEW_MOVES), monkeypatch)


@pytest.mark.parametrize(
    ("name", "teach"),
    [
        (FEW_MOVES, True),
        ("pentago", True),
        (MANY_MOVES, False),
        ("connect_four", False),
        ("goofspiel", False),
        ("eight_puzzle", False),
    ],
)
def test_searches_are_for_games_by_turns_that_have_few_moves_and_not_of_placing_alone(name: str, teach: bool) -> None:
    assert searches_teach_more(game_named(name), seed=1) == teach


@pytest.mark.parametrize(
    ("name", "seconds", "ahead"),
    [(FEW_MOVES, 16.0, 8), (FEW_MOVES, 5.0, 3), (FEW_MOVES, 3.0, 3), (FEW_MOVES, 200.0, 60), (MANY_MOVES, 16.0, 16)],
)
def test_it_searches_in_the_second_half(name: str, seconds: float, ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not before some rounds, before long in any case, and not in a game with many moves."""
    rounds = Rounds(game_named(name), monkeypatch)
    learned = learn(game_named(name), seconds, seed=1, clock=rounds)
    assert rounds.searched == [False] * ahead + [True] * (int(seconds) - ahead)
    assert (learned.rounds, learned.seconds) == (len(rounds.searched), seconds)


def test_it_goes_on_where_it_stopped_to_learn(rounds: Rounds) -> None:
    """Whether it has come to search by then or not."""
    learner = ShortLearner(game_named(FEW_MOVES), 12.0, HIDDEN, seed=1, clock=rounds)
    for end in (2.0, 4.0, 9.0, 12.0):
        learner.learn(end)
        assert rounds() == end
        assert learner.searches == (end > 6)
    assert rounds.searched == [False] * 6 + [True] * 6


@pytest.mark.parametrize(("seconds", "known", "ahead"), [(2.0, 9, 5), (12.0, 9, 0), (30.0, 9, 0), (30.0, 1, 2)])
def test_what_was_learned_before_counts(seconds: float, known: int, ahead: int, rounds: Rounds) -> None:
    before = Learner(game_named(FEW_MOVES), 1).learned()._replace(seconds=seconds, rounds=known)
    learned = learn(game_named(FEW_MOVES), 12.0, seed=1, known=before, clock=rounds)
    assert rounds.searched == [False] * ahead + [True] * (12 - ahead)
    assert (learned.rounds, learned.seconds) == (known + 12, seconds + 12)


def test_several_threads_learn_for_a_part_of_the_time_each(rounds: Rounds) -> None:
    """Seconds that are known are of all threads, those to come of the clock."""
    known = Learner(game_named(FEW_MOVES), 1).learned()._replace(seconds=16.0)
    learned = learn(game_named(FEW_MOVES), 24.0, seed=1, known=known, clock=rounds, workers=2)
    assert rounds.searched.index(True) == pytest.approx(8, abs=1)
    assert learned.seconds == pytest.approx(16 + 2 * 24, abs=2)


@pytest.mark.parametrize(("before", "anew"), [(0.0, True), (8.0, False)])
def test_searches_go_on_from_the_mean_of_what_was_learned(before: float, anew: bool, rounds: Rounds) -> None:
    """Which counts no more then, unless it is of earlier matches."""
    game = game_named(FEW_MOVES)
    known = Learner(game, 1).learned()._replace(seconds=before, rounds=5) if before else None
    learner = ShortLearner(game, 8.0, HIDDEN, seed=1, known=known, clock=rounds)
    learner.learn(4.0)
    before_searches = learner.learned()
    learner.learn(5.0)
    newest, mean = learner._learner.weights.inner, learner.learned().weights.inner
    assert (mean != before_searches.weights.inner).any()
    assert np.allclose(mean, newest, rtol=1e-5, atol=1e-6) == anew  # a mean of one is rounded


@pytest.mark.parametrize("most", [2, 6])
def test_it_ends_early_where_nothing_more_is_wanted(most: int, rounds: Rounds) -> None:
    learned = learn(game_named(FEW_MOVES), 8.0, 1, lambda: len(rounds.searched) >= most, clock=rounds)
    assert len(rounds.searched) == most == learned.rounds


def test_games_under_way_give_way_to_searches() -> None:
    game = game_named(FEW_MOVES)
    learner = Learner(game, 1, pace=LearningPace(2000, 0.0, 20_000, 0.0))
    learner.round()
    learner.search(short_learning._SEARCHES, anew=True)
    assert learner.searches and learner.rate == short_learning._SEARCHES.rate.first
    before = learner.learned()
    learner.round()
    assert learner.rounds == before.rounds + 1
    assert (learner.learned().weights.inner != before.weights.inner).any()
