"""The process of a worker on a node: an actor of Ray, which knows nothing of what it will do.

So a process with another version of Ludens begins as well, and can say which one it has, before it is sent anything
that only this version can read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludens.agent.cluster.connection import Versions, versions


class WorkerActor:
    """An actor with a worker, which does one task after the other."""

    def versions(self) -> Versions:
        """Returns the versions of this process."""
        return versions()

    def begin(self, make: Callable[..., Any], *arguments: Any) -> None:
        """Makes the worker."""
        self._worker = make(*arguments)

    def do(self, task: Any) -> Any:
        """Returns what the worker does of a task."""
        return self._worker.do(task)
