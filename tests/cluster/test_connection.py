"""A cluster is joined and left, or what is wrong is said, soon."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from ludens.agent.cluster.answer import check_answer
from ludens.agent.cluster.connection import (
    LOOPBACK,
    Versions,
    check_head,
    check_version,
    connect,
    explained,
    versions,
    why_no_ludens,
)
from ludens.agent.cluster.errors import ClusterError
from tests.support.ray_cluster import RayCluster


def test_a_cluster_is_joined_and_left(cluster: RayCluster) -> None:
    before = signal.getsignal(signal.SIGTERM)
    for _ in range(2):
        with connect(cluster.address) as ray:
            check_head(ray)
            assert ray.cluster_resources()["CPU"] == 2
        assert not ray.is_initialized()
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_cluster_of_this_machine_is_found(cluster: RayCluster) -> None:
    with connect("auto") as ray:
        assert ray.get_runtime_context().gcs_address == cluster.address


def test_a_private_cluster_ends_with_the_connection(alone: None) -> None:
    with connect("local") as ray:
        address = ray.get_runtime_context().gcs_address
        assert ray.get(ray.remote(versions).remote()) == versions()
    with pytest.raises(ClusterError, match="answers"):
        connect(address).__enter__()


def test_whatever_ends_the_work_disconnects(cluster: RayCluster) -> None:
    with pytest.raises(KeyboardInterrupt), connect(cluster.address) as ray:
        raise KeyboardInterrupt
    assert not ray.is_initialized()


def test_what_ray_raises_is_explained_by_a_head_that_is_lost(cluster: RayCluster) -> None:
    """It is a mistake, and raised as it is, while the head answers."""
    with connect(cluster.address) as ray, pytest.raises(BrokenPipeError), explained(ray):
        raise BrokenPipeError
    with socket.create_server((LOOPBACK, 0)) as gone:
        address = f"{LOOPBACK}:{gone.getsockname()[1]}"
    lost = SimpleNamespace(get_runtime_context=lambda: SimpleNamespace(gcs_address=address))
    with pytest.raises(ClusterError, match=f"no head of a cluster answers at {address}"), explained(lost):
        raise BrokenPipeError


@pytest.fixture
def speaker() -> Iterator[str]:
    """Where something answers that is no cluster."""
    with socket.create_server((LOOPBACK, 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"{LOOPBACK}:{server.getsockname()[1]}"
        thread.join()


def test_what_answers_and_is_no_cluster_is_refused(alone: None, speaker: str) -> None:
    with pytest.raises(ClusterError, match=f"what answers at {speaker} is no head"):
        connect(speaker).__enter__()


class SlowHead:
    """A connection over which the header of a SETTINGS frame comes in parts, unless the end comes before."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = list(parts)

    def __enter__(self) -> SlowHead:
        return self

    def __exit__(self, *_: object) -> None: ...

    def settimeout(self, _seconds: float) -> None: ...

    def sendall(self, _greeting: bytes) -> None: ...

    def recv(self, _count: int, _flags: int = 0) -> bytes:
        return self._parts.pop(0) if self._parts else b""


def test_a_head_may_answer_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda *_: SlowHead(b"\0\0", b"\x12\4\0", b"\0\0\0\0"))
    check_answer("127.0.0.1:6379")
    monkeypatch.setattr(socket, "create_connection", lambda *_: SlowHead(b"\0\0\x12\4"))
    with pytest.raises(ClusterError, match="no head"):
        check_answer("127.0.0.1:6379")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("nonsense", "no address of a cluster"),
        ("ray://127.0.0.1:10001", "no address of a cluster"),
        (f"{LOOPBACK}:1", "no head of a cluster answers at .*:1:"),
        ("no.such.host.invalid:6379", "no head of a cluster answers at no.such.host.invalid:6379"),
    ],
)
def test_an_address_without_a_cluster_is_refused(alone: None, address: str, expected: str) -> None:
    with pytest.raises(ClusterError, match=expected):
        connect(address).__enter__()


def test_a_machine_without_a_cluster_is_refused(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray._private.services.get_ray_address_from_environment", no_cluster)
    with pytest.raises(ClusterError, match="ray start --head"):
        connect("auto").__enter__()


def no_cluster(*_: object) -> str:
    raise ConnectionError


def test_ray_that_is_not_installed_is_one_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"pip install 'ludens\[cluster\]'"):
        connect("local").__enter__()


@pytest.mark.parametrize("module", ["ludens", "ludens.agent.cluster"])
def test_a_node_without_ludens_is_told_what_to_install(module: str) -> None:
    error = RuntimeError(f"the actor died: ModuleNotFoundError: No module named '{module}'")
    assert why_no_ludens(error, "10.0.0.7") == f"10.0.0.7 has no Ludens: install {versions()} there"
    assert not why_no_ludens(RuntimeError("the node is gone"), "10.0.0.7")


@pytest.mark.parametrize(
    "theirs",
    [
        versions()._replace(ludens="0.0.7"),
        versions()._replace(python="3.99"),
        versions()._replace(code="0123456789ab"),
        Versions(*versions()[:2]),
    ],
    ids=["ludens", "python", "code", "code that has no digest yet"],
)
def test_other_versions_are_refused_and_named(theirs: Versions) -> None:
    check_version(versions(), "10.0.0.7")
    with pytest.raises(ClusterError) as refusal:
        check_version(theirs, "10.0.0.7")
    assert all(str(each) in str(refusal.value) for each in (theirs, versions(), "10.0.0.7"))
