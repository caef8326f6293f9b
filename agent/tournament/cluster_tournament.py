"""Plays a tournament on a cluster: each match is a task of a worker, and its result is on disk before it counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred

from ludens.agent.cluster.actor_pool import ActorPool
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive
from ludens.agent.settings.players import RemotePlayer
from ludens.agent.tournament.match_host import HostedMatch
from ludens.agent.tournament.match_process import MatchWorker
from ludens.agent.tournament.plan import Fixture, Plan, PlanError
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.tournament import TournamentObserver, decided_pairs, keep, left, most_threads, undecided


class ClusterTournament:
    """Plays what is left of a plan."""

    def __init__(
        self,
        reactor: Any,
        plan: Plan,
        file: ResultsFile,
        observer: TournamentObserver,
        archive: Archive | None,
        ray: Any,
    ) -> None:
        """As `Tournament`, with a connected `ray`."""
        self._reactor, self._plan, self._file, self._observer, self._archive = reactor, plan, file, observer, archive
        seats = max(len(game.sheet.roles) for game in plan.games)
        self._pool: ActorPool[Fixture, HostedMatch] = ActorPool(
            ray, partial(MatchWorker, plan), self._warn, processors=seats * most_threads(plan), at_once=1
        )
        self._over: Deferred[None] | None = None

    async def play(self) -> None:
        """Plays until nothing is left, or what is left can decide nothing more; raises `LudensError`."""
        self._over = Deferred()
        try:
            await in_thread(self._reactor, self._play)
        finally:
            self._over.callback(None)

    async def stop(self) -> None:
        """Ends the matches that are on; they count as not played."""
        self._pool.stop()
        if self._over:
            await self._over

    def _play(self) -> None:
        for _, match in filter(None, self._pool.results(self._fixtures())):
            keep(match, self._plan, self._file, self._archive, self._warn)
            self._reactor.callFromThread(self._observer.on_result, match.result)

    def _fixtures(self) -> Iterator[Fixture]:
        """Yields the next match to be begun, as long as one is open."""
        waiting = left(self._plan, self._file.results)
        while waiting := undecided(waiting, decided_pairs(self._plan, self._file.results)):
            fixture = waiting.pop(0)
            self._reactor.callFromThread(self._observer.on_begin, fixture)
            yield fixture

    def _warn(self, text: str) -> None:
        self._reactor.callFromThread(self._observer.on_warning, text)


def check_for_cluster(plan: Plan) -> None:
    """Raises `PlanError` for players that run already, and so play one match at a time, and for several jobs.

    A player of one's own in a file must be in the same place on every node; its matches are not played elsewhere.
    """
    if plan.settings.jobs > 1:
        raise PlanError("on a cluster as many matches are played at once as it has processors for: no jobs")
    for player in plan.players:
        if isinstance(player.spec, RemotePlayer):
            raise PlanError(f"{player.name} runs already, and plays one match at a time: do without a cluster")
