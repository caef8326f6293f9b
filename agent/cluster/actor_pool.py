"""A pool of workers on all nodes of a cluster: they keep what they have made, and do one task after the other.

Workers are actors of Ray. A task goes to the worker with the fewest, and no worker has more than a few at a time, so
that the maker of tasks is asked for the next one only when someone is free for it (backpressure). Nodes that join get
workers. The tasks of a worker that dies, alone or with its node, are done by another; what it had not handed in is
lost. When the head is lost, `ClusterError` says so: what was handed in until then is with the caller.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from ludens.agent.cluster.actor import WorkerActor
from ludens.agent.cluster.connection import check_head, check_version, explained, why_no_ludens
from ludens.agent.cluster.errors import ClusterError
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import counted

Task = TypeVar("Task")
Result = TypeVar("Result")
Given = TypeVar("Given", contravariant=True)
Returned = TypeVar("Returned", covariant=True)

_LOOK_SECONDS = 1.0  # between two looks at head and nodes
_HEAD_ATTEMPTS = 3  # to reach the head, until it is given up
_PATIENCE_SECONDS = 20.0  # until it is said that there are no workers
_ATTEMPTS = 5  # of a task whose workers die, and of a node whose workers die before they begin
_MOST_SAID = 200  # letters of an error


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker is: one of the `slots` of a node, each of which has a worker of its own."""

    node: str  # as Ray calls it
    host: str
    slot: int  # from 0
    slots: int


class Worker(Protocol[Given, Returned]):
    """Does tasks, one at a time, in the main thread of a process of its own."""

    def do(self, task: Given) -> Returned:
        """Returns the result of a task; what it raises ends the pool."""


@dataclass(slots=True)
class _Job(Generic[Task]):
    task: Task
    attempts: int = 0


@dataclass(slots=True)
class _Member(Generic[Task]):
    """A worker of the pool."""

    actor: Any
    place: Place
    ready: bool = False
    jobs: dict[Any, _Job[Task]] = field(default_factory=dict)  # under way, by the references of their results


