"""A game that could not be learned in its start clock is prepared again while others move."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from ludens import games
from ludens.agent.engine import late_preparation
from ludens.agent.engine.late_preparation import LatePreparation
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, NetworkReady, Think
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.early_wins import GameVariant
from ludens.native.core import Game
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.engine_driver import Driver
from tests.support.processor import processor_ticks_of
from tests.support.waiting import until

CONNECT_FOUR = games.read("connect_four")
FIRST = ("(drop 4)", "noop")

# An engine that learns for so many seconds while its match is on.
LEARNS_LATER = """
from dataclasses import replace
from ludens.agent.engine import engine, late_preparation
from ludens.agent.preparation.prepare import prepare
late_preparation._LEAST_SECONDS = 4.0
late_preparation.prepare_later = lambda net, settings, budget, **given: prepare(
    net, replace(settings, strategy="guided"), budget, **given)
engine.main()
"""

PREPARES_FOR_EVER = """
import time
from ludens.agent.engine import engine, late_preparation
late_preparation.prepare_later = lambda *_, **__: time.sleep(1e6)
engine.main()
"""


def later(
    monkeypatch: pytest.MonkeyPatch, seconds: float, results: list[tuple[str, bool]]
) -> tuple[LatePreparation, list[float]]:
    """A preparation that leads to strategies, rushed or not; and what time it is given."""
    net, options, given = load(parse_rules(CONNECT_FOUR)), PlayerOptions(), list[float]()
    plain = SearchConfig.from_settings(options, GameVariant.plain(Game.from_propnet(net)), "uniform")

    def prepare(_net: object, _settings: object, budget: TimeBudget, **_: object) -> SearchConfig:
        given.append(budget.seconds)
        strategy, rushed = results[len(given) - 1]
        return replace(plain, strategy=strategy, rushed=rushed)

    monkeypatch.setattr(late_preparation, "prepare_later", prepare)
    sheet = parse_rules(CONNECT_FOUR)
    return LatePreparation(net, sheet, None, options, TimeBudget(seconds, 1.0)), given


@pytest.mark.parametrize(
    ("start", "results", "chosen", "given"),
    [
        (1.0, [("guided", False)], "guided", [20.0]),
        (15.0, [("uct", True), ("guided", False)], "guided", [30.0, 60.0]),
        (1.0, [("uct", False)], None, [20.0]),
        (1.0, [("uct", True)] * 4, None, [20.0, 40.0, 80.0]),
    ],
)
def test_there_is_more_and_more_time_until_enough_was_learned(
    monkeypatch: pytest.MonkeyPatch,
    start: float,
    results: list[tuple[str, bool]],
    chosen: str | None,
    given: list[float],
) -> None:
    preparation, seconds = later(monkeypatch, start, results)
    config = preparation.run(stopped=lambda: False)
    assert (config.strategy if config else None) == chosen
    assert seconds == given


def test_nothing_takes_over_once_the_engine_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    preparation, seconds = later(monkeypatch, 1.0, [("guided", False)])
    assert preparation.run(stopped=lambda: True) is None
    assert len(seconds) == 1


def test_what_was_learned_while_the_match_was_on_takes_over() -> None:
    it = Driver(code=("-c", LEARNS_LATER), recall="off", threads=1)
    try:
        it.send(Begin(CONNECT_FOUR, "red", seconds=0.1, move_seconds=1.0), Think(), GoTo((), ticket=1))
        it.next(NetworkReady)
        said = plays_by(it)
        assert said().startswith("plays by uct")
        assert said().startswith("plays by guided")
        it.send(GoTo((FIRST,), ticket=2))
        assert it.next_that(lambda report: report.playouts > 0, ticket=2).step == 1
    finally:
        it.close()


def plays_by(it: Driver) -> Callable[[], str]:
    """What is said next of who plays."""

    def said() -> str:
        while not (text := it.next(LogMessage).text).startswith("plays by"):
            pass
        return text

    return said


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read from /proc")
def test_who_waits_leaves_the_processor_to_preparation() -> None:
    it = Driver(code=("-c", PREPARES_FOR_EVER), recall="off", threads=1)
    try:
        it.send(Begin(CONNECT_FOUR, "yellow", seconds=0.1, move_seconds=1.0), Think(), GoTo((), ticket=1))
        it.next(NetworkReady)
        plays_by(it)()
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) == 0)
        it.send(GoTo((FIRST,), ticket=2))
        it.next_that(lambda report: report.playouts > 0, ticket=2)
        assert processor_ticks_of(it.process.pid, over=0.5) > 0
    finally:
        it.close()
