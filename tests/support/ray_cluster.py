"""A cluster of Ray on this machine for tests: nodes of one processor each.

They are killed as a power cut does it, or frozen, so that nothing comes from them, as in a network that is cut in two.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludens.agent.cluster.connection import LOOPBACK
from tests.support.waiting import PATIENCE

_NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False, "node_ip_address": LOOPBACK}


class RayCluster:
    """A head, which computes nothing, and any number of nodes; begins and ends in seconds."""

    def __init__(self, nodes: int, settings: dict[str, Any] | None = None) -> None:
        """`settings` are Ray's own, of the whole cluster."""
        from ray.cluster_utils import Cluster

        head = {**_NODE, "num_cpus": 0, "_system_config": settings or {}}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes: list[Any] = []
        for _ in range(nodes):
            self.add()

    @property
    def address(self) -> str:
        """HOST:PORT of the head."""
        return str(self._cluster.address)

    def add(self, address: str = LOOPBACK, processors: int = 1, **environment: str) -> Any:
        """Has a node join, with these variables in the environment of its processes."""
        node = _NODE | {"node_ip_address": address, "num_cpus": processors}
        self.nodes.append(self._cluster.add_node(**node, env_vars=environment))
        return self.nodes[-1]

    def kill(self, node: Any) -> None:
        """Ends all processes of a node at once."""
        _kill(node)
        self.nodes.remove(node)
        self._cluster.worker_nodes.discard(node)

    def freeze(self, node: Any) -> None:
        """Has all processes of a node do nothing more, though they are there."""
        _send(node, signal.SIGSTOP)

    def thaw(self, node: Any) -> None:
        """Has the processes of a node that was frozen go on."""
        _send(node, signal.SIGCONT)

    def wait_for_news(self) -> None:
        """Waits until the head knows of all nodes that were killed; it takes them for alive for 15 seconds."""
        self._cluster.wait_for_nodes(timeout=PATIENCE)

    def kill_head(self) -> None:
        """Ends all processes of the head at once: the cluster is lost, though its nodes know nothing of it yet."""
        _kill(self._cluster.head_node)

    def stop(self) -> None:
        """Ends all that is left."""
        for node in [*self.nodes, self._cluster.head_node]:
            _kill(node)
        self._cluster.worker_nodes.clear()


def _kill(node: Any) -> None:
    _send(node, signal.SIGKILL)
    for process in _processes(node):
        process.wait()
    node.all_processes.clear()


def _send(node: Any, what: signal.Signals) -> None:
    """Sends a signal to all processes of a node."""
    for pid in [each for process in _processes(node) for each in _with_descendants(process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(pid, what)


def _processes(node: Any) -> list[subprocess.Popen[bytes]]:
    """Returns the processes of a node that the tests have started."""
    return [info.process for infos in node.all_processes.values() for info in infos]


def _with_descendants(pid: int) -> Iterator[int]:
    """Yields a process that has not been waited for, and those that it and its children have started."""
    with suppress(OSError):
        for child in (Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split():
            yield from _with_descendants(int(child))
    yield pid
