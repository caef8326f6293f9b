"""Moves that are drawn in proportion to their visits, but for those by which a search only looked."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.agent.search.mixed_strategy import choose, draw, mixed_strategy
from ludens.native.core import RootMoves


def visits_of(*visits: int, optimal: bool = False) -> RootMoves:
    count = len(visits)
    unknown = np.full(count, np.nan), np.full(count, -1, np.int32)
    return RootMoves(
        np.arange(count, dtype=np.int32), np.array(visits, np.int64), *unknown, int(np.argmax(visits)), optimal
    )


def test_moves_are_drawn_in_proportion_to_visits_and_hardly_visited_ones_never() -> None:
    visits = visits_of(600_000, 5_000, 300_000, 100_000)
    drawn = [draw(visits, quantile) for quantile in np.linspace(0, 1, 1000, endpoint=False)]
    assert [drawn.count(i) for i in range(4)] == [600, 0, 300, 100]


@pytest.mark.parametrize(
    ("visits", "chances"),
    [
        (visits_of(50, 29, 21), [0.5, 0.29, 0.21]),  # four tenths of the visits of the best are always enough
        (visits_of(60, 20, 20), [1.0, 0.0, 0.0]),  # of so few visits these may be chance
        (visits_of(6_000, 2_000, 2_000), [1.0, 0.0, 0.0]),  # 35 % of the visits of the best are needed
        (visits_of(60_000, 20_000, 20_000), [0.6, 0.2, 0.2]),  # 11 % are
        (visits_of(8_000_000, 1_000_000, 700_000), [8 / 9, 1 / 9, 0.0]),  # a tenth always is
    ],
)
def test_the_fewer_visits_the_more_of_them_a_move_needs(visits: RootMoves, chances: list[float]) -> None:
    assert mixed_strategy(visits) == pytest.approx(chances)


def test_the_more_moves_the_more_visits_one_needs() -> None:
    assert mixed_strategy(visits_of(20_000, 6_000))[1] > 0
    assert mixed_strategy(visits_of(20_000, 6_000, *([100] * 40)))[1] == 0


@pytest.mark.parametrize("visits", [0, 7])
def test_a_move_that_is_the_only_one_is_drawn(visits: int) -> None:
    assert (draw(visits_of(visits), 0.0), draw(visits_of(visits), 0.999)) == (0, 0)


def test_without_visits_every_move_may_be_drawn() -> None:
    assert {draw(visits_of(0, 0, 0, 0), quantile) for quantile in (0.0, 0.3, 0.6, 0.9)} == {0, 1, 2, 3}


def test_of_an_optimal_strategy_no_move_is_left_out() -> None:
    assert mixed_strategy(visits_of(985, 10, 0, 5, optimal=True)) == pytest.approx([0.985, 0.01, 0.0, 0.005])


@pytest.mark.parametrize("mixes", [False, True])
@pytest.mark.parametrize("optimal", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
def test_a_move_is_drawn_where_it_is_hidden_and_visits_may_be_drawn_from(
    mixes: bool, optimal: bool, hidden: bool
) -> None:
    chosen = choose(visits_of(600, 400, optimal=optimal), lambda: 0.9, hidden=hidden, mixes=mixes)
    assert chosen == (1 if hidden and (mixes or optimal) else 0)
