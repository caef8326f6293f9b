"""The gap between two levels is what their games tell, and no more."""

from __future__ import annotations

import math

import pytest

from ludens.agent.settings.levels import LEVELS
from scripts.common.match_runner import Outcome
from scripts.strength.levels import Gap, elo, gap, named


def of(*scores: float) -> Gap:
    """The gap below the second level, from games between two seats."""
    return gap("nim", 2, [Outcome(str(number), score, 9, (0, 0)) for number, score in enumerate(scores)], 2)


def test_a_gap_has_the_score_of_its_games_and_the_interval_of_their_openings() -> None:
    found = of(1, 1, 1, 0, 0, 0, 1, 0.5)
    assert (found.game, found.level, found.games, found.score) == ("nim", 2, 8, 0.5625)
    assert (found.upper, found.lower) == (named(LEVELS[1]), named(LEVELS[0]))
    half = 1.96 * 0.4270 / 4**0.5
    assert found.low == pytest.approx(0.5625 - half, abs=1e-3) and found.high == pytest.approx(0.5625 + half, abs=1e-3)


def test_a_gap_is_nowhere_known_exactly() -> None:
    won, lost, even = of(*[1] * 20), of(*[0] * 20), of(*[1, 0] * 10)
    assert (won.low, won.high) == (0.7225, 1)
    assert (lost.low, lost.high) == (0, 0.2775)
    assert even.low < 0.3 and even.high > 0.7
    assert won.points[::2] == (math.inf, math.inf) and won.points[1] == pytest.approx(166, abs=1)


def test_ten_times_the_odds_are_400_points() -> None:
    assert [elo(score) for score in (10 / 11, 1 / 2, 1 / 11)] == pytest.approx([400, 0, -400])
    assert (elo(1.0), elo(0.0)) == (math.inf, -math.inf)
