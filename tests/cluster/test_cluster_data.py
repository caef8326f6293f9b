"""Checkers data that a cluster makes are those of one machine, bit by bit, whatever becomes of nodes and head."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludens.agent.checkers.cluster_dataset import DataWorker, Played, Task, _ClusterMaker, make_on_cluster
from ludens.agent.checkers.dataset import begin, make
from ludens.agent.checkers.move_values import MoveValues
from ludens.agent.checkers.shards import shard_path
from ludens.agent.cluster.actor_pool import ActorPool, Place
from ludens.agent.cluster.connection import connect
from tests.support.checkers_data import of_method
from tests.support.command import running, status
from tests.support.ray_cluster import RayCluster
from tests.support.waiting import PATIENCE, until

SMALL: dict[str, int | str] = {"positions": 300, "method": "mcrd", "playouts": 20, "shard": 40, "cap": 60, "seed": 5}
GIVEN = ("data", "checkers", *(word for name, value in SMALL.items() for word in (f"--{name}", str(value))))


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("shard-*.npz"))]


def silent(_text: str) -> None:
    """Says nothing."""


def on_one_machine(folder: Path, given: dict[str, int | str] = SMALL) -> list[bytes]:
    make(folder, begin(folder, given, resume=False), 1, silent, pytest.fail)
    return contents(folder)


@pytest.mark.parametrize("method", ["outcome", "search"])
def test_shards_are_those_of_one_machine_in_whatever_order_tasks_are_done(tmp_path: Path, method: str) -> None:
    """Here the task that came last is done first."""
    given = of_method(method, SMALL | {"playouts": 2, "cap": 40})
    expected = on_one_machine(tmp_path / "one", given)
    options = begin(tmp_path / "two", given, resume=False)
    maker = _ClusterMaker(tmp_path / "two", options, silent, pytest.fail)
    worker, tasks, waiting = DataWorker(options, Place("node", "host", 0, 1)), maker.tasks(), list[Task]()
    while (task := next(tasks, "over")) != "over":
        if task is None or len(waiting) == 20:
            latest = waiting.pop()
            result: Played | MoveValues = worker.do(latest)
            maker.take(latest, result)
        if task is not None:
            assert not isinstance(task, str)
            waiting.append(task)
    assert not waiting
    assert contents(tmp_path / "two") == expected


def test_a_node_killed_in_mid_work_changes_nothing(
    cluster: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, news, busy = tmp_path / "cluster", list[str](), set[str]()
    options = begin(folder, SMALL | {"playouts": 400}, resume=False)

    def noted(pool: ActorPool[Any, Any], member: Any, job: Any) -> None:
        busy.add(member.place.node)
        give(pool, member, job)

    def tell(_line: str) -> None:
        if contents(folder) and len(busy) == len(cluster.nodes) == 2:
            cluster.kill(cluster.nodes[0])

    give = ActorPool._give
    monkeypatch.setattr(ActorPool, "_give", noted)

    with connect(cluster.address) as ray:
        make_on_cluster(ray, folder, options, tell, news.append)
    cluster.add()
    assert any("is gone" in line for line in news)
    assert contents(folder) == on_one_machine(tmp_path / "one", SMALL | {"playouts": 400})


def test_damaged_shards_are_made_again(cluster: RayCluster, tmp_path: Path) -> None:
    whole = on_one_machine(tmp_path)
    shard_path(tmp_path, 1).write_bytes(whole[1][:100])
    shard_path(tmp_path, 3).unlink()
    warnings = list[str]()
    with connect(cluster.address) as ray:
        make_on_cluster(ray, tmp_path, begin(tmp_path, {}, resume=True), silent, warnings.append)
    assert contents(tmp_path) == whole
    assert "shard-00001.npz" in warnings[0]


def test_data_whose_head_is_killed_go_on_later(alone: None, tmp_path: Path) -> None:
    folder, cluster = tmp_path / "data", RayCluster(1)
    more = ("--playouts", "3000", "--out", str(folder))  # the last one counts
    try:
        with running(*GIVEN, *more, "--cluster", cluster.address) as run:
            until(lambda: bool(contents(folder)))
            cluster.kill_head()
            _, said = run.communicate(timeout=PATIENCE)
    finally:
        cluster.stop()
    assert run.returncode == 1
    assert "no head of a cluster answers" in said and "Traceback" not in said
    begun = contents(folder)
    assert 0 < len(begun) < 8
    assert status("data", "checkers", "--out", str(folder), "--resume") == 0
    assert contents(folder) == on_one_machine(tmp_path / "one", SMALL | {"playouts": 3000})
