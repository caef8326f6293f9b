"""A game that could not be learned in its start clock is prepared again while others move."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from ludens import games
from ludens.agent.engine import late_preparation
from ludens.agent.engine.late_preparation import LatePreparation
from ludens.agent.preparation.budget import TimeBudget, WaitingClock
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, NetworkReady, Think
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions, processors
from ludens.agent.variants.early_wins import GameVariant
from ludens.native.core import Game
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.engine_driver import Driver
from tests.support.processor import processor_ticks_of
from tests.support.waiting import until

CONNECT_FOUR = games.read("connect_four")
FIRST = ("(drop 4)", "noop")

# An engine that finds a search with an evaluation while its match is on, and says how the agent that has it thinks.
FINDS_ANOTHER = """
import os, threading
from dataclasses import replace

def niceness():
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

from ludens.agent.engine import engine, late_preparation
from ludens.agent.learning.learning import learn
from ludens.agent.preparation.prepare import prepare_guided
from ludens.agent.variants.early_wins import GameVariant
from ludens.native.core import Evaluation, Game

def prepare_later(net, settings, budget, **_):
    budget.explain(f"prepares later, niceness {niceness()}")
    variant = GameVariant.plain(Game.from_propnet(net))
    asked = replace(settings, strategy="guided")
    return prepare_guided(variant, asked, Evaluation(learn(variant.game, 0.05).weights))

def agent(self, config, role, tell):
    made = plain(self, config, role, tell)
    think = made.think

    def telling(seconds):
        tell(f"thinks by {config} at step {len(made.goal.history)}, niceness {niceness()}")
        return think(seconds)

    made.think = telling
    return made

plain = late_preparation.LatePreparation.agent
late_preparation.LatePreparation.agent = agent
late_preparation.prepare_later = prepare_later
engine.main()
"""

FAILS = """
from ludens.agent.engine import engine, late_preparation
from ludens.propnet.base.errors import NativeError

def prepare_later(*_, **__):
    raise NativeError("no room")

