"""Tasks are done once each, whatever becomes of workers, nodes and the head."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import pytest

from ludens.agent.cluster.actor_pool import ActorPool, Place
from ludens.agent.cluster.connection import LOOPBACK, connect
from ludens.agent.cluster.errors import ClusterError
from ludens.propnet.base.errors import LudensError, NativeError
from tests.support.ray_cluster import RayCluster
from tests.support.waiting import until


@dataclass(frozen=True)
class Doer:
    """Does tasks of several kinds."""

    place: Place

    def do(self, task: tuple[str, int]) -> tuple[str, int]:
        kind, number = task
        if kind == "wrong":
            raise LudensError("the task is wrong")
        if kind == "fatal":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "slow":
            time.sleep(1)
        return self.place.node, number * number


@dataclass(frozen=True)
class Waiter:
    """Notes that it has a task, and waits until it may go on."""

    place: Place
    folder: Path

    def do(self, task: int) -> int:
        (self.folder / f"{task}-{self.place.node}").touch()
        until((self.folder / "go").exists)
        return task


def silent(_text: str) -> None:
    """Says nothing."""


def tasks(number: int, kind: str = "square") -> Iterator[tuple[str, int]]:
    return ((kind, each) for each in range(number))


def test_tasks_are_done_by_all_nodes(cluster: RayCluster) -> None:
    with connect(cluster.address) as ray:
        pool = ActorPool(ray, Doer, silent)
        assert pool.workers == 0
        for _ in range(2):  # workers stay
            found = {task[1]: result for task, result in filter(None, pool.results(tasks(8, "slow")))}
            assert {number: square for number, (_, square) in found.items()} == {each: each**2 for each in range(8)}
        assert len({node for node, _ in found.values()}) == pool.workers == 2


def test_no_more_tasks_are_made_than_can_wait(cluster: RayCluster) -> None:
    made, taken = count(), 0
    with connect(cluster.address) as ray:
        pool = ActorPool(ray, Doer, silent, at_once=3)
        numbers = (("square", number) for number in made)
        for _ in islice(filter(None, pool.results(numbers)), 50):
            taken += 1
        assert next(made) <= taken + 2 * 3


def test_an_error_of_a_worker_is_raised_with_its_host(cluster: RayCluster) -> None:
    with connect(cluster.address) as ray, pytest.raises(LudensError, match=rf"^{LOOPBACK}: the task is wrong"):
        list(filter(None, ActorPool(ray, Doer, silent).results(iter([("square", 1), ("wrong", 2)]))))


def test_a_task_that_ends_its_workers_is_given_up(cluster: RayCluster) -> None:
    news = list[str]()
    with connect(cluster.address) as ray, pytest.raises(ClusterError, match="workers in a row"):
        list(filter(None, ActorPool(ray, Doer, news.append).results(iter([("fatal", 1)]))))
    assert news


def stillborn(_place: Place) -> Doer:
    """Ends the process in which a worker is to be made."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_nodes_whose_workers_all_die_before_they_begin_are_left_out(cluster: RayCluster) -> None:
    news = list[str]()
    with connect(cluster.address) as ray, pytest.raises(ClusterError, match=r"5 workers on .* ended before they began"):
        list(filter(None, ActorPool(ray, stillborn, news.append).results(tasks(1))))
    assert sum("going on without it" in line for line in news) == len(cluster.nodes)


@pytest.mark.parametrize(
    ("error", "said"),
    [(NativeError("no memory is left"), "no memory is left"), (ImportError("no core"), "ImportError: no core")],
    ids=["of Ludens", "of Python"],
)
def test_a_node_on_which_no_worker_can_be_made_is_named_and_left_out(
    cluster: RayCluster, error: Exception, said: str
) -> None:
    fit, news = cluster.nodes[-1].node_id, list[str]()

    def make(place: Place) -> Doer:
        if place.node != fit:
            raise error
        return Doer(place)

    with connect(cluster.address) as ray:
        found = list(filter(None, ActorPool(ray, make, news.append).results(begun_when(news))))
    assert {node for _, (node, _) in found} == {fit}
    assert news == [f"{LOOPBACK}: {said}; going on without it"]


def begun_when(news: list[str]) -> Iterator[tuple[str, int] | None]:
    """Yields a task as soon as there are news."""
    while not news:
        yield None
    yield "square", 3


