"""Plays a tournament on the reactor: several matches at once, and never one that has been played already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Protocol

from twisted.internet.defer import Deferred, DeferredList, FirstError

from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive, ArchiveError
from ludens.agent.settings.players import LocalPlayer, RemotePlayer
from ludens.agent.settings.processors import usable_processors
from ludens.agent.statistics.sprt import decided
from ludens.agent.tournament.match_host import GameRoom, HostedMatch, MatchHost
from ludens.agent.tournament.plan import Fixture, Plan
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsFile
from ludens.propnet.base.child import Limits

Pairs = frozenset[frozenset[str]]
"""Pairs of players, by name."""


class TournamentObserver(Protocol):
    """Is told how a tournament goes, on the reactor's thread."""

    def on_begin(self, fixture: Fixture) -> None:
        """Takes a match that begins."""

    def on_turn(self, fixture: Fixture, turn: int) -> None:
        """Takes how many turns of a match have been played."""

    def on_result(self, result: Result) -> None:
        """Takes a match that is over, and is in the file of results."""

    def on_warning(self, text: str) -> None:
        """Takes what does not keep the tournament from going on."""


class Tournament:
    """Plays what is left of a plan."""

    def __init__(
        self, reactor: Any, plan: Plan, file: ResultsFile, observer: TournamentObserver, archive: Archive | None
    ) -> None:
        """Results go into `file`, and records into `archive`, if there is one."""
        self._reactor = reactor
        self._plan = plan
        self._file = file
        self._observer = observer
        self._archive = archive
        self._rooms = {game.name: GameRoom(reactor, game, Limits()) for game in plan.games}
        self._waiting = left(plan, file.results)
        self._playing: dict[Fixture, MatchHost] = {}
        self._freed: list[Deferred[None]] = []  # of those who wait for a match to end
        self._settled: Pairs = frozenset()
        self._stopped = False

    async def play(self) -> None:
        """Plays until nothing is left, or what is left can decide nothing more.

        Raises `ResultsError` as soon as a result cannot be written; the matches that are on are ended.
        """
        jobs = [Deferred.fromCoroutine(self._work(job)) for job in range(self._plan.settings.jobs)]
        try:
            await DeferredList(jobs, fireOnOneErrback=True, consumeErrors=True)
        except FirstError as error:
            await self.stop()
            error.subFailure.raiseException()

    async def stop(self) -> None:
        """Ends the matches that are on, all at once; they count as not played, even those that end by themselves now.

        Where the program ends, players are closed in the same moment: their moves would not be theirs any more.
        """
        self._stopped = True
        await DeferredList([Deferred.fromCoroutine(host.abort()) for host in list(self._playing.values())])

    async def _work(self, job: int) -> None:
        while not self._stopped and self._waiting:
            fixture = self._next()
            if fixture is None:  # all that is left waits for players elsewhere, who play one match at a time
                freed: Deferred[None] = Deferred()
                self._freed.append(freed)
                await freed
                continue
            await self._play(fixture, job)

    async def _play(self, fixture: Fixture, job: int) -> None:
        plan, room = self._plan, self._rooms[fixture.game]
        own = seat_processors(plan, job, len(fixture.players))
        host = MatchHost(self._reactor, plan, room, fixture, own, lambda turn: self._observer.on_turn(fixture, turn))
        self._playing[fixture] = host
        self._observer.on_begin(fixture)
        try:
            match = await host.play()
        finally:
            del self._playing[fixture]
            freed, self._freed = self._freed, []
            for waiting in freed:
                waiting.callback(None)
        if self._stopped:
            return
        settled = await in_thread(self._reactor, self._keep, match)
        self._observer.on_result(match.result)
        if settled != self._settled:
            self._settled, self._waiting = settled, undecided(self._waiting, settled)

    def _keep(self, match: HostedMatch) -> Pairs:
        """Keeps a match, in a thread, and returns the pairs between which the sequential test has decided by then."""
        keep(match, self._plan, self._file, self._archive, self._warn)
        return decided_pairs(self._plan, self._file.results)

    def _warn(self, text: str) -> None:
        self._reactor.callFromThread(self._observer.on_warning, text)

    def _next(self) -> Fixture | None:
        """Takes the next match of which all players are free; None where there is none."""
        busy = {name for fixture in self._playing for name in fixture.players if self._is_elsewhere(name)}
        for place, fixture in enumerate(self._waiting):
            if busy.isdisjoint(fixture.players):
                return self._waiting.pop(place)
        return None

    def _is_elsewhere(self, name: str) -> bool:
        return isinstance(self._plan.contestant(name).spec, RemotePlayer)


