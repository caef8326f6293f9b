"""Evaluations that play each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ludens.agent.learning.learning import Learner
from ludens.native.core import Evaluation
from scripts.strength.evaluation_match import game_of, play, read, save, searcher


def test_who_has_learned_wins_and_the_same_are_even(tmp_path: Path) -> None:
    game = game_of("breakthrough_small", territory=False)
    learner = Learner(game, seed=1)
    before = learner.learned().weights
    for _ in range(8):
        learner.round()
    save(learner.learned().weights, tmp_path / "weights.npz")
    weights = read(tmp_path / "weights.npz")
    empty = before._replace(linear=0 * before.linear, output=0 * before.output)
    learned, blank = (searcher(game, Evaluation(each), 50) for each in (weights, empty))
    assert play(game, learned, blank, 10, seed=1)[0] > 0.6
    assert play(game, blank, learned, 10, seed=1)[0] < 0.4
    assert play(game, learned, learned, 3, seed=1) == (0.5, 0.0)
    np.testing.assert_array_equal(weights.inner, learner.learned().weights.inner)
