"""Intervals of scores over openings."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.agent.statistics.intervals import interval_over_openings


def test_the_interval_is_over_openings() -> None:
    spread = 1.959964 * 0.5 / 22**0.5  # of ten openings won, ten lost, and those that are added
    low, high = interval_over_openings([1.0, 1.0, 0.0, 0.0] * 10, seats=2)
    assert (0.5 - low, high - 0.5) == pytest.approx((spread, spread))
    assert interval_over_openings([1.0, 1.0, 0.0, 0.0] * 10 + [1.0], seats=2) == (low, high), (
        "half an opening tells nothing"
    )
    assert interval_over_openings([1.0, 1.0, 1.0, 0.0], seats=2)[1] == 1.0, "no score is above 1"
    assert interval_over_openings([1.0], seats=2) == (0.0, 1.0)


@pytest.mark.parametrize("openings", [2, 5, 8, 20, 50])
@pytest.mark.parametrize("score", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_intervals_have_the_true_score_nearly_as_often_as_they_say(openings: int, score: float, draws: float) -> None:
    rng = np.random.default_rng(1)
    shape = 2000, openings * 2
    games = np.where(rng.random(shape) < draws, 0.5, rng.random(shape) < score)
    true = draws * 0.5 + (1 - draws) * score
    intervals = [interval_over_openings(list(scores), 2) for scores in games]
    assert np.mean([low <= true + 1e-9 and true - 1e-9 <= high for low, high in intervals]) > 0.92


@pytest.mark.parametrize("scores", [[1.0] * 16, [1.0, 0.0] * 8, [0.5] * 100, [1.0] * 3 + [0.0] * 13])
def test_a_game_lost_in_place_of_one_won_never_raises_a_bound(scores: list[float]) -> None:
    low, high = interval_over_openings(scores, 2)
    for game, score in enumerate(scores):
        worse = interval_over_openings([*scores[:game], 0.0, *scores[game + 1 :]], 2)
        assert score == 0.0 or (worse[0] < low and worse[1] <= high)
