"""Evaluations that play each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ludens.agent.learning.learning import Learner
from ludens.native.core import Evaluation
from scripts.strength.evaluation_match import game_of, play, read, save


def test_who_has_learned_wins_and_the_same_are_even(tmp_path: Path) -> None:
    game = game_of("breakthrough_small", territory=False)
    learner = Learner(game, seed=1)
    before = learner.learned().weights
    for _ in range(8):
        learner.round()
    save(learner.learned().weights, tmp_path / "weights.npz")
    weights = read(tmp_path / "weights.npz")
    learned, blank = (
        Evaluation(weights),
        Evaluation(before._replace(linear=0 * before.linear, output=0 * before.output)),
    )
    assert play(game, learned, blank, 6, 50, seed=1)[0] > 0.7
    assert play(game, blank, learned, 6, 50, seed=1)[0] < 0.3
    assert play(game, learned, learned, 3, 20, seed=1) == (0.5, 0.0)
    np.testing.assert_array_equal(weights.inner, learner.learned().weights.inner)
