"""The simulation of many workers holds where it can be worked out by hand, and figures are kept as measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scripts.bench import cluster_scaling
from scripts.bench.cluster_scaling import GIGABITS, Costs, simulated

BYTES_A_SECOND = GIGABITS * 1e9 / 8


def rate(costs: Costs, workers: int, latency: float = 0.0) -> float:
    """Tasks a second."""
    return simulated(costs, workers, latency, np.random.default_rng(1))


def test_workers_that_wait_for_nobody_do_all_they_can() -> None:
    costs = Costs(worker_seconds=1.0, driver_seconds=0.0, task_bytes=0, result_bytes=0)
    for workers in (1, 7, 300):
        assert rate(costs, workers) == pytest.approx(workers, rel=0.05)


def test_the_slowest_part_sets_the_rate() -> None:
    process = Costs(worker_seconds=1.0, driver_seconds=0.1, task_bytes=0, result_bytes=0)
    assert rate(process, 5) == pytest.approx(5, rel=0.05)
    assert rate(process, 200) == pytest.approx(10, rel=0.01)
    link = Costs(worker_seconds=1.0, driver_seconds=0.0, task_bytes=0, result_bytes=int(BYTES_A_SECOND / 20))
    assert rate(link, 200) == pytest.approx(20, rel=0.01)


def test_latency_is_hidden_by_the_task_that_waits_until_it_is_longer_than_one() -> None:
    costs = Costs(worker_seconds=1.0, driver_seconds=0.0, task_bytes=0, result_bytes=0)
    assert rate(costs, 10, 0.3) == pytest.approx(10, rel=0.05)
    assert rate(costs, 10, 2.0) == pytest.approx(10 * 2 / 5, rel=0.05)  # two tasks each in a task and two ways


class Measured:
    """Stands for measurements: a second worker brings more than a second process."""

    def __init__(self, _game: str, *, searched: bool) -> None:
        self.searched = searched

    def games_a_second(self, workers: int, _seconds: float) -> float:
        return 25.0 if workers == 2 else 10.0

    def games_without_cluster(self, processes: int, _seconds: float) -> float:
        return 10.0 * processes

    def costs(self, _seconds: float) -> Costs:
        return Costs(worker_seconds=1.0, driver_seconds=0.1, task_bytes=10, result_bytes=10)


def test_the_gains_of_both_kinds_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_scaling, "SelfPlay", Measured)
    monkeypatch.setattr(cluster_scaling, "WORKERS", (1, 2))
    monkeypatch.setattr(cluster_scaling, "data_costs", lambda: Measured("", searched=False).costs(0.0))
    monkeypatch.setattr("sys.argv", ["cluster_scaling", "nim", "--turns", "1", "--out", str(tmp_path / "figures.json")])
    cluster_scaling.main()
    assert json.loads((tmp_path / "figures.json").read_text())["gains"] == {"workers": 2.5, "plain processes": 2.0}