class ActorPool(Generic[Task, Result]):
    """Workers, on as many processors each; for one thread at a time, where nothing else is said."""

    def __init__(
        self,
        ray: Any,
        make: Callable[[Place], Worker[Task, Result]],
        news: Callable[[str], None],
        *,
        processors: int = 1,
        at_once: int = 2,
    ) -> None:
        """`make` is called in the process of each worker, and `news` with what people should know.

        A node on which it raises anything is left out from then on, but a `ClusterError` ends the pool.
        A node with fewer `processors` has one worker. `at_once`: tasks that a worker has, those that wait included.
        """
        self._ray, self._make, self._news = ray, make, news
        self._processors, self._at_once = processors, at_once
        self._members: list[_Member[Task]] = []
        self._beginning: dict[Any, _Member[Task]] = {}  # by the references of what they are asked
        self._refused: dict[str, str] = {}  # nodes, and why
        self._small: set[str] = set()  # nodes with fewer processors than a worker is for
        self._stillborn: Counter[str] = Counter()  # workers that died before they were ready, by node
        self._again: deque[_Job[Task]] = deque()  # lost with their workers
        self._looked = 0.0
        self._alone_since: float | None = time.monotonic()
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends `results` soon, from any thread; what is under way is lost."""
        self._stopped.set()

    @property
    def workers(self) -> int:
        """How many workers are ready for tasks; for any thread."""
        return sum(member.ready for member in list(self._members))

    def results(self, tasks: Iterator[Task | None]) -> Iterator[tuple[Task, Result] | None]:
        """Yields each task with its result, in the order in which they are done; None after a second without any.

        `tasks` yields None where there is nothing to do until another result has come.
        Raises `ClusterError`, also for a task that ends its workers again and again, and what tasks raise.
        """
        with explained(self._ray):
            yield from self._results(tasks)

    def _results(self, tasks: Iterator[Task | None]) -> Iterator[tuple[Task, Result] | None]:
        exhausted = False
        while not self._stopped.is_set():
            self._look()
            while member := self._free():
                if self._again:
                    self._give(member, self._again.popleft())
                    continue
                try:
                    task = next(tasks)
                except StopIteration:
                    exhausted = True
                    break
                if task is None:
                    break
                self._give(member, _Job(task))
            waiting = [*self._beginning, *(reference for each in self._members for reference in each.jobs)]
            if exhausted and not self._again and not any(member.jobs for member in self._members):
                return
            done = self._done(waiting)
            for reference in done:
                yield from self._take(reference)
            if not done:
                yield None

    def _free(self) -> _Member[Task] | None:
        """Returns the worker with the fewest tasks, None where all have enough."""
        ready = [member for member in self._members if member.ready and len(member.jobs) < self._at_once]
        return min(ready, key=lambda member: len(member.jobs), default=None)

    def _give(self, member: _Member[Task], job: _Job[Task]) -> None:
        member.jobs[member.actor.do.remote(job.task)] = job

    def _done(self, waiting: list[Any]) -> list[Any]:
        """Returns references of what is done, after a while at most."""
        if not waiting:
            time.sleep(_LOOK_SECONDS)
            return []
        done: list[Any] = self._ray.wait(waiting, num_returns=1, timeout=_LOOK_SECONDS)[0]
        return done

    def _take(self, reference: Any) -> Iterator[tuple[Task, Result]]:
        """Yields the result that a reference is of, if it is one of a task."""
        member = self._beginning.pop(reference, None)
        if member is not None:
            self._welcome(member, reference)
            return
        member = next((each for each in self._members if reference in each.jobs), None)
        if member is None:  # it died since
            return
        try:
            result: Result = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise _of_host(error, member.place.host) from None
        except self._ray.exceptions.RayError as error:
            self._bury(member, error)
            return
        yield member.jobs.pop(reference).task, result

    def _welcome(self, member: _Member[Task], reference: Any) -> None:
        """Takes a worker's answer to what it was asked at its beginning: its versions, then to make itself."""
        try:
            answer = self._ray.get(reference)
            if answer is not None:
                check_version(answer, member.place.host)
                self._beginning[member.actor.begin.remote(self._make, member.place)] = member
                return
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ClusterError):
                raise error.cause from None
            self._refuse(member, f"{member.place.host}: {_told(error.cause)}")
            return
        except ClusterError as error:
            self._refuse(member, str(error))
            return
        except self._ray.exceptions.RayError as error:
            self._bury(member, error)
            return
        member.ready = True
        self._stillborn[member.place.node] = 0
        self._alone_since = None

    def _refuse(self, member: _Member[Task], reason: str) -> None:
        """Does without a node from now on."""
        if member.place.node not in self._refused:
            self._news(f"{reason}; going on without it")
        self._refused[member.place.node] = reason
        self._dismiss(member)

    def _bury(self, member: _Member[Task], error: Exception) -> None:
        """Goes on without a worker that died; raises `ClusterError` for a task that ends all workers.

        The death of a node is due neither to the tasks there nor to how workers begin. Until the head knows of it, its
        workers are said to be unavailable.
        """
        self._look_at_nodes()
        if member not in self._members:
            return
        if not isinstance(error, self._ray.exceptions.ActorUnavailableError):
            if not member.ready and (reason := self._why_not(member.place, error)):
                self._refuse(member, reason)
                return
            self._count_attempts(member)
        self._lose([member], f"a worker on {member.place.host}")

    def _count_attempts(self, member: _Member[Task]) -> None:
        for job in member.jobs.values():
            job.attempts += 1
            if job.attempts == _ATTEMPTS:
                raise ClusterError(f"{_ATTEMPTS} workers in a row ended while they did the same task")

    def _why_not(self, place: Place, error: Exception) -> str:
        """Says why a node where a worker died before it was ready gets no others; empty where it does."""
        self._stillborn[place.node] += 1
        works = any(member.ready for member in self._members if member.place.node == place.node)
        if (reason := why_no_ludens(error, place.host)) or works or self._stillborn[place.node] < _ATTEMPTS:
            return reason
        return f"{_ATTEMPTS} workers on {place.host} ended before they began: {_brief(error)}"

    def _lose(self, members: list[_Member[Task]], who: str) -> None:
        """Has others do what workers that are gone were to do."""
        jobs = [job for member in members for job in member.jobs.values()]
        self._again.extend(jobs)
        for member in members:
            self._dismiss(member)
        lost = f"; {len(jobs)} of its tasks begin again" if jobs else ""
        self._news(f"{who} is gone{lost}")

    def _dismiss(self, member: _Member[Task]) -> None:
        self._members.remove(member)
        self._beginning = {key: each for key, each in self._beginning.items() if each is not member}
        with suppress(self._ray.exceptions.RayError):  # the head knows no more of it, or is gone itself
            self._ray.kill(member.actor)
        if not self._members:
            self._alone_since = time.monotonic()

    def _check(self) -> None:
        """Returns as soon as the head answers; raises `ClusterError` where it does not."""
        for attempt in range(1, _HEAD_ATTEMPTS + 1):
            try:
                check_head(self._ray)
                return
            except ClusterError:
                if attempt == _HEAD_ATTEMPTS:
                    raise
            time.sleep(_LOOK_SECONDS)

    def _look(self) -> None:
        """Looks at head and nodes from time to time, and puts workers where there are none; raises `ClusterError`."""
        if time.monotonic() < self._looked + _LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        self._check()
        self._settle()

    def _look_at_nodes(self) -> list[dict[str, Any]]:
        """Goes on without the nodes that have died; returns those that are alive, none if the head has just gone."""
        try:
            nodes = [node for node in self._ray.nodes() if node["Alive"]]
        except self._ray.exceptions.RayError:  # the next look says so
            return []
        alive = {node["NodeID"] for node in nodes}
        for dead in {member.place.node for member in self._members} - alive:
            members = [member for member in self._members if member.place.node == dead]
            self._lose(members, members[0].place.host)
        return nodes

    def _settle(self) -> None:
        """Puts workers on all slots that have none; raises `ClusterError` if no node can have one."""
        nodes = self._look_at_nodes()
        if not nodes:
            return
        able = [node for node in nodes if int(node["Resources"].get("CPU", 0)) and node["NodeID"] not in self._refused]
        for node in able:
            own = {member.place.slot for member in self._members if member.place.node == node["NodeID"]}
            slots = max(1, int(node["Resources"]["CPU"]) // self._processors)
            self._note_size(node)
            for slot in set(range(slots)) - own:
                self._hire(node, Place(node["NodeID"], node["NodeManagerAddress"], slot, slots))
        if not (able or self._members) and self._refused:
            raise ClusterError("; ".join(dict.fromkeys(self._refused.values())))
        if self._alone_since is not None and time.monotonic() > self._alone_since + _PATIENCE_SECONDS:
            self._alone_since = None
            cause = "other programs have its processors" if able else "it has no node with processors"
            self._news(f"no worker of the cluster has begun yet, perhaps because {cause}; waiting")

    def _note_size(self, node: dict[str, Any]) -> None:
        """Says once of a node that it has fewer processors than a worker is for."""
        found, name = int(node["Resources"]["CPU"]), node["NodeID"]
        if found < self._processors and name not in self._small:
            self._small.add(name)
            host = node["NodeManagerAddress"]
            have = counted(found, "processor")
            self._news(f"{host} has {have} for what takes {self._processors}: players there have less time to think")

    def _hire(self, node: dict[str, Any], place: Place) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        actor_class = self._ray.remote(
            num_cpus=min(self._processors, int(node["Resources"]["CPU"])),
            scheduling_strategy=NodeAffinitySchedulingStrategy(place.node, soft=False),
        )(WorkerActor)
        member = _Member[Task](actor_class.remote(), place)
        self._members.append(member)
        self._beginning[member.actor.versions.remote()] = member


def _of_host(error: Any, host: str) -> Exception:
    """Returns what a worker has raised, with the host that it is on where people are told of it."""
    raised: Exception = error
    if isinstance(error.cause, LudensError):
        raised = error.cause
        raised.args = (f"{host}: {raised}",)
    return raised


def _told(cause: Exception) -> str:
    """Says in a line what a worker has raised."""
    return _brief(cause) if isinstance(cause, LudensError) else f"{type(cause).__name__}: {_brief(cause)}"


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:_MOST_SAID]
