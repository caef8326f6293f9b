"""The model of contention: its limits, its exact values where they are known, and the table."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.bench.contention import THREADS, Row, Run, Shared, covers, measure, picture, summary, table

ROW = Row("hex", "guided", 1, 10_000, 1.0, 4.0, 1000, 0.01, 0.4, 0, 0.9)


def test_nothing_shared_costs_nothing() -> None:
    assert [Shared(1e-3, 0.0).speed_up(threads) for threads in THREADS] == pytest.approx(THREADS)


def test_what_serves_one_at_a_time_bounds_what_many_do() -> None:
    shared = Shared(alone=9.0, service=1.0)
    gains = [shared.speed_up(threads) for threads in range(1, 200)]
    assert gains[0] == pytest.approx(1)
    assert all(fewer < more for fewer, more in pairwise(gains[:15]))
    assert gains[-1] == pytest.approx(10)  # (9 + 1) / 1


def test_two_threads_wait_as_a_chain_of_markov_says() -> None:
    """With both times exponential, of rates a and b, two threads are idle at once with 1 / (1 + 2 a/b + 2 (a/b)²)."""
    alone, service = 3.0, 2.0
    ratio = service / alone
    idle = 1 / (1 + 2 * ratio + 2 * ratio**2)
    throughput = (1 - idle) / service
    assert Shared(alone, service).speed_up(2) == pytest.approx(throughput * (alone + service))


def test_costs_are_those_between_two_visits() -> None:
    assert (ROW.locked().alone, ROW.locked().service) == pytest.approx((0.9e-3, 0.1e-3))
    assert ROW.counted(1e-7).speed_up(64) == pytest.approx(64)  # it was never updated
    assert ROW.speed_up(64, 1e-7) == pytest.approx(ROW.locked().speed_up(64))


def test_rows_have_a_cell_for_each_column() -> None:
    run = Run(2, 5e-9, 40e-9, [ROW])
    head, cells = table(run)
    told = dict(zip(head, cells[0], strict=True))
    assert (told["locks a second"], told["held, µs"], told["held %"], told["64 threads ×"]) == (
        "1,000",
        "100.00",
        "10",
        "10.0",
    )
    assert "5.0 ns alone, and 40.0 ns where 2 cores" in summary(run)
    assert "5.0 ns alone, and an unknown time" in summary(replace(run, update_contended=None))
    assert picture(run).count("<polyline") == 1


@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_searches_tell_what_their_threads_share(strategy: str) -> None:
    row = measure("hex_small", strategy, 2, 0.1, 1)
    assert row.locks > 0
    assert row.held > 0
    assert row.waited >= 0
    assert (row.updates > 0) == (strategy == "uct")


def test_a_game_that_is_not_there_is_told() -> None:
    with pytest.raises(LudensError):
        measure("no_such_game", "uct", 2, 0.1, 1)


def test_runs_cover_a_time_if_little_is_between_them() -> None:
    runs = [(0.0, 1.0), (1.05, 2.0), (3.0, 4.0)]
    assert covers(runs, 0.5, 1.5)
    assert not covers(runs, 1.5, 3.5)
    assert not covers(runs, 4.5, 5.0)
    assert not covers([], 0.0, 1.0)
