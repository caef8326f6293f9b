"""A process that plays matches for a worker of a cluster may end in the middle of one, which is then played again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, repeat
from multiprocessing.connection import Connection
from typing import IO, Any

import pytest

from ludens import games
from ludens.agent.cluster.actor_pool import Place
from ludens.agent.cluster.connection import LOOPBACK
from ludens.agent.tournament import match_process
from ludens.agent.tournament.match_process import MatchWorker
from ludens.agent.tournament.plan import Plan, Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants
from ludens.propnet.base.child import end, start
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from tests.support.waiting import PATIENCE


@cache
def plan() -> Plan:
    """A match between players whose moves follow from their seeds, whatever the time."""
    sheet = games.read("tic_tac_toe")
    return new_plan(
        Settings(rounds=1, startclock=PATIENCE, playclock=PATIENCE),
        contestants(["uct:iterations=300", "random"]),
        [TournamentGame("tic_tac_toe", sheet, parse_rules(sheet))],
    )


class KilledWhileItPlays:
    """A pipe to a process that is killed as soon as it has been sent a match, and what came of that is awaited."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: Connection) -> None:
        self._process, self._pipe = process, pipe

    def send(self, message: object) -> None:
        self._pipe.send(message)

    def close(self) -> None:
        self._pipe.close()

    def recv(self) -> Any:
        end(self._process)
        return self._pipe.recv()


@contextmanager
def worker(monkeypatch: pytest.MonkeyPatch, killed: int) -> Iterator[MatchWorker]:
    """A worker so many of whose processes are killed while they play."""
    are_killed, started = chain(repeat(True, killed), repeat(False)), list[subprocess.Popen[bytes]]()

    def starting(entry: str, errors: IO[bytes]) -> tuple[subprocess.Popen[bytes], Connection | KilledWhileItPlays]:
        process, pipe = start(entry, errors)
        started.append(process)
        return process, KilledWhileItPlays(process, pipe) if next(are_killed) else pipe

    monkeypatch.setattr(match_process, "start", starting)
    try:
        made = MatchWorker(plan(), Place("node", LOOPBACK, 0, 1))
        yield made
        made.close()
    finally:
        for process in started:
            end(process)
    assert len(started) == min(killed + 1, 3)


def played(with_worker: MatchWorker) -> tuple[object, ...]:
    result = with_worker.do(plan().fixtures()[0]).result
    assert result.played and not any(result.faults)
    return result.goals, result.turns, result.ending


def test_a_match_whose_process_is_killed_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with worker(monkeypatch, killed=0) as undisturbed:
        expected = played(undisturbed)
    with worker(monkeypatch, killed=2) as disturbed:
        assert [played(disturbed), played(disturbed)] == [expected, expected]


def test_a_match_that_ends_every_process_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        worker(monkeypatch, killed=3) as disturbed,
        pytest.raises(LudensError, match="3 processes in a row ended in the same match, the last with status -9"),
    ):
        played(disturbed)
