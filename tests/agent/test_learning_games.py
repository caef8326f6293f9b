"""Rounds of self-play to learn from: whole ones have as many states on any machine, and in parts as well."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import self_play_learner
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningGames, LearningPace, LearningRate, SearchedPlayOptions
from ludens.native.core import Evaluation, EvaluationWeights, Game, SelfPlay, TrainingSamples
from ludens.propnet.compile.loader import load

STATES = 300_000
SHORT = 0.002  # seconds, in which no machine makes so many


@cache
def breakthrough() -> Game:
    return Game.from_propnet(load(games.read("breakthrough_small")))


@cache
def weights() -> EvaluationWeights:
    return Learner(breakthrough(), 1, workers=0, pace=LearningPace(1000, 0.0)).weights


def calls(seconds: float, rounds: int, *, whole: bool = True, number: int = 10_000) -> Iterator[TrainingSamples | None]:
    """Yields what comes of each call after so many rounds; players search from the second round on."""
    searched = SearchedPlayOptions(1, leaves=20, learned_visits=4, round_states=STATES, rate=LearningRate(0.001))
    pace = LearningPace(1, 0.0, STATES, seconds, processor_seconds=60.0 if whole else 0.0)
    played = LearningGames(breakthrough(), 4, 1, pace, searched)
    evaluation = Evaluation(weights())
    return (played.play(evaluation, rounds) for _ in range(number))


def whole_round(parts: Iterator[TrainingSamples | None]) -> tuple[TrainingSamples, int]:
    """Returns the next round, and of how many parts it is."""
    number = 1
    while (samples := next(parts)) is None:
        number += 1
    return samples, number


def test_a_round_in_parts_is_the_same_round() -> None:
    in_parts, at_once = calls(SHORT, 0), calls(0.0, 0)
    for _ in range(3):
        (found, number), (expected, only) = whole_round(in_parts), whole_round(at_once)
        assert number > 3 and only == 1
        assert found.games == expected.games and len(found.features)
        np.testing.assert_array_equal(found.features, expected.features)
        np.testing.assert_array_equal(found.targets, expected.targets)


def test_a_round_of_searches_in_parts_has_as_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the same ones, as each part begins a tree."""
    made = list[int]()

    def play(self: SelfPlay, *given: Any) -> TrainingSamples:
        before, samples = self.states, TrainingSamples(*original(self, *given))
        made[-1] += self.states - before
        return samples

    original = SelfPlay.play
    monkeypatch.setattr(SelfPlay, "play", play)
    for seconds in (SHORT, 0.0):
        parts = calls(seconds, 1)
        for _ in range(3):
            made.append(0)
            _, number = whole_round(parts)
            assert (number > 3) == bool(seconds)
    assert all(STATES <= each < 1.05 * STATES for each in made)


def test_rounds_of_one_part_end_in_time() -> None:
    assert all(each is not None for each in calls(SHORT, 0, whole=False, number=20))


def test_a_round_ends_after_so_much_work_however_slow_the_game_is() -> None:
    pace = LearningPace(1, 0.0, 1 << 40, SHORT, processor_seconds=0.05)
    played, evaluation = LearningGames(breakthrough(), 4, 1, pace), Evaluation(weights())
    began, done = time.thread_time(), [played.play(evaluation, 0) for _ in range(100)]
    rounds = sum(each is not None for each in done)
    assert 1 <= rounds <= (time.thread_time() - began) / 0.05 + 1
    assert len(done) / rounds > 3


def test_the_parts_before_searches_are_no_part_of_their_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = SearchedPlayOptions(1, leaves=20, learned_visits=4, round_states=STATES, rate=LearningRate(0.001))
    begun, fresh = (
        LearningGames(breakthrough(), 4, 1, LearningPace(1, 0.0, STATES, 0.0, 60.0), searched) for _ in "ab"
    )
    evaluation = Evaluation(weights())
    monkeypatch.setattr(SelfPlay, "states", 0)
    assert begun.play(evaluation, 0) is None
    monkeypatch.undo()
    found, expected = (whole_round(iter([each.play(evaluation, 1)]))[0] for each in (begun, fresh))
    np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_array_equal(found.targets, expected.targets)


def test_only_the_games_that_are_played_take_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of players who look one move ahead end as soon as searches begin."""
    tic_tac_toe = Game.from_propnet(load(games.read("tic_tac_toe")))
    evaluation = Evaluation(Learner(tic_tac_toe, 1, pace=LearningPace(500, 0.0, 500, 0.0)).weights)
    made = list[weakref.ref[SelfPlay]]()

    def begun(*args: Any, **settings: Any) -> SelfPlay:
        made.append(weakref.ref(play := SelfPlay(*args, **settings)))
        return play

    monkeypatch.setattr(self_play_learner, "SelfPlay", begun)
    searched = SearchedPlayOptions(2, leaves=10, learned_visits=2, round_states=1000, rate=LearningRate(0.001))
    learned = LearningGames(tic_tac_toe, 2, 1, LearningPace(round_states=1000, round_seconds=0.0), searched)
    for rounds, expected in enumerate(([True], [True], [False, True], [False, True])):
        learned.play(evaluation, rounds)
        assert [each() is not None for each in made] == expected
