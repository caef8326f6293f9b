"""Matches between two evaluations in long runs of learning."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.long_learning.evaluation_match import EvaluationMatch, Searcher
from ludens.native.core import Evaluation, EvaluationWeights
from tests.support.learning_runs import the_game

pytestmark = pytest.mark.usefixtures("own_cache")


def test_the_better_evaluation_wins_the_match() -> None:
    """Against one that takes every win for a loss."""
    game = the_game()
    learner = Learner(game.game, 1, pace=LearningPace(20_000, 0.0, 1 << 16, 0.0), hidden=6)
    for _ in range(20):
        learner.round()
    good = learner.state().mean
    bad = EvaluationWeights(good.control, -good.linear, good.inner, -good.output)
    first, second = (Searcher(game.guided(Evaluation(each)), 20) for each in (good, bad))
    match = EvaluationMatch(game.game, 1, 2)
    assert np.mean(match.play(first, second, range(6))) > 0.8
    assert np.mean(match.play(second, first, range(6))) < 0.2
    assert match.play(first, first, range(4)) == [0.5] * 4
    assert len(match.decide(first, second, (0.48, 0.56), 1000)) < 100
    assert match.play(first, second, range(3)) == EvaluationMatch(game.game, 1, 1).play(first, second, range(3))


def test_a_match_can_be_ended() -> None:
    game = the_game()
    learner = Learner(game.game, 1, pace=LearningPace(2000, 0.0, 1 << 14, 0.0), hidden=6)
    player = Searcher(game.guided(Evaluation(learner.state().mean)), 10**9)
    match = EvaluationMatch(game.game, 1, 1)
    played = threading.Thread(target=lambda: match.decide(player, player, (0.48, 0.56), 10**6))
    played.start()
    match.stop()
    played.join()


def test_openings_are_left_out_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the first, so that there is a score."""
    game = the_game()
    player, match = Searcher(game.uct(), 1), EvaluationMatch(game.game, 1, 2)
    assert len(match.play(player, player, range(3, 6), end=0.0)) == 1
    assert len(match.decide(player, player, (0.48, 0.56), 1000, end=0.0)) == 1
    assert len(match.decide(player, player, (0.48, 0.56), 1000, end=time.monotonic() + 0.2)) < 500
