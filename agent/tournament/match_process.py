"""A process that plays matches of a tournament, one after the other, for a worker of a cluster.

The worker sends it fixtures over a pipe, and gets back what came of each. It has a process of its own because the
reactor on which matches run wants the main thread, and signals, for itself. Networks of games stay from match to match.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from twisted.internet.defer import Deferred

from ludens.agent.cluster.actor_pool import Place
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.reactor.steady_reactor import steady_reactor
from ludens.agent.tournament.match_host import GameRoom, HostedMatch, MatchHost
from ludens.agent.tournament.plan import Fixture, Plan
from ludens.agent.tournament.tournament import seat_processors
from ludens.propnet.base.child import Limits, die_with_parent, error_text, start
from ludens.propnet.base.errors import LudensError

_ATTEMPTS = 3  # at a match whose processes end


class MatchWorker:
    """Plays matches of a plan in a process of its own, which ends with this one."""

    def __init__(self, plan: Plan, place: Place) -> None:
        """Matches have the share of the node's processors that belongs to the place."""
        self._plan, self._place = plan, place
        self._ended = ""  # how the process did, if it has
        self._begin()

    def _begin(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is there as long as the process
        self._process, self._pipe = start("ludens.agent.tournament.match_process:main", self._errors)
        self._pipe.send((self._plan, self._place))

    def close(self) -> None:
        """Ends the process, as soon as it has nothing to do."""
        self._pipe.close()
        self._errors.close()

    def do(self, task: Fixture) -> HostedMatch:
        """Returns what came of a match, which begins again where the process ends, as for want of memory.

        Raises `LudensError` for one that ends several processes in a row.
        """
        for _ in range(_ATTEMPTS):
            try:
                if self._ended:
                    self.close()
                    self._begin()
                self._pipe.send(task)
                match: HostedMatch = self._pipe.recv()
                self._ended = ""
                return match
            except (EOFError, OSError) as error:
                self._ended = f"status {self._process.wait()}: {error_text(self._errors) or error}"
        raise LudensError(f"{_ATTEMPTS} processes in a row ended in the same match, the last with {self._ended}")


def main() -> None:
    """The process: plays until the worker is gone."""
    die_with_parent()
    reactor = steady_reactor()
    pipe = Connection(int(sys.argv[1]))

    def begin() -> None:
        Deferred.fromCoroutine(_play_all(reactor, pipe)).addErrback(_tell).addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.run()


def _tell(failure: Any) -> None:
    failure.printTraceback()


async def _play_all(reactor: Any, pipe: Connection) -> None:
    """Plays each fixture that comes, until no more can come."""
    plan, place = pipe.recv()
    limits = Limits()
    rooms = {game.name: GameRoom(reactor, game, limits) for game in plan.games}
    shared = replace(plan, settings=replace(plan.settings, jobs=place.slots))
    while True:
        try:
            fixture = await in_thread(reactor, pipe.recv)
        except EOFError:
            return
        own = seat_processors(shared, place.slot, len(fixture.players))
        host = MatchHost(reactor, plan, rooms[fixture.game], fixture, own, lambda _turn: None)
        pipe.send(await host.play())
