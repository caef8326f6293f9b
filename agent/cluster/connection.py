"""Connects this process to a cluster of Ray, and says clearly why it cannot.

Ray is an extra, `ludens[cluster]`: it is imported here alone, and only when a cluster is used. Everything else is
handed the module that `connect` yields.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import Any, NamedTuple

from ludens.agent.cluster.answer import check_answer
from ludens.agent.cluster.code_digest import code_digest
from ludens.agent.cluster.errors import ClusterError
from ludens.agent.cluster.last_words import last_words
from ludens.agent.settings.options import CLUSTER_ADDRESS
from ludens.propnet.base.errors import LudensError

LOCAL, AUTO = "local", "auto"
ADDRESSES = "`auto` for the cluster that this machine is in, HOST:PORT of a cluster's head, or `local`"

LOOPBACK = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
"""An address of this machine alone: Ray takes 127.0.0.1 for the one that it has in its network."""

_STORE_BYTES = 200 << 20  # of shared memory, for what the processes of a private cluster send each other
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


class Versions(NamedTuple):
    """What must be the same in all processes of a cluster."""

    ludens: str
    python: str  # major and minor
    code: str = ""  # its digest, of which earlier code of the same version says nothing

    def __str__(self) -> str:
        return f"Ludens {self.ludens} (code {self.code or 'unknown'}) on Python {self.python}"


def versions() -> Versions:
    """Returns the versions of this process."""
    return Versions(version("ludens"), ".".join(platform.python_version_tuple()[:2]), code_digest())


def check_version(theirs: Versions, where: str) -> None:
    """Raises `ClusterError` if a process elsewhere, for example `10.0.0.7`, has other versions than this one."""
    if theirs != (ours := versions()):
        raise ClusterError(f"{where} has {theirs}, and this machine {ours}: install the same commit on both")


def why_no_ludens(error: Exception, where: str) -> str:
    """Says what to install where a process failed for want of Ludens; empty where that is not the reason."""
    return f"{where} has no Ludens: install {versions()} there" if "No module named 'ludens" in str(error) else ""


@contextmanager
def connect(address: str, *, resumable: bool = True) -> Iterator[Any]:
    """Yields the module `ray`, connected to a cluster, and disconnects in any case.

    `address`: "auto" for the cluster that runs on this machine, HOST:PORT of a head, or "local" for a private cluster
    of this machine's processors, which ends with the connection. For the main thread. Raises `ClusterError`.
    `resumable`: what is done within can be resumed by the same command, as is said should Ray end this process.
    """
    ray = _ray()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        _initialise(ray, address)
        with last_words(_head_of(ray)) if resumable else nullcontext():
            yield ray
    finally:
        ray.shutdown()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def connected(address: str | None) -> AbstractContextManager[Any]:
    """Returns what `connect` does, or None in place of Ray where there is no address: all is done on this machine."""
    return nullcontext() if address is None else connect(address)


def check_head(ray: Any) -> None:
    """Raises `ClusterError` if the head of the cluster to which this process is connected does not answer."""
    check_answer(_head_of(ray))


@contextmanager
def explained(ray: Any) -> Iterator[None]:
    """Raises `ClusterError` in place of whatever Ray raises within once the head is lost, such as a broken pipe."""
    try:
        yield
    except LudensError:
        raise
    except Exception:
        check_head(ray)
        raise


def _head_of(ray: Any) -> str:
    return str(ray.get_runtime_context().gcs_address)


def _ray() -> Any:
    """Imports Ray, with as little to say as it can; raises `ClusterError` where it is not installed."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        from ray._private import worker
    except ImportError as error:
        raise ClusterError(f"clusters need Ray ({error}): pip install 'ludens[cluster]'") from error
    worker.print_to_stdstream = _nothing  # would print the log of a node that dies among the output of the command
    return ray


def _nothing(*_: Any, **__: Any) -> None:
    """Prints nothing."""


def _initialise(ray: Any, address: str) -> None:
    """Connects; raises `ClusterError`."""
    if not re.fullmatch(CLUSTER_ADDRESS, address):
        raise ClusterError(f"{address} is no address of a cluster: give {ADDRESSES}")
    settings: dict[str, Any] = {"logging_level": "fatal", "log_to_driver": False}
    try:
        if address == LOCAL:
            ray.init(
                LOCAL, **settings, include_dashboard=False, object_store_memory=_STORE_BYTES, _node_ip_address=LOOPBACK
            )
            return
        head = _head(address)
        check_answer(head)
        ray.init(head, **settings)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, ray.exceptions.RayError) as error:
        said = " ".join(str(error).split())
        raise ClusterError(f"cannot connect to the cluster {address}: {said}") from error


def _head(address: str) -> str:
    """Returns HOST:PORT of a cluster's head; raises `ClusterError`."""
    from ray._private.services import canonicalize_bootstrap_address

    try:
        return str(canonicalize_bootstrap_address(address))
    except ConnectionError as error:
        raise ClusterError("no cluster runs on this machine: `ray start --head` starts one") from error
