"""The gap between two levels is what their games tell, and no more."""

from __future__ import annotations

import json
import math

import pytest

from ludens.agent.settings.levels import LEVELS
from scripts.common.match_runner import Outcome
from scripts.strength.levels import Gap, elo, gap, named


def of(*scores: float) -> Gap:
    """The gap below the second level, from games of openings, each from both seats."""
    keys = (json.dumps({"opening": number // 2, "seat": number % 2}) for number in range(len(scores)))
    return gap("nim", 2, [Outcome(key, score, 9, (0, 0)) for key, score in zip(keys, scores, strict=True)], 2)


def test_a_gap_has_the_score_of_its_games_and_the_interval_of_their_openings() -> None:
    found = of(1, 1, 1, 0, 0, 0, 1, 0.5)
    assert (found.game, found.level, found.games, found.score) == ("nim", 2, 8, 0.5625)
    assert (found.upper, found.lower) == (named(LEVELS[1]), named(LEVELS[0]))
    mean, half = 3.25 / 6, 1.96 * 0.4187 / 6**0.5  # of four openings, one that is won and one that is lost
    assert found.low == pytest.approx(mean - half, abs=1e-3) and found.high == pytest.approx(mean + half, abs=1e-3)


def test_a_gap_is_nowhere_known_exactly() -> None:
    won, lost, even = of(*[1] * 20), of(*[0] * 20), of(*[1, 1, 0, 0] * 5)
    assert (won.low, won.high) == (0.7603, 1)
    assert (lost.low, lost.high) == (0, 0.2397)
    assert even.low < 0.3 and even.high > 0.7
    assert won.points[::2] == (math.inf, math.inf) and won.points[1] == pytest.approx(200.5, abs=1)


def test_ten_times_the_odds_are_400_points() -> None:
    assert [elo(score) for score in (10 / 11, 1 / 2, 1 / 11)] == pytest.approx([400, 0, -400])
    assert (elo(1.0), elo(0.0)) == (math.inf, -math.inf)
