"""A node that dies takes all of its workers with it, and what they had is done by others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ludens.agent.cluster.actor_pool import ActorPool, Place
from tests.support.fake_ray import FakeRay


@dataclass(frozen=True)
class Doer:
    """Says where a task was done; the first one that gets a task loses its node."""

    ray: FakeRay
    place: Place
    known: bool

    def do(self, task: int) -> tuple[int, str]:
        if self.ray.given == ["large"]:
            self.ray.lose("large", known=self.known)
        return task, self.place.node


class Pool(ActorPool[int, tuple[int, str]]):
    """A pool of which a test knows how many workers have begun."""

    def __init__(self, ray: FakeRay, news: list[str], *, known: bool = True) -> None:
        def make(place: Place) -> Doer:
            self.begun += 1
            return Doer(ray, place, known)

        self.begun = 0
        super().__init__(ray, make, news.append)

    def ready(self, workers: int) -> Iterator[None]:
        """Has whoever asks for tasks wait until so many workers have begun."""
        while self.begun < workers:
            yield None


@pytest.mark.parametrize("known", [True, False])
def test_a_task_is_not_given_up_with_its_node(monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
    ray, news = FakeRay(monkeypatch, large=8, small=1), list[str]()
    pool = Pool(ray, news, known=known)

    def tasks() -> Iterator[int | None]:
        yield from pool.ready(9)
        yield 7

    assert list(filter(None, pool.results(tasks()))) == [(7, (7, "small"))]
    assert len(news) == (1 if known else 8)
    assert news[0].endswith("is gone; 1 of its tasks begin again")


def test_nothing_more_is_given_to_a_node_that_died_while_it_had_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    ray, news = FakeRay(monkeypatch, large=8, small=1), list[str]()
    pool = Pool(ray, news)

    def tasks() -> Iterator[int | None]:
        yield from pool.ready(9)
        ray.lose("large")
        yield None
        yield from range(20)

    assert [result for _, result in filter(None, pool.results(tasks()))] == [(task, "small") for task in range(20)]
    assert set(ray.given) == {"small"}
    assert news == ["large is gone"]


def test_a_node_that_dies_while_workers_begin_is_not_said_to_be_unfit(monkeypatch: pytest.MonkeyPatch) -> None:
    ray, news = FakeRay(monkeypatch, large=8, small=1), list[str]()

    def make(place: Place) -> Doer:
        ray.lose("large")
        return Doer(ray, place, known=True)

    assert list(filter(None, ActorPool(ray, make, news.append).results(iter([1])))) == [(1, (1, "small"))]
    assert news == ["large is gone"]