late_preparation.prepare_later = prepare_later
engine.main()
"""

PREPARES_FOR_EVER = """
import time
from ludens.agent.engine import engine, late_preparation
late_preparation.prepare_later = lambda *_, **__: time.sleep(1e6)
engine.main()
"""

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere threads cannot be nice, so nothing is done later"
)


def waiting() -> WaitingClock:
    """The clock of a player that waits."""
    clock = WaitingClock()
    clock.set_waiting(True)
    return clock


def later(
    monkeypatch: pytest.MonkeyPatch, clock: WaitingClock, seconds: float, results: list[tuple[str, bool]]
) -> tuple[LatePreparation, list[float]]:
    """A preparation that leads to strategies, rushed or not; and what time it is given."""
    net, options, given = load(parse_rules(CONNECT_FOUR)), PlayerOptions(), list[float]()
    plain = SearchConfig.from_settings(options, GameVariant.plain(Game.from_propnet(net)), "uniform")

    def prepare(_net: object, _settings: object, budget: TimeBudget, **_: object) -> SearchConfig:
        assert budget.clock is clock
        budget.stopped()
        given.append(budget.seconds)
        strategy, rushed = results[len(given) - 1]
        return replace(plain, strategy=strategy, rushed=rushed)

    monkeypatch.setattr(late_preparation, "prepare_later", prepare)
    sheet = parse_rules(CONNECT_FOUR)
    return LatePreparation(net, sheet, None, options, plain, TimeBudget(seconds, 1.0)), given


@pytest.mark.parametrize(
    ("start", "results", "chosen", "given"),
    [
        (1.0, [("guided", False)], "guided", [10.0]),
        (15.0, [("uct", True), ("guided", False)], "guided", [30.0, 60.0]),
        (1.0, [("rave", False)], "rave", [10.0]),
        (1.0, [("uct", False)], None, [10.0]),  # as before
        (1.0, [("uct", True)] * 4, None, [10.0, 20.0, 40.0]),
    ],
)
def test_there_is_more_and_more_time_until_enough_was_learned(
    monkeypatch: pytest.MonkeyPatch,
    start: float,
    results: list[tuple[str, bool]],
    chosen: str | None,
    given: list[float],
) -> None:
    clock = waiting()
    preparation, seconds = later(monkeypatch, clock, start, results)
    config = preparation.run(clock, lambda: False)
    assert (config.strategy if config else None) == chosen
    assert seconds == given


def test_nothing_takes_over_once_it_was_stopped_though_that_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, said = waiting(), iter([True, False, False])
    preparation, seconds = later(monkeypatch, clock, 1.0, [("guided", False)])
    assert preparation.run(clock, lambda: next(said)) is None
    assert len(seconds) == 1


def test_nothing_begins_while_our_own_turn_needs_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = WaitingClock(), 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        if asked == 3:
            assert seconds == []
            clock.set_waiting(True)
        return False

    preparation, seconds = later(monkeypatch, clock, 1.0, [("guided", False)])
    assert preparation.run(clock, stopped) is not None
    assert asked >= 3
    assert len(seconds) == 1


def test_background_work_counts_on_all_time_while_the_player_waits_and_on_a_little_of_its_own_turns() -> None:
    now = 100.0
    clock = WaitingClock(lambda: now)
    assert clock() == 0.0
    now = 110.0
    assert clock() == pytest.approx(1.0)
    clock.set_waiting(True)
    now = 115.0
    assert clock() == pytest.approx(6.0)
    clock.set_waiting(False)
    now = 125.0
    assert clock() == pytest.approx(7.0)
    assert not clock.at_leisure
    clock.spare = True  # it has been from the beginning
    assert clock.at_leisure
    clock.set_waiting(False)
    now = 130.0
    assert clock() == pytest.approx(21.0)


@contextmanager
def engine_of(code: str, role: str, threads: int = 1, clocks: tuple[float, float] = (0.1, 1.0)) -> Iterator[Driver]:
    """An engine that was sent to the first position of connect four, where red has to move."""
    it = Driver(code=("-c", code), recall="off", threads=threads)
    try:
        it.send(Begin(CONNECT_FOUR, role, *clocks), Think())
        it.send(GoTo((), ticket=1))
        it.next(NetworkReady)
        yield it
    finally:
        it.close()


def next_log(it: Driver, begin: str) -> str:
    """The next line of the log that begins so."""
    while not (text := it.next(LogMessage).text).startswith(begin):
        pass
    return text


@on_linux
def test_another_search_is_prepared_in_the_background_takes_over_and_is_not_in_the_background() -> None:
    with engine_of(FINDS_ANOTHER, "red") as it:
        next_log(it, "plays by uct")
        it.send(GoTo((FIRST,), ticket=2))
        usual = os.getpriority(os.PRIO_PROCESS, 0)
        assert next_log(it, "prepares later") == f"prepares later, niceness {max(10, usual)}"
        next_log(it, "plays by guided")
        assert next_log(it, "thinks by guided") == f"thinks by guided at step 1, niceness {usual}"
        assert it.next_that(lambda report: report.value is not None, ticket=2).step == 1


@on_linux
def test_after_a_failure_of_late_preparation_the_search_goes_on() -> None:
    with engine_of(FAILS, "red") as it:
        next_log(it, "plays by uct")
        it.send(GoTo((FIRST,), ticket=2))
        assert next_log(it, "the game is not learned") == "the game is not learned while others move: no room"
        it.next_that(lambda report: report.playouts > 0, ticket=2)  # also while we wait
        it.send(GoTo((FIRST, ("noop", "(drop 4)")), ticket=3))
        it.next_that(lambda report: report.playouts > 0, ticket=3)


@on_linux
def test_who_waits_leaves_the_processor_to_preparation() -> None:
    with engine_of(PREPARES_FOR_EVER, "yellow", threads=processors()) as it:
        next_log(it, "plays by uct")
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) == 0)
        it.send(GoTo((FIRST,), ticket=2))
        it.next_that(lambda report: report.playouts > 0, ticket=2)
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) > 0)


@pytest.mark.parametrize("clocks", [(0.0, 1.0), (0.1, 0.0)])
def test_without_clocks_nothing_is_prepared_later(clocks: tuple[float, float]) -> None:
    with engine_of(FAILS, "red", clocks=clocks) as it:
        next_log(it, "plays by uct")
        it.send(GoTo((FIRST,), ticket=2))
        it.next_that(lambda report: report.playouts > 0, ticket=2)
        it.send(GoTo((FIRST, ("noop", "(drop 4)")), ticket=3))
        it.next_that(lambda report: report.playouts > 0, ticket=3)
        it.process.stdin.close()  # type: ignore[union-attr]
        assert not any("is not learned" in text for text in rest_of_log(it))


def rest_of_log(it: Driver) -> list[str]:
    """What the engine has said up to its end."""
    found = []
    while (event := it.next_of_all()) is not None:
        if isinstance(event, LogMessage):
            found.append(event.text)
    return found
