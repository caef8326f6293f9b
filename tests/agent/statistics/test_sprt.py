"""The sequential probability ratio test."""

from __future__ import annotations

import numpy as np

from ludens.agent.statistics.sprt import decided


def test_the_sequential_test_decides_for_what_is_likelier() -> None:
    bounds = [0.5, 0.6]
    assert decided([1.0] * 70 + [0.0] * 10, bounds) == "high"
    assert decided([1.0] * 10 + [0.0] * 70, bounds) == "low"
    assert decided([1.0] * 11 + [0.0] * 9, bounds) is None
    assert decided([1.0] * 70 + [0.0] * 10, None) is None


def test_the_sequential_test_is_wrong_as_seldom_as_it_says() -> None:
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(200):
        scores, verdict = list[float](), None
        while verdict is None:
            scores.append(float(rng.random() < 0.5))
            verdict = decided(scores, (0.5, 0.65))
        wrong += verdict == "high"
    assert wrong <= 200 * 0.1
