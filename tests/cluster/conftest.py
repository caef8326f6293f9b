"""A cluster that runs for all tests of a file; one at a time, however many processes test."""

from __future__ import annotations

import fcntl
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludens.agent.cluster.connection import LOOPBACK
from tests.support.ray_cluster import RayCluster


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps clusters of other processes waiting, and all of Ray's files in a folder of their own.

    Its path is short: those of sockets may have a hundred characters.
    """
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'ludens[cluster]'")
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    with (tmp_path_factory.getbasetemp().parent / "cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RAY_TMPDIR", str(folder))
            yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def running_cluster(alone: None) -> Iterator[RayCluster]:
    cluster = RayCluster(2)
    yield cluster
    cluster.stop()


@pytest.fixture
def cluster(running_cluster: RayCluster) -> RayCluster:
    """A cluster of two nodes; tests that kill one add another. What other tests killed is no part of it any more."""
    running_cluster.wait_for_news()
    return running_cluster


@pytest.fixture
def other_version(cluster: RayCluster, tmp_path: Path) -> Iterator[str]:
    """The address of a node that finds the metadata of another version of Ludens first."""
    metadata = tmp_path / "ludens-0.0.7.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: ludens\nVersion: 0.0.7\n")
    address = "127.0.0.3" if sys.platform == "linux" else LOOPBACK
    node = cluster.add(address, PYTHONPATH=str(tmp_path))
    yield address
    cluster.kill(node)