def test_a_cluster_without_a_node_on_which_a_worker_can_be_made_says_why(cluster: RayCluster) -> None:
    def make(_place: Place) -> Doer:
        raise NativeError("no memory is left")

    with connect(cluster.address) as ray, pytest.raises(ClusterError, match=f"{LOOPBACK}: no memory is left"):
        list(filter(None, ActorPool(ray, make, silent).results(tasks(1))))


def test_a_worker_that_may_not_be_done_without_ends_the_pool(cluster: RayCluster) -> None:
    news = list[str]()

    def make(_place: Place) -> Doer:
        raise ClusterError("this node has another network")

    with connect(cluster.address) as ray, pytest.raises(ClusterError, match=r"^this node has another network"):
        list(filter(None, ActorPool(ray, make, news.append).results(tasks(1))))
    assert not news


def in_the_first_slot_alone(place: Place) -> Doer:
    """Ends the process in which another worker of a node is to be made, as for want of memory."""
    return stillborn(place) if place.slot else Doer(place)


def test_a_node_on_which_some_workers_work_is_kept(cluster: RayCluster) -> None:
    news, large = list[str](), cluster.add(processors=2)

    def until_many_died() -> Iterator[tuple[str, int]]:
        while sum("is gone" in line for line in news) < 7:
            yield "slow", 1

    try:
        with connect(cluster.address) as ray:
            results = ActorPool(ray, in_the_first_slot_alone, news.append).results(until_many_died())
            assert large.node_id in {node for _, (node, _) in filter(None, results)}
    finally:
        cluster.kill(large)
    assert not any("going on without it" in line for line in news)


def test_what_a_killed_node_had_is_done_by_others(cluster: RayCluster, tmp_path: Path) -> None:
    """Among them is one that joins meanwhile."""
    lost, news = cluster.nodes[0], list[str]()
    done = Counter[int]()

    def make(place: Place) -> Waiter:
        return Waiter(place, tmp_path)

    def given() -> Iterator[int]:
        """Has the node killed when both have tasks."""
        yield from range(4)
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        cluster.add()
        cluster.kill(lost)
        (tmp_path / "go").touch()
        yield from range(4, 30)

    with connect(cluster.address) as ray:
        for task, result in filter(None, ActorPool(ray, make, news.append, at_once=3).results(given())):
            assert task == result
            done[task] += 1
    assert done == Counter(range(30))
    assert any("begin again" in line for line in news)
    begun = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    assert len(begun) > len(set(begun))


def test_a_node_with_another_version_is_not_used(cluster: RayCluster, other_version: str) -> None:
    news = list[str]()
    with connect(cluster.address) as ray:
        pool = ActorPool(ray, Doer, news.append)
        found = {task[1] for task, _ in filter(None, pool.results(tasks(6, "slow")))}
    assert found == set(range(6))
    assert [line for line in news if "Ludens 0.0.7" in line and "going on without it" in line]


def test_a_cluster_of_other_versions_only_is_refused(alone: None, tmp_path: Path) -> None:
    metadata = tmp_path / "ludens-0.0.7.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: ludens\nVersion: 0.0.7\n")
    cluster = RayCluster(0)
    try:
        cluster.add(PYTHONPATH=str(tmp_path))
        with connect(cluster.address) as ray, pytest.raises(ClusterError, match=r"Ludens 0\.0\.7"):
            list(filter(None, ActorPool(ray, Doer, silent).results(tasks(1))))
    finally:
        cluster.stop()


def test_nodes_that_are_smaller_than_a_worker_are_named_once(cluster: RayCluster) -> None:
    news = list[str]()
    with connect(cluster.address) as ray:
        assert len(list(filter(None, ActorPool(ray, Doer, news.append, processors=2).results(tasks(4))))) == 4
    assert [line for line in news if "has 1 processor for what takes 2" in line]
    assert len(news) == len(set(cluster.nodes))


def test_a_pool_without_workers_says_that_nothing_is_done(alone: None) -> None:
    cluster = RayCluster(0)
    try:
        with connect(cluster.address) as ray:
            assert list(islice(ActorPool(ray, Doer, silent).results(tasks(1)), 2)) == [None, None]
    finally:
        cluster.stop()


def test_a_lost_head_is_one_clear_error(alone: None) -> None:
    cluster, done = RayCluster(1), list[int]()
    try:
        with connect(cluster.address) as ray, pytest.raises(ClusterError, match="no head of a cluster answers"):
            for task, _ in filter(None, ActorPool(ray, Doer, silent).results(tasks(10_000, "slow"))):
                if not done:
                    cluster.kill_head()
                done.append(task[1])
        assert done
    finally:
        cluster.stop()