def keep(
    match: HostedMatch, plan: Plan, file: ResultsFile, archive: Archive | None, warn: Callable[[str], None]
) -> None:
    """Archives a match before it counts, so that every match that counts is archived whenever we are killed.

    Raises `ResultsError`; `warn` is told what else cannot be written.
    """
    if archive and match.record and match.record.states:
        game = plan.game(match.result.game)
        try:
            archive.keep(match.record, game.name, game.text, "tournament")
        except ArchiveError as error:
            warn(str(error))
    file.add(match.result)


def left(plan: Plan, results: dict[str, Result]) -> list[Fixture]:
    """Returns the matches of a plan that are still to be played, as far as the sequential test leaves any open."""
    open_ones = [fixture for fixture in plan.fixtures() if not (fixture.key in results and results[fixture.key].played)]
    return undecided(open_ones, decided_pairs(plan, results))


def counted(plan: Plan, results: dict[str, Result]) -> list[Result]:
    """Returns the results of a plan, played or not, in the order of the plan."""
    return [results[fixture.key] for fixture in plan.fixtures() if fixture.key in results]


def sprt_verdicts(plan: Plan, results: dict[str, Result]) -> dict[tuple[str, str], str | None]:
    """Returns what the sequential test says of each pair of players, the one that is listed first first.

    `results` are in the order in which matches ended, on which it depends.
    """
    if plan.settings.sprt is None:
        return {}
    place = {player.name: number for number, player in enumerate(plan.players)}
    planned = {fixture.key for fixture in plan.fixtures()}
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for key, result in results.copy().items():  # others may add to it meanwhile
        if key in planned and len(set(result.players)) == 2 and result.played:
            first, second = sorted(set(result.players), key=place.__getitem__)
            own = [score for name, score in result.scores() if name == first]
            scores[first, second].append(sum(own) / len(own))
    return {pair: decided(found, plan.settings.sprt) for pair, found in scores.items()}


def seat_processors(plan: Plan, job: int, seats: int) -> list[list[int]]:
    """Returns the processors of each seat of a job's match: of its own where there are enough.

    Where there are fewer, all players of a match share those of the job, so that none has more than another.
    """
    existing = usable_processors()
    if not existing:
        return [[] for _ in range(seats)]
    own = _share(existing, job, plan.settings.jobs)
    if len(own) < seats * most_threads(plan):
        return [own] * seats
    size = len(own) // seats
    return [own[seat * size : (seat + 1) * size] for seat in range(seats)]


def most_threads(plan: Plan) -> int:
    """Returns how many threads the player of ours with most of them searches on."""
    specs = (player.spec for player in plan.players)
    return max((spec.options.threads or 1 for spec in specs if isinstance(spec, LocalPlayer)), default=1)


def _share(processors: Sequence[int], job: int, jobs: int) -> list[int]:
    """Returns the processors of one of several jobs; two jobs have the same where there are fewer than jobs."""
    if len(processors) < jobs:
        return [processors[job % len(processors)]]
    size = len(processors) // jobs
    return list(processors[job * size : (job + 1) * size])


def decided_pairs(plan: Plan, results: dict[str, Result]) -> Pairs:
    """Returns the pairs of players between whom the sequential test has decided; goes through all fixtures."""
    if plan.settings.sprt is None:
        return frozenset()
    return frozenset(frozenset(pair) for pair, verdict in sprt_verdicts(plan, results).items() if verdict)


def undecided(fixtures: Sequence[Fixture], settled: Pairs) -> list[Fixture]:
    """Returns those of some matches in which players meet between whom the sequential test has not decided."""
    return [fixture for fixture in fixtures if not _pairs(fixture) or _pairs(fixture) - settled]


def _pairs(fixture: Fixture) -> Pairs:
    return frozenset(frozenset(pair) for pair in combinations(set(fixture.players), 2))
