"""What a player does about faults of START, and of the end of a match."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from ludens.agent.protocol.wire import LogMessage
from tests.support.player_harness import AVAILABLE, MARKS, START, FakeEngine, PlayerHarness

BUSY = "( ( name Tester ) ( status busy ) )"


def test_start_with_the_same_id_again_is_ready(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask(START) == "ready"
    assert len(harness.engines.taken) == 1


def test_start_with_the_same_id_after_moves_begins_the_match_anew(harness: PlayerHarness) -> None:
    old = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    old.arrives(1)
    old.thinks(1, MARKS[2], final=True)
    assert play.reply == MARKS[2]
    engine = harness.begin()
    assert old.killed
    assert engine is not old
    engine.arrives(0)
    first = harness.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[0], final=True)
    assert first.reply == MARKS[0]
    harness.post(f"( PLAY m1 ({MARKS[0]} noop) )")
    assert engine.history == ((MARKS[0], "noop"),)


def test_start_with_the_same_id_after_moves_that_came_before_the_rules_were_read_begins_anew(
    harness: PlayerHarness,
) -> None:
    harness.post(START)
    harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine = harness.begin()
    harness.post("( PLAY m1 NIL )")
    assert not engine.history


def test_start_sent_twice_at_once_is_answered_once_the_engine_is_ready(harness: PlayerHarness) -> None:
    harness.post(START)
    second = harness.post(START)
    harness.engine.reads_rules()
    harness.engine.arrives(0)
    harness.engine.has_network()
    assert second.reply == "ready"
    assert len(harness.engines.taken) == 1


def test_start_of_another_match_while_playing_is_busy(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask(START.replace("m1", "m2")) == "busy"
    assert harness.ask("( INFO )") == BUSY
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]


def test_a_dead_match_is_taken_over_by_the_next_start(harness: PlayerHarness) -> None:
    old = harness.first_turn()
    harness.wait(2 * 8 + 16)
    assert old.killed
    assert harness.begin(START.replace("m1", "m2")) is not old


@pytest.mark.parametrize(
    "reason",
    [
        "there is no role z; the roles are x, o",
        "the rules have no role",
        "the rules have no init",
        "the rules have no legal",
        "line 3, column 1: p depends on its own negation",
        "line 2, column 5: ?y is unsafe",
    ],
)
def test_rules_that_cannot_be_played_are_busy_with_the_reason_logged(
    harness: PlayerHarness, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    start = harness.post(START)
    harness.engine.refuses(reason)
    assert start.reply == "busy"
    assert reason in caplog.text
    assert harness.ask("( INFO )") == AVAILABLE
    assert harness.engine.killed


@pytest.mark.parametrize("clocks", ["ten 8", "10 (8)", "10 nan", "inf 8", "10"])
def test_a_clock_that_is_no_number_is_busy_with_the_reason_logged(
    harness: PlayerHarness, clocks: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert harness.ask(f"( START m1 x ((role x)) {clocks} )") == "busy"
    assert "START" in caplog.text
    assert not harness.engines.taken


def test_start_with_more_arguments_ignores_them(harness: PlayerHarness) -> None:
    harness.begin("( START m1 x ( (role x) (role o) ) 10 8 (and more) 7 )")


def test_grounding_that_is_too_slow_is_ready_on_time_and_plays_on_the_interpreter(harness: PlayerHarness) -> None:
    start = harness.post(START)
    harness.engine.reads_rules()
    harness.engine.arrives(0)
    harness.wait(8.9)
    assert not start.answered
    harness.wait(0.1)
    assert start.reply == "ready"
    play = harness.post("( PLAY m1 NIL )")
    harness.engine.hears()
    harness.wait(7)
    assert play.reply == MARKS[0]


def test_grounding_that_is_too_large_is_ready_and_plays_on_the_interpreter(harness: PlayerHarness) -> None:
    start = harness.post(START)
    harness.engine.reads_rules()
    harness.engine.arrives(0)
    harness.engine.has_no_network("2,048 MB are not enough")
    assert start.reply == "ready"


def test_ready_is_not_said_before_a_legal_move_is_known(harness: PlayerHarness) -> None:
    start = harness.post(START)
    harness.engine.reads_rules()
    harness.engine.has_network()
    assert not start.answered
    harness.wait(2)
    harness.standby.arrives(0)
    assert start.reply == "ready"


def test_ready_is_said_on_time_though_no_legal_move_is_known(harness: PlayerHarness) -> None:
    start = harness.post(START)
    harness.engine.has_network()
    harness.wait(8.9)
    assert not start.answered
    harness.wait(0.1)
    assert start.reply == "ready"


def test_the_start_clock_runs_from_the_first_byte(harness: PlayerHarness) -> None:
    request = f"POST / HTTP/1.0\r\nContent-Length: {len(START)}\r\n\r\n{START}".encode()
    connection = harness.http(request[:3])
    harness.wait(4)
    connection.send(request[3:])
    assert harness.engine.begin.seconds == 10 - 1 - 4
    harness.wait(4.9)
    assert not connection.answered
    harness.wait(0.1)
    assert connection.reply == "ready"


def test_the_play_clock_runs_from_the_first_byte(harness: PlayerHarness) -> None:
    harness.begin()
    play = "( PLAY m1 NIL )"
    request = f"POST / HTTP/1.0\r\nContent-Length: {len(play)}\r\n\r\n{play}".encode()
    connection = harness.http(request[:-1])
    harness.wait(6)
    connection.send(request[-1:])
    assert not connection.answered
    harness.wait(1)
    assert connection.reply in MARKS


@pytest.mark.parametrize(("round_trip", "start", "move"), [(0.0, 8.0, 7.0), (0.5, 7.0, 6.0), (10.0, 0.0, 0.0)])
def test_preparation_is_told_what_the_way_to_the_manager_leaves_of_both_clocks(
    round_trip: float, start: float, move: float, monkeypatch: pytest.MonkeyPatch, harness: PlayerHarness
) -> None:
    """Of 10 and 8 seconds, with a margin of one; a message that arrives slowly takes of its own clock alone."""
    monkeypatch.setattr("ludens.agent.server.server.round_trip", lambda _: round_trip)
    body = START.encode()
    connection = harness.http(f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode())
    harness.wait(1)
    connection.send(body)
    begin = harness.engine.begin
    assert (begin.seconds, begin.move_seconds) == (start, move)


def test_a_message_that_arrives_behind_its_clock_is_answered_at_once(harness: PlayerHarness) -> None:
    request = f"POST / HTTP/1.0\r\nContent-Length: {len(START)}\r\n\r\n{START}".encode()
    connection = harness.http(request[:-1])
    harness.wait(12)
    connection.send(request[-1:])
    harness.wait(0)
    assert connection.reply == "ready"


def test_the_network_takes_over_in_mid_match(harness: PlayerHarness) -> None:
    harness.post(START)
    harness.engine.reads_rules()
    harness.engine.arrives(0)
    play = harness.post("( PLAY m1 NIL )")
    harness.engine.has_network()
    harness.engine.arrives(0)
    harness.engine.thinks(0, MARKS[2])
    harness.wait(7)
    assert play.reply == MARKS[2]


@pytest.mark.parametrize("clock", ["0", "-5"])
def test_start_without_time_is_ready_at_once_and_plays_at_once(harness: PlayerHarness, clock: str) -> None:
    start = harness.post(f"( START m1 x ( (role x) (role o) ) {clock} {clock} )")
    harness.wait(0)
    assert start.reply == "ready"
    play = harness.post("( PLAY m1 NIL )")
    harness.wait(0)
    assert not play.answered
    harness.engine.reads_rules()
    harness.engine.arrives(0)
    assert play.reply == MARKS[0]


@pytest.mark.parametrize("moves", ["NIL", "nil", "noop", "", "(noop noop)", "((mark 1 2) noop)"])
def test_stop_with_whatever_moves_is_done(harness: PlayerHarness, moves: str) -> None:
    harness.first_turn()
    assert harness.ask(f"( STOP m1 {moves} )") == "done"
    assert harness.ask("( INFO )") == AVAILABLE


def test_stop_of_another_match_is_busy(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask("( STOP m2 (noop noop) )") == "busy"
    assert harness.ask("( INFO )") == BUSY


def test_abort_of_another_match_is_busy(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask("( ABORT m2 )") == "busy"


def test_abort_while_a_play_waits_is_aborted_at_once(harness: PlayerHarness) -> None:
    engine = harness.begin()
    engine.arrives(0)
    play = harness.post("( PLAY m1 NIL )")
    assert harness.ask("( ABORT m1 )") == "aborted"
    assert play.answered
    assert engine.killed
    assert harness.ask("( INFO )") == AVAILABLE


def test_abort_while_start_waits_is_aborted_at_once(harness: PlayerHarness) -> None:
    start = harness.post(START)
    assert harness.ask("( ABORT m1 )") == "aborted"
    assert start.reply == "busy"
    assert harness.engine.killed


def test_a_match_that_is_never_stopped_dies_by_a_timer(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    harness.wait(2 * 8 + 14)
    assert harness.ask("( INFO )") == BUSY
    harness.wait(2)
    assert harness.ask("( INFO )") == AVAILABLE
    assert engine.killed


def test_messages_keep_a_match_alive(harness: PlayerHarness) -> None:
    harness.first_turn()
    for _ in range(3):
        harness.wait(2 * 8 + 14)
        assert harness.ask("( PLAY m1 NIL )") == MARKS[1]


def test_what_experts_need_is_logged_for_them_alone(harness: PlayerHarness, caplog: pytest.LogCaptureFixture) -> None:
    engine = harness.first_turn()
    for level, logged in ((logging.INFO, ["m1: for all"]), (logging.DEBUG, ["m1: for experts", "m1: for all"])):
        caplog.clear()
        caplog.set_level(level, "ludens")
        engine.listener.heard(LogMessage("for experts", expert=True))
        engine.listener.heard(LogMessage("for all"))
        assert [record.getMessage() for record in caplog.records] == logged


def test_missing_goals_count_as_50_and_are_logged(harness: PlayerHarness, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    engine = harness.first_turn()
    harness.ask("( STOP m1 ((mark 1 2) noop) )")
    engine.arrives(1, [], goals=[100, None])
    assert "no goal for o: counted as 50" in caplog.text
    assert "x 100, o 50" in caplog.text
    assert engine.killed


def test_an_engine_that_never_tells_the_result_is_let_go(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    harness.ask("( STOP m1 ((mark 1 2) noop) )")
    assert not engine.killed
    harness.wait(6)
    assert engine.killed


# ---- Weaker play ----


@pytest.mark.parametrize(
    "happens",
    [
        lambda engine: engine.has_no_network("the rules need more than 2,048 MB"),
        lambda engine: engine.warns("the rules need more than 2,048 MB"),
        lambda engine: engine.listener.lost("the rules need more than 2,048 MB"),
    ],
    ids=["no network", "a weaker player", "an engine that cannot start"],
)
def test_weaker_play_is_said_once_in_the_log_in_the_record_and_to_who_wants_news(
    happens: Callable[[FakeEngine], None], caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[object] = []
    harness = PlayerHarness(lambda match, news: heard.append((match.start.match_id, news)))
    harness.post(START)
    happens(harness.engine)
    happens(harness.engine)
    lines = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(lines) == 1
    assert "the rules need more than 2,048 MB" in lines[0].getMessage()
    (warning,) = heard
    assert warning == ("m1", LogMessage(lines[0].getMessage().removeprefix("m1: "), warning=True))
