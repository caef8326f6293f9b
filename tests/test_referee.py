"""The two referees say the same of a match, and the slow one is there when the fast one cannot be."""

from __future__ import annotations

import random
import threading

import pytest
from twisted.internet.selectreactor import SelectReactor

import games
from agent.referee import InterpretingReferee, NetworkReferee, Position, appoint, in_thread
from propnet.errors import LudensError
from propnet.loader import load
from propnet.parser import parse_rules


def as_sets(position: Position) -> tuple[object, ...]:
    return position.facts, tuple(map(frozenset, position.legal)), position.terminal


@pytest.mark.parametrize("game", ["tic_tac_toe", "nim", "rock_paper_scissors", "eight_puzzle"])
def test_network_and_interpreter_are_the_same_referee(game: str) -> None:
    sheet = parse_rules(games.read(game))
    fast, slow = NetworkReferee(load(sheet)), InterpretingReferee(sheet)
    rng = random.Random(game)
    here, there = fast.first(), slow.first()
    for _ in range(12):
        assert as_sets(here) == as_sets(there)
        if here.terminal:
            assert here.goals == there.goals
            here, there = fast.first(), slow.first()
        joint = [rng.choice(sorted(moves)) for moves in here.legal]
        here, there = fast.after(joint), slow.after(joint)


def test_the_network_is_the_referee_where_there_is_time() -> None:
    appointed = appoint(parse_rules(games.read("tic_tac_toe")), 60)
    assert isinstance(appointed.referee, NetworkReferee)
    assert "(cell 1 1 cross)" in appointed.vocabulary
    assert not appointed.excuse


def test_without_time_the_interpreter_is_the_referee_and_says_so() -> None:
    appointed = appoint(parse_rules(games.read("tic_tac_toe")), 0.001)
    assert isinstance(appointed.referee, InterpretingReferee)
    assert appointed.excuse.startswith("the interpreter works out the states")


def test_what_runs_in_a_thread_brings_its_result_or_its_error_to_the_reactor() -> None:
    reactor = SelectReactor()
    brought: list[object] = []

    def fail() -> None:
        raise LudensError(threading.current_thread().name)

    def begin() -> None:
        first = in_thread(reactor, threading.current_thread).addCallback(brought.append)
        second = first.addCallback(lambda _: in_thread(reactor, fail)).addErrback(brought.append)
        second.addCallback(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.callLater(20, reactor.crash)
    reactor.run(installSignalHandlers=False)
    thread, failure = brought
    assert thread is not threading.current_thread()
    assert failure.check(LudensError)  # type: ignore[attr-defined]
