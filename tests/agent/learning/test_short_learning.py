"""What is learned before a match: first by players who look one move ahead, then by searches where these teach more."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import short_learning
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.learning import HIDDEN, Learner
from ludens.agent.learning.self_play_learner import LearningGames
from ludens.agent.learning.short_learning import ShortLearner, learn, searches_teach_more
from ludens.native.core import Evaluation, Game, TrainingSamples
from ludens.propnet.compile.loader import load

FEW_MOVES, MANY_MOVES = "connect_four", "breakthrough"


@cache
def game_named(name: str) -> Game:
    return Game.from_propnet(load(games.read(name)))


class Rounds:
    """A clock that counts rounds of self-play, and notes which of them searched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Has each round that games play take a second."""
        self.searched: list[bool] = []
        play = LearningGames.play

        def counted(games: LearningGames, evaluation: Evaluation, rounds: int) -> TrainingSamples | None:
            self.searched.append(games._searched is not None)
            return play(games, evaluation, rounds)

        monkeypatch.setattr(LearningGames, "play", counted)
        monkeypatch.setattr(short_learning, "_LEAST_ROUNDS", 3)

    def __call__(self) -> float:
        return float(len(self.searched))


@pytest.mark.parametrize(
    ("name", "teach"), [(FEW_MOVES, True), ("reversi", True), (MANY_MOVES, False), ("hex", False), ("goofspiel", False)]
)
def test_searches_are_for_games_by_turns_that_have_few_moves(name: str, teach: bool) -> None:
    assert searches_teach_more(game_named(name), seed=1) == teach


@pytest.mark.parametrize(
    ("name", "seconds", "ahead"),
    [(FEW_MOVES, 16.0, 8), (FEW_MOVES, 5.0, 3), (FEW_MOVES, 3.0, 3), (MANY_MOVES, 16.0, 16)],
)
def test_it_searches_in_the_second_half(name: str, seconds: float, ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not before some rounds, and not in a game with many moves."""
    rounds = Rounds(monkeypatch)
    learned = learn(game_named(name), seconds, seed=1, clock=rounds)
    assert rounds.searched == [False] * ahead + [True] * (int(seconds) - ahead)
    assert learned.rounds == len(rounds.searched)


def test_it_goes_on_where_it_stopped_to_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it has come to search by then or not."""
    rounds = Rounds(monkeypatch)
    learner = ShortLearner(game_named(FEW_MOVES), 12.0, HIDDEN, seed=1, clock=rounds)
    for end in (2.0, 4.0, 9.0, 12.0):
        learner.learn(end)
        assert rounds() == end
    assert rounds.searched == [False] * 6 + [True] * 6


@pytest.mark.parametrize(("seconds", "ahead"), [(2.0, 5), (12.0, 0), (30.0, 0)])
def test_what_was_learned_before_counts(seconds: float, ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = Rounds(monkeypatch)
    known = Learner(game_named(FEW_MOVES), 1).learned()
    learn(game_named(FEW_MOVES), 12.0, seed=1, known=known._replace(seconds=seconds), clock=rounds)
    assert rounds.searched == [False] * ahead + [True] * (12 - ahead)


def test_several_threads_learn_for_a_part_of_the_time_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds that are known are of all threads, those to come of the clock."""
    rounds = Rounds(monkeypatch)
    known = Learner(game_named(FEW_MOVES), 1).learned()._replace(seconds=8.0)
    learn(game_named(FEW_MOVES), 12.0, seed=1, known=known, clock=rounds, workers=2)
    assert rounds.searched.index(True) == pytest.approx(4, abs=1)


def test_searches_go_on_from_the_mean_of_what_was_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = Rounds(monkeypatch)
    begun: list[TrainedWeights | None] = []

    class Noted(Learner):
        def __init__(self, game: Game, seed: int, known: TrainedWeights | None, *args: object, **options: object):
            begun.append(known)
            super().__init__(game, seed, known, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(short_learning, "Learner", Noted)
    learner = ShortLearner(game_named(FEW_MOVES), 8.0, HIDDEN, seed=1, clock=rounds)
    learner.learn(4.0)
    before = learner.learned()
    learner.learn(5.0)
    assert begun[0] is None and begun[1] is not None
    np.testing.assert_array_equal(begun[1].weights.inner, before.weights.inner)
    assert (learner.learned().weights.inner != before.weights.inner).any()


@pytest.mark.parametrize("most", [2, 6])
def test_it_ends_early_where_nothing_more_is_wanted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = Rounds(monkeypatch)
    learned = learn(game_named(FEW_MOVES), 8.0, 1, lambda: len(rounds.searched) >= most, clock=rounds)
    assert len(rounds.searched) == most == learned.rounds
