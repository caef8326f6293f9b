"""The measured gaps of levels are those of the levels that there are, and the levels are what they should be."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from ludens.agent.settings.levels import LEVELS
from scripts.docs.levels import gaps
from scripts.strength.levels import elo, named

_SMALL = "tic_tac_toe"  # is played perfectly by half of the levels


def test_gaps_were_measured_between_the_levels_that_there_are() -> None:
    neighbours = [(named(upper), named(lower)) for lower, upper in pairwise(LEVELS)]
    for gap in gaps():
        assert (gap.upper, gap.lower) == neighbours[gap.level - 2]


def test_no_level_is_shown_to_be_weaker_than_the_one_below() -> None:
    for gap in gaps():
        assert gap.high >= 0.5, gap


def test_the_gaps_are_roughly_even_over_several_games() -> None:
    """The mean of a gap over games is within a factor of two of the mean of all, where it was measured in several."""
    measured = [gap for gap in gaps() if gap.game != _SMALL]
    scores = {level: [gap.score for gap in measured if gap.level == level] for level in range(2, len(LEVELS) + 1)}
    means = [elo(fmean(of_level)) for of_level in scores.values() if len(of_level) > 1]
    assert len(means) >= 6
    assert all(fmean(means) / 2 < mean < 2 * fmean(means) for mean in means), means
