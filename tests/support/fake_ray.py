"""A stand-in for Ray in this process: nodes die when a test says so, and do their work when they are asked for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ludens.agent.cluster import actor_pool


class RayError(Exception):
    """What Ray raises."""


class RayTaskError(RayError):
    """What Ray raises for an error of a task."""


class ActorUnavailableError(RayError):
    """What Ray raises for a worker that it cannot reach."""


@dataclass(eq=False)
class Reference:
    """The result of a call that a worker on a node gets."""

    node: str
    work: Callable[[], Any]
    pending: bool  # its worker is made on a node that has died unknown to the head


class FakeRay:
    """The module `ray`, connected to a cluster."""

    exceptions = SimpleNamespace(
        RayError=RayError, RayTaskError=RayTaskError, ActorUnavailableError=ActorUnavailableError
    )

    def __init__(self, patch: pytest.MonkeyPatch, **processors: int) -> None:
        """Has the pools of a test use it; `processors` of each node, by name."""
        self._processors = processors
        self._unreachable = set[str]()
        self.alive = set(processors)  # as the head knows
        self.given = list[str]()  # nodes that were given tasks
        scheduling = ModuleType("ray.util.scheduling_strategies")
        scheduling.NodeAffinitySchedulingStrategy = _affinity  # type: ignore[attr-defined]
        for module in (ModuleType("ray"), ModuleType("ray.util"), scheduling):
            patch.setitem(sys.modules, module.__name__, module)
        patch.setattr(actor_pool, "check_head", _do_nothing)
        patch.setattr(actor_pool, "_LOOK_SECONDS", 0.0)

    def kill(self, actor: Any) -> None:
        """Ends an actor."""

    def lose(self, node: str, *, known: bool = True) -> None:
        """Ends a node; `known`: to the head, at once."""
        self._unreachable.add(node)
        if known:
            self.alive.discard(node)

    def nodes(self) -> list[dict[str, Any]]:
        """Returns all nodes."""
        return [
            {"NodeID": node, "NodeManagerAddress": node, "Alive": node in self.alive, "Resources": {"CPU": count}}
            for node, count in self._processors.items()
        ]

    def remote(self, num_cpus: int, scheduling_strategy: str) -> Callable[[type], Any]:
        """Returns what makes actors of a class."""
        return lambda kind: SimpleNamespace(remote=lambda: self._actor(scheduling_strategy, kind()))

    def wait(self, references: list[Reference], num_returns: int, timeout: float) -> tuple[list[Reference], Any]:
        """Returns references that are ready, and others."""
        ready = [reference for reference in references if not reference.pending][:num_returns]
        return ready, [reference for reference in references if reference not in ready]

    def get(self, reference: Reference) -> Any:
        """Returns what a reference is of."""
        result = None if reference.node in self._unreachable else reference.work()
        if reference.node not in self._unreachable:
            return result
        raise ActorUnavailableError if reference.node in self.alive else RayError

    def _actor(self, node: str, worker: Any) -> Any:
        pending = node in self._unreachable

        def call(name: str, *arguments: Any) -> Reference:
            if name == "do":
                self.given.append(node)
            return Reference(node, partial(getattr(worker, name), *arguments), pending)

        names = ("versions", "begin", "do")
        return SimpleNamespace(**{name: SimpleNamespace(remote=partial(call, name)) for name in names})


def _affinity(node: str, soft: bool) -> str:
    return node


def _do_nothing(_ray: Any) -> None:
    """Finds that the head answers."""
