"""The link between a search and its peers never keeps the search waiting, whatever becomes of its process."""

from __future__ import annotations

import gc
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ludens.agent.cluster.connection import LOOPBACK
from ludens.agent.cluster.peer_search import PeerPlan, Round
from ludens.agent.cluster.search_link import SearchLink
from ludens.native.core import Game
from tests.support.searching import network
from tests.support.waiting import until

NOBODY = f"{LOOPBACK}:1"


def plan() -> PeerPlan:
    return PeerPlan(Game.from_propnet(network("connect_four")), {"strategy": "uct"}, threads=1, seed=1)


def told(number: int) -> Round:
    """A message longer than pipes hold."""
    return Round(number, np.zeros(1, np.uint64), {0: np.zeros(1 << 20, np.uint64)})


def driver_of(link: SearchLink) -> int:
    """The process identifier of the link's process, once there is one."""
    return next(iter(drivers()))


def drivers() -> set[int]:
    """The processes of links that this test has started."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = {int(pid) for each in children for pid in each.read_text().split()}
    return {pid for pid in found if b"search_driver" in (Path("/proc") / str(pid) / "cmdline").read_bytes()}


@pytest.fixture
def silent() -> Iterator[str]:
    """A place that takes connections and says nothing."""
    with socket.create_server((LOOPBACK, 0)) as server:
        yield f"{LOOPBACK}:{server.getsockname()[1]}"


def test_a_cluster_that_cannot_be_reached_is_said_once(alone: None) -> None:
    lines: list[str] = []
    link = SearchLink(NOBODY, lines.append)
    link.begin(plan())
    for number in range(100):
        link.update(told(number))
    until(lambda: bool(lines) and not drivers())
    link.update(told(100))
    assert not link.heard()
    assert len(lines) == 1 and lines[0].startswith("the search goes on without the cluster: ")
    assert NOBODY in lines[0]


def test_a_process_that_hangs_keeps_nobody_waiting(alone: None, silent: str) -> None:
    lines: list[str] = []
    link = SearchLink(silent, lines.append)
    until(lambda: bool(drivers()))
    os.kill(driver_of(link), signal.SIGSTOP)
    link.begin(plan())
    for number in range(300):  # 2.4 GB, had each to be taken
        link.update(told(number))
        assert not link.heard()
    link.close()
    until(lambda: not drivers())
    assert not lines


def test_a_process_that_dies_is_said(alone: None, silent: str) -> None:
    lines: list[str] = []
    link = SearchLink(silent, lines.append)
    until(lambda: bool(drivers()))
    os.kill(driver_of(link), signal.SIGKILL)
    until(lambda: bool(lines))
    link.begin(plan())
    link.update(told(1))
    assert lines == ["the connection to the cluster is lost, the search goes on alone"]
    assert not link.heard()


def test_the_process_ends_with_the_link(alone: None, silent: str) -> None:
    link = SearchLink(silent, print)
    until(lambda: bool(drivers()))
    del link
    gc.collect()
    until(lambda: not drivers())


def test_a_link_may_be_closed_at_once(alone: None, silent: str) -> None:
    for _ in range(20):
        SearchLink(silent, print).close()
    until(lambda: not drivers())
