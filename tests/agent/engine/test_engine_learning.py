"""What an engine learns before the first turn, and what it plays meanwhile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, NetworkReady, Ready, Think
from tests.support.engine_driver import CONNECT_FOUR, TIC_TAC_TOE, WINNING, engine, founded_report

PREPARES_FOR_EVER = """
import time
from ludens.agent.engine import engine
from ludens.agent.preparation import prepare
prepare.prepare = lambda *_, **__: time.sleep(1e6)
engine.main()
"""


def test_the_network_is_played_as_it_is_while_the_engine_still_prepares() -> None:
    with engine(code=("-c", PREPARES_FOR_EVER)) as it:
        it.send(Begin(CONNECT_FOUR, "red"), Think())
        it.next(NetworkReady)
        it.send(GoTo(()))
        assert founded_report(it).playouts > 0


def test_an_engine_learns_before_the_first_turn_and_searches_by_what_it_has_learned() -> None:
    with engine(strategy="guided", learn=2.0, recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", seconds=3600.0), Think())
        it.next(NetworkReady)
        assert it.next(LogMessage).text.startswith("learned for")
        it.next(Ready)
        it.send(GoTo(WINNING))
        assert founded_report(it, step=4).move == "(mark 3 3)"  # at once, and not by a fork


def test_an_engine_uses_again_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for seconds, remark in (
        (3600.0, r"learned for [\d.]+ s by playing itself(; .*)?"),
        (3600.0, r".*, in addition to .*"),
        (0.0, r".* is used"),
    ):
        with engine(strategy="guided", features="state", learn=2.0) as it:
            it.send(Begin(TIC_TAC_TOE, "cross", seconds), Think())
            it.next(NetworkReady)
            assert re.fullmatch(remark, it.next(LogMessage).text)


SAYS_WHEN_IT_LEARNS = """
from ludens.agent.engine import engine
from ludens.agent.preparation.start_clock_learning import StartClockLearning
learn = StartClockLearning._learn_for

def told(learning, seconds):
    learning._budget.tell("learns from now on")
    learn(learning, seconds)

StartClockLearning._learn_for = told
engine.main()
"""


def test_learning_ends_with_the_first_turn() -> None:
    with engine(code=("-c", SAYS_WHEN_IT_LEARNS), strategy="guided", learn=3600.0, recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", seconds=3600.0), Think())
        it.next(LogMessage, text="learns from now on")
        it.send(GoTo(()))
        it.next(Ready)


def test_without_time_to_learn_a_guided_engine_searches_all_the_same() -> None:
    with engine(strategy="guided", recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", 1.0), Think())
        assert "learn" in it.next(LogMessage).text
        report = founded_report(it)
        assert report.playouts > 0 or report.final
