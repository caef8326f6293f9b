"""Moves that are drawn in proportion to their visits."""

from __future__ import annotations

import numpy as np

from ludens.agent.search.mixed_strategy import draw


def test_moves_are_drawn_in_proportion_to_visits_and_hardly_visited_ones_never() -> None:
    visits = np.array([600, 5, 300, 100])
    drawn = [draw(visits, quantile) for quantile in np.linspace(0, 1, 1000, endpoint=False)]
    assert [drawn.count(i) for i in range(4)] == [600, 0, 300, 100]


def test_without_visits_every_move_may_be_drawn() -> None:
    assert {draw(np.zeros(4, np.int64), quantile) for quantile in (0.0, 0.3, 0.6, 0.9)} == {0, 1, 2, 3}
