"""Wins, draws and losses, and how sure they are."""

from __future__ import annotations

import pytest

from ludens.agent.analysis.balance import Share, most_frequent_first, results


@pytest.mark.parametrize(
    ("count", "games", "low", "high"),
    [  # worked out by hand, and by R: prop.test(count, games, correct = FALSE)
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_are_those_of_wilson(count: int, games: int, low: float, high: float) -> None:
    assert Share(count, games).interval == pytest.approx((low, high), abs=5e-5)


def test_who_has_the_highest_goal_alone_wins_and_who_shares_it_draws() -> None:
    first, second, third = results(["a", "b", "c"], {(100, 0, 0): 5, (50, 50, 0): 3, (10, 20, 30): 2})
    assert [(r.wins.count, r.draws.count, r.losses.count) for r in (first, second, third)] == [
        (5, 3, 2),
        (0, 3, 7),
        (2, 0, 8),
    ]
    assert first.mean_goal == pytest.approx((500 + 150 + 20) / 10)
    assert [(goal, share.count) for goal, share in third.goals] == [(30, 2), (0, 8)]


def test_a_mean_is_surer_the_more_games_there_are() -> None:
    widths = []
    for games in (10, 1000):
        low, high = results(["a", "b"], {(100, 0): games, (0, 100): games})[0].mean_goal_interval
        assert low < 50 < high
        widths.append(high - low)
    assert widths[0] == pytest.approx(10 * widths[1], rel=0.1)


def test_without_games_there_are_no_results() -> None:
    assert results(["a", "b"], {}) == ()


def test_equally_frequent_outcomes_have_one_order_whichever_came_first() -> None:
    outcomes: dict[tuple[int, ...], int] = {(50, 50): 1, (0, 100): 1, (100, 0): 1, (25, 75): 2}
    backwards = dict(reversed(outcomes.items()))
    expected = (((25, 75), 2), ((100, 0), 1), ((50, 50), 1), ((0, 100), 1))
    assert most_frequent_first(outcomes) == most_frequent_first(backwards) == expected
