"""Engine processes: when they have started, how they end, and machines that have no room for them."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from ludens.agent.protocol.messages import parse
from ludens.agent.protocol.wire import Started, encode
from ludens.agent.server.engine_process import EnginePool, EngineProcess, _Waiting
from ludens.agent.server.player import Player
from ludens.agent.settings.options import PlayerOptions


class FullMachine(Clock):
    """A reactor on which no process can be started, until there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.tries = 0

    def spawnProcess(self, *_: Any, **__: Any) -> None:  # noqa: N802 - twisted's name
        self.tries += 1
        raise BlockingIOError(11, "Resource temporarily unavailable")


class Losses:
    """A listener that remembers why engines were lost."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def heard(self, event: object) -> None:
        raise AssertionError(event)

    def lost(self, reason: str) -> None:
        self.reasons.append(reason)


def test_an_engine_that_cannot_be_started_is_lost() -> None:
    machine, losses = FullMachine(), Losses()
    EnginePool(machine, PlayerOptions()).take(losses)
    machine.advance(0)
    assert len(losses.reasons) == 1
    assert "Resource temporarily unavailable" in losses.reasons[0]


@pytest.mark.parametrize(
    ("end", "told"), [(ProcessTerminated(signal=9), "ended by signal 9"), (ProcessDone(0), "ended with exit code 0")]
)
def test_how_an_engine_ended_is_told_in_words(end: Exception, told: str) -> None:
    losses, engine = Losses(), EngineProcess(_Waiting(set()))
    engine.pass_to(losses)
    engine.processEnded(Failure(end))
    assert losses.reasons == [told]


def test_an_engine_has_started_when_it_says_so_and_its_match_hears_nothing_of_that() -> None:
    told: list[object] = []
    engine = EngineProcess(_Waiting(set()))
    engine.pass_to(Losses())
    engine.started.addCallback(told.append)
    engine.outReceived(encode(Started())[:5])
    assert not told
    engine.outReceived(encode(Started())[5:])
    assert told == [None]


def test_nobody_waits_for_an_engine_that_cannot_be_started() -> None:
    machine, told = FullMachine(), list[object]()
    EnginePool(machine, PlayerOptions()).prepare().addCallback(told.append)
    machine.advance(0)
    assert told == [None]


class RoomyMachine(Clock):
    """A reactor on which processes are only counted."""

    def __init__(self) -> None:
        super().__init__()
        self.engines: list[EngineProcess] = []

    def spawnProcess(self, engine: EngineProcess, *_: Any, **__: Any) -> None:  # noqa: N802 - twisted's name
        self.engines.append(engine)


def test_one_engine_after_another_is_made_ready_to_think_and_to_stand_by() -> None:
    machine = RoomyMachine()
    pool = EnginePool(machine, PlayerOptions())
    pool.prepare()
    pool.prepare()
    assert len(machine.engines) == 1
    machine.engines[0].outReceived(encode(Started()))
    assert len(machine.engines) == 2
    machine.engines[1].outReceived(encode(Started()))
    pool.prepare()
    assert [pool.take(Losses()), pool.take(Losses())] == machine.engines
    assert len(machine.engines) == 2
    pool.take(Losses())
    assert len(machine.engines) == 3


def test_a_match_that_comes_early_has_the_processor_to_itself() -> None:
    machine = RoomyMachine()
    pool = EnginePool(machine, PlayerOptions())
    pool.prepare()
    pool.take(Losses()).outReceived(encode(Started()))
    machine.pump([1.0] * 60)
    assert len(machine.engines) == 1


def test_of_matches_side_by_side_the_next_one_finds_spares_too() -> None:
    machine = RoomyMachine()
    pool = EnginePool(machine, PlayerOptions(matches=2))
    pool.prepare()
    pool.take(Losses()).outReceived(encode(Started()))
    machine.pump([1.0] * 3)
    machine.engines[1].outReceived(encode(Started()))
    assert len(machine.engines) == 3


def test_a_player_of_one_match_makes_one_engine_ready() -> None:
    machine = RoomyMachine()
    EnginePool(machine, PlayerOptions(), spares=1).prepare()
    machine.engines[0].outReceived(encode(Started()))
    assert len(machine.engines) == 1


def test_no_spare_is_started_once_the_pool_is_closed() -> None:
    machine = RoomyMachine()
    pool = EnginePool(machine, PlayerOptions(matches=2))
    pool.prepare()
    pool.close()
    machine.engines[0].outReceived(encode(Started()))
    machine.pump([1.0] * 3)
    assert len(machine.engines) == 1


def test_spares_that_are_lost_are_replaced_before_the_next_match() -> None:
    machine = RoomyMachine()
    pool = EnginePool(machine, PlayerOptions())
    pool.prepare()
    machine.engines[0].outReceived(encode(Started()))
    machine.engines[0].processEnded(Failure(ProcessDone(0)))
    machine.engines[1].outReceived(encode(Started()))
    assert len(machine.engines) == 2  # else those that die at once would be started for ever
    pool.prepare()
    assert [pool.take(Losses()), pool.take(Losses())] == machine.engines[1:]


def test_without_any_engine_a_start_is_busy_with_the_reason_logged_and_the_next_start_tries_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    machine = FullMachine()
    options = PlayerOptions(margin=1.0)
    player = Player(options, machine, EnginePool(machine, options))
    replies: list[str] = []
    for match_id in ("m", "n"):
        tries = machine.tries
        player.answer(parse(f"( START {match_id} x ((role x)) 10 8 )")).addCallback(replies.append)
        machine.pump([0.5] * 18)
        assert machine.tries > tries
        assert player.available
    assert replies == ["busy", "busy"]
    assert "m: cannot play: no engine can be started: [Errno 11] Resource temporarily unavailable" in caplog.text
    player.close()
