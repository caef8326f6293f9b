"""Every fault that managers, networks and engines have shown, and the right reaction to it."""

from __future__ import annotations

import logging
import sys

import pytest

from agent.protocol import Malformed, parse
from agent.wire import MACHINES, Think
from tests.stage import MARKS, START, Stage

AVAILABLE = "( ( name Tester ) ( status available ) )"
BUSY = "( ( name Tester ) ( status busy ) )"


@pytest.fixture
def stage() -> Stage:
    return Stage()


# ---- HTTP ----


def test_an_empty_body_is_answered_as_info(stage: Stage) -> None:
    assert stage.post("").reply == AVAILABLE


def test_a_post_without_content_length_is_answered_as_info(stage: Stage) -> None:
    assert stage.http(b"POST / HTTP/1.0\r\nSender: GAMESERVER\r\n\r\n").reply == AVAILABLE


def test_a_length_that_is_too_long_times_out_and_closes(stage: Stage) -> None:
    connection = stage.http(b"POST / HTTP/1.0\r\nContent-Length: 50\r\n\r\n( INFO )")
    stage.wait(29)
    assert not connection.closed
    stage.wait(2)
    assert connection.closed
    assert not connection.answered


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "0x10"])
def test_a_length_that_is_no_number_is_a_bad_request(stage: Stage, length: str) -> None:
    connection = stage.http(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n( INFO )".encode())
    assert connection.status == 400
    assert connection.closed


@pytest.mark.parametrize(
    "start", [b"POST / HT", b"POST / HTTP/1.0\r\nX: ", b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n"]
)
def test_a_peer_that_drips_bytes_is_shut_out(stage: Stage, start: bytes) -> None:
    connection = stage.http(start)
    for _ in range(31):
        stage.wait(1)
        if not connection.closed:
            connection.send(b"a")
    assert connection.closed
    assert stage.ask("( INFO )") == AVAILABLE


def test_more_than_16_megabytes_are_refused(stage: Stage) -> None:
    body = b"( INFO )" + b" " * (16 << 20)
    assert stage.post(body).status == 413
    assert stage.ask("( INFO )") == AVAILABLE


def test_more_than_16_megabytes_in_chunks_are_refused(stage: Stage) -> None:
    connection = stage.http(b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(17):
        connection.send(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
    assert connection.send(b"0\r\n\r\n").status == 413


def test_what_is_not_utf_8_is_read_and_answered_as_latin_1(stage: Stage) -> None:
    move = "(zieh äöü)"
    stage.begin(START)
    stage.engine.arrives(0, [move])
    connection = stage.post("( PLAY m1 NIL ) ; äöü".encode("latin-1"))
    stage.engine.thinks(0, move, final=True)
    assert connection.body == move.encode("latin-1")


def test_utf_8_is_answered_as_utf_8(stage: Stage) -> None:
    move = "(zieh äöü)"
    stage.begin(START)
    stage.engine.arrives(0, [move])
    connection = stage.post("( PLAY m1 NIL ) ; äöü".encode())
    stage.engine.thinks(0, move, final=True)
    assert connection.body == move.encode()


UMLAUTS = "( START m1 x ( (role x) (role o) (init (zelle äöüß))) 10 8 )"


def test_a_body_whose_length_counts_characters_is_read_to_its_end(stage: Stage) -> None:
    head = f"POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Length: {len(UMLAUTS)}\r\n\r\n".encode()
    stage.http(head + UMLAUTS.encode())
    assert stage.engine.begin.rules.endswith("(init (zelle äöüß))")


def test_the_end_of_such_a_body_may_come_later(stage: Stage) -> None:
    body = UMLAUTS.encode()
    connection = stage.http(f"POST / HTTP/1.0\r\nContent-Length: {len(UMLAUTS)}\r\n\r\n".encode() + body[:-4])
    stage.wait(0.1)
    assert not connection.answered
    connection.send(body[-4:])
    stage.wait(0.2)
    assert stage.engine.begin.rules.endswith("(init (zelle äöüß))")


def test_a_body_that_stays_unbalanced_gets_nil_when_the_peer_pauses(stage: Stage) -> None:
    connection = stage.post("( PLAY m1 (zieh äöü)")
    stage.wait(0.2)
    assert connection.reply == "nil"


def test_a_peer_that_hangs_up_on_such_a_body_does_no_harm(stage: Stage) -> None:
    stage.post("( PLAY m1 (zieh äöü)").hangs_up()
    stage.wait(1)
    assert stage.ask("( INFO )") == AVAILABLE


def test_a_chunked_message_is_decoded(stage: Stage) -> None:
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert stage.http(head + b"3\r\n( I\r\n5\r\nNFO )\r\n0\r\n\r\n").reply == AVAILABLE


def test_head_is_answered_with_headers_alone(stage: Stage) -> None:
    connection = stage.http(b"HEAD / HTTP/1.0\r\n\r\n")
    assert connection.status == 200
    assert connection.raw.endswith(b"\r\n\r\n")
    assert connection.closed


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "PATCH", "TRACE", "BREW"])
def test_other_verbs_are_not_allowed(stage: Stage, verb: str) -> None:
    connection = stage.http(f"{verb} / HTTP/1.0\r\n\r\n".encode())
    assert connection.status == 405
    assert "POST" in connection.headers["allow"]


def test_a_peer_that_hangs_up_in_mid_turn_leaves_the_match_alive(stage: Stage) -> None:
    engine = stage.begin()
    engine.arrives(0)
    stage.post("( PLAY m1 NIL )").hangs_up()
    stage.wait(8)
    again = stage.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[2], final=True)
    assert again.reply == MARKS[2]
    assert not engine.killed


# ---- Syntax ----


@pytest.mark.parametrize("text", ["( PLAY m1 NIL", "( PLAY m1 ((mark 1 1) noop )", ")", "(((("])
def test_an_unbalanced_message_gets_nil_and_keeps_the_match(stage: Stage, text: str) -> None:
    engine = stage.first_turn()
    assert stage.ask(text) == "nil"
    assert stage.ask("( PLAY m1 NIL )") == MARKS[1]
    assert not engine.killed


def test_only_the_first_expression_of_a_message_counts(stage: Stage) -> None:
    assert stage.ask("( INFO ) ) junk ( ABORT m1 )") == AVAILABLE


@pytest.mark.parametrize("shape", ["{open}{close}", "(PLAY m1 {open}a{close})", "(PLAY m1 ({open}a{close} noop))"])
def test_nesting_100_000_deep_neither_recurses_nor_crashes(stage: Stage, shape: str) -> None:
    stage.first_turn()
    limit = sys.getrecursionlimit()
    message = parse(shape.format(open="(" * 100_000, close=")" * 100_000))
    assert isinstance(message, Malformed)
    assert stage.ask("( PLAY m1 NIL )") == MARKS[1]
    assert sys.getrecursionlimit() == limit


def test_an_unknown_verb_gets_an_error_text_and_changes_nothing(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask("( RESIGN m1 )") == "error: unknown message RESIGN"
    assert stage.ask("( PLAY m1 NIL )") == MARKS[1]


def test_rules_arrive_with_their_comments_and_line_ends(stage: Stage) -> None:
    rules = "(role x) ; not (balanced\r(role o)\r\n; )))\n(init (step 1))"
    stage.post(f"( START m1 x ({rules}) 10 8 )")
    assert stage.engine.begin.rules == rules


# ---- START ----


def test_start_with_the_same_id_again_is_ready(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask(START) == "ready"
    assert len(stage.engines.taken) == 1


def test_start_sent_twice_at_once_is_answered_once_the_engine_is_ready(stage: Stage) -> None:
    stage.post(START)
    second = stage.post(START)
    stage.engine.reads_rules()
    stage.engine.has_network()
    assert second.reply == "ready"
    assert len(stage.engines.taken) == 1


def test_start_of_another_match_while_playing_is_busy(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask(START.replace("m1", "m2")) == "busy"
    assert stage.ask("( INFO )") == BUSY
    assert stage.ask("( PLAY m1 NIL )") == MARKS[1]


def test_a_dead_match_is_taken_over_by_the_next_start(stage: Stage) -> None:
    old = stage.first_turn()
    stage.wait(2 * 8 + 16)
    assert old.killed
    assert stage.begin(START.replace("m1", "m2")) is not old


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
    stage: Stage, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    start = stage.post(START)
    stage.engine.refuses(reason)
    assert start.reply == "busy"
    assert reason in caplog.text
    assert stage.ask("( INFO )") == AVAILABLE
    assert stage.engine.killed


@pytest.mark.parametrize("clocks", ["ten 8", "10 (8)", "10 nan", "inf 8", "10"])
def test_a_clock_that_is_no_number_is_busy_with_the_reason_logged(
    stage: Stage, clocks: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert stage.ask(f"( START m1 x ((role x)) {clocks} )") == "busy"
    assert "START" in caplog.text
    assert not stage.engines.taken


def test_start_with_more_arguments_ignores_them(stage: Stage) -> None:
    stage.begin("( START m1 x ( (role x) (role o) ) 10 8 (and more) 7 )")


def test_grounding_that_is_too_slow_is_ready_on_time_and_plays_on_the_interpreter(stage: Stage) -> None:
    start = stage.post(START)
    stage.engine.reads_rules()
    stage.engine.arrives(0)
    stage.wait(8.9)
    assert not start.answered
    stage.wait(0.1)
    assert start.reply == "ready"
    play = stage.post("( PLAY m1 NIL )")
    stage.engine.hears()
    stage.wait(7)
    assert play.reply == MARKS[0]


def test_grounding_that_is_too_large_is_ready_and_plays_on_the_interpreter(stage: Stage) -> None:
    start = stage.post(START)
    stage.engine.reads_rules()
    stage.engine.has_no_network("2,048 MB are not enough")
    assert start.reply == "ready"


def test_the_network_takes_over_in_mid_match(stage: Stage) -> None:
    stage.post(START)
    stage.engine.reads_rules()
    stage.engine.arrives(0)
    play = stage.post("( PLAY m1 NIL )")
    stage.engine.has_network()
    stage.engine.arrives(0)
    stage.engine.thinks(0, MARKS[2])
    stage.wait(7)
    assert play.reply == MARKS[2]


@pytest.mark.parametrize("clock", ["0", "-5"])
def test_start_without_time_is_ready_at_once_and_plays_at_once(stage: Stage, clock: str) -> None:
    start = stage.post(f"( START m1 x ( (role x) (role o) ) {clock} {clock} )")
    stage.wait(0)
    assert start.reply == "ready"
    play = stage.post("( PLAY m1 NIL )")
    stage.wait(0)
    assert not play.answered
    stage.engine.reads_rules()
    stage.engine.arrives(0)
    assert play.reply == MARKS[0]


# ---- PLAY ----


def test_play_of_an_unknown_match_is_busy(stage: Stage) -> None:
    assert stage.ask("( PLAY m9 NIL )") == "busy"
    stage.first_turn()
    assert stage.ask("( PLAY m9 NIL )") == "busy"


def test_play_after_stop_is_busy(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask("( STOP m1 (noop noop) )") == "done"
    assert stage.ask("( PLAY m1 (noop noop) )") == "busy"


def test_nil_in_mid_match_gets_the_last_reply_again(stage: Stage) -> None:
    engine = stage.first_turn()
    assert stage.ask("( PLAY m1 NIL )") == MARKS[1]
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1)
    engine.thinks(1, MARKS[2], final=True)
    assert play.reply == MARKS[2]
    assert stage.ask("( PLAY m1 NIL )") == MARKS[2]


@pytest.mark.parametrize("moves", ["(noop)", "(a b c)", "()", "noop"])
def test_a_wrong_number_of_moves_does_not_advance_and_gets_a_legal_move(stage: Stage, moves: str) -> None:
    engine = stage.first_turn()
    assert stage.ask(f"( PLAY m1 {moves} )") in MARKS
    assert not engine.history
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    assert engine.history == (("(mark 1 2)", "noop"),)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"


def test_gdl_ii_arguments_do_not_advance_and_get_a_legal_move(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask("( PLAY m1 1 (mark 1 2) ((sees a)) )") in MARKS


def test_an_illegal_move_of_another_role_stays_in_step(stage: Stage) -> None:
    engine = stage.first_turn()
    play = stage.post("( PLAY m1 ((mark 1 2) (fly to the moon)) )")
    assert engine.history == (("(mark 1 2)", "(fly to the moon)"),)
    engine.arrives(1)
    engine.thinks(1, MARKS[0], final=True)
    assert play.reply == MARKS[0]


def test_the_managers_move_counts_where_it_replaced_ours(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    engine = stage.first_turn(MARKS[1])
    stage.post("( PLAY m1 ((mark 1 3) noop) )")
    assert engine.history == (("(mark 1 3)", "noop"),)
    assert f"the manager replaced our move {MARKS[1]}" in caplog.text


def test_of_two_plays_at_once_the_older_is_cancelled(stage: Stage) -> None:
    engine = stage.begin()
    engine.arrives(0)
    older = stage.post("( PLAY m1 NIL )")
    newer = stage.post("( PLAY m1 NIL )")
    assert older.reply == "busy"
    engine.thinks(0, MARKS[2], final=True)
    assert newer.reply == MARKS[2]


def test_a_turn_that_is_sent_twice_is_one_turn(stage: Stage) -> None:
    engine = stage.first_turn()
    turn = "( PLAY m1 ((mark 1 2) noop) )"
    stage.post(turn)
    newer = stage.post(turn)
    assert engine.history == (("(mark 1 2)", "noop"),)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert newer.reply == "noop"
    assert stage.ask(turn) == "noop"


def test_the_same_joint_move_twice_in_a_row_is_two_turns(stage: Stage) -> None:
    engine = stage.first_turn("noop")
    turn = "( PLAY m1 (noop noop) )"
    play = stage.post(turn)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"
    stage.post(turn)
    assert engine.history == (("noop", "noop"),) * 2


def test_a_terminal_state_gets_nil(stage: Stage) -> None:
    engine = stage.first_turn()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1, MARKS, goals=[100, 0])
    assert play.reply == "nil"


def test_a_state_without_legal_moves_gets_nil(stage: Stage) -> None:
    engine = stage.first_turn()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1, [])
    assert play.reply == "nil"


def test_an_engine_crash_gets_a_legal_move_and_a_new_engine(stage: Stage) -> None:
    engine = stage.first_turn()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1)
    engine.dies()
    assert len(stage.engines.taken) == 2
    assert stage.engine.begin == engine.begin
    assert stage.engine.history == (("(mark 1 2)", "noop"),)
    stage.wait(7)
    assert play.reply == MARKS[0]


def test_a_crash_before_the_position_is_known_gets_a_legal_move_all_the_same(stage: Stage) -> None:
    engine = stage.first_turn()
    stage.wait(2)
    stage.standby.reads_rules()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    assert stage.standby.history == engine.history
    stage.standby.arrives(1, ["noop"])
    engine.dies()
    stage.wait(7)
    assert play.reply == "noop"


def test_engines_that_crash_every_turn_never_lead_to_an_illegal_move(stage: Stage) -> None:
    stage.first_turn()
    turns = {"((mark 1 2) noop)": "noop", "(noop (mark 2 1))": "(mark 3 3)", "((mark 3 3) noop)": "noop"}
    for step, (moves, legal) in enumerate(turns.items(), 1):
        stage.wait(2)
        standby = stage.standby
        play = stage.post(f"( PLAY m1 {moves} )")
        stage.engine.dies()
        assert stage.engine is standby
        standby.arrives(step, [legal])
        stage.wait(7)
        assert play.reply == legal


def test_the_engine_that_stands_by_takes_over_the_thinking(stage: Stage) -> None:
    stage.first_turn()
    stage.wait(2)
    standby = stage.standby
    stage.engine.dies()
    assert standby.thinking == Think(MACHINES)
    standby.has_network()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    standby.arrives(1)
    standby.thinks(1, MARKS[2], final=True)
    assert play.reply == MARKS[2]
    assert stage.standby is not standby


def test_an_engine_that_stands_by_and_dies_is_replaced_without_harm(stage: Stage) -> None:
    engine = stage.first_turn()
    stage.wait(2)
    lost = stage.standby
    lost.dies()
    stage.wait(1)
    assert stage.standby is not lost
    assert stage.engine is engine
    assert not engine.killed


def test_two_crashes_within_a_second_leave_an_engine_that_stands_by(stage: Stage) -> None:
    stage.first_turn()
    stage.wait(2)
    stage.engine.dies()
    stage.engine.dies()
    assert stage.engine.thinking == Think(("rules",))
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    stage.standby.arrives(1, ["noop"])
    stage.wait(7)
    assert play.reply == "noop"


def test_both_engines_end_with_the_match(stage: Stage) -> None:
    stage.first_turn()
    stage.wait(2)
    assert len(stage.engines.taken) == 2
    assert stage.ask("( ABORT m1 )") == "aborted"
    stage.wait(10)
    assert [engine.killed for engine in stage.engines.taken] == [True, True]


def test_an_engine_that_is_late_once_while_a_legal_move_is_known_is_kept(stage: Stage) -> None:
    engine = stage.first_turn()
    stage.wait(2)
    standby = stage.standby
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    standby.arrives(1)
    stage.wait(7)
    assert play.reply in MARKS
    assert not engine.killed
    stage.post("( PLAY m1 ((mark 1 3) noop) )")
    standby.arrives(2)
    stage.wait(4)
    assert engine.killed
    assert stage.engine is standby


def test_a_new_engine_takes_the_match_on(stage: Stage) -> None:
    stage.first_turn().dies()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    stage.engine.reads_rules()
    stage.engine.arrives(1)
    stage.engine.thinks(1, MARKS[2])
    stage.wait(7)
    assert play.reply == MARKS[2]


def test_an_engine_that_crashes_again_is_replaced_by_one_without_a_network(stage: Stage) -> None:
    stage.first_turn().dies()
    stage.engine.dies()
    assert stage.engine.thinking == Think(("rules",))


def test_engines_that_keep_crashing_are_replaced_at_a_measured_pace(stage: Stage) -> None:
    stage.first_turn()
    for _ in range(3):
        stage.engine.dies()
    taken = len(stage.engines.taken)
    stage.post("( PLAY m1 ((mark 1 2) noop) )")
    stage.wait(1)
    assert len(stage.engines.taken) == taken + 1
    assert stage.engine.history == (("(mark 1 2)", "noop"),)


def test_an_engine_that_hangs_is_replaced_in_time(stage: Stage) -> None:
    hung = stage.first_turn()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    stage.wait(4)
    assert hung.killed
    stage.engine.reads_rules()
    stage.engine.arrives(1)
    stage.wait(3)
    assert play.reply == MARKS[0]


def test_a_slow_interpreter_is_not_taken_for_an_engine_that_hangs(stage: Stage) -> None:
    stage.post(START)
    stage.engine.reads_rules()
    stage.post("( PLAY m1 NIL )")
    stage.engine.hears()
    stage.wait(4)
    assert not stage.engine.killed


def test_late_means_the_best_so_far(stage: Stage) -> None:
    engine = stage.begin()
    engine.arrives(0)
    play = stage.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[1])
    engine.thinks(0, MARKS[2])
    stage.wait(6.9)
    assert not play.answered
    stage.wait(0.1)
    assert play.reply == MARKS[2]


def test_without_any_engine_an_answer_leaves_before_the_clock(stage: Stage) -> None:
    stage.first_turn()
    stage.engine.dies()
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    stage.wait(7.8)
    assert play.reply in {MARKS[0], MARKS[2]}


def test_what_the_engine_says_of_an_earlier_step_is_not_answered(stage: Stage) -> None:
    engine = stage.first_turn(MARKS[1])
    play = stage.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.thinks(0, MARKS[0], final=True)
    assert not play.answered


# ---- The end ----


@pytest.mark.parametrize("moves", ["NIL", "nil", "noop", "", "(noop noop)", "((mark 1 2) noop)"])
def test_stop_with_whatever_moves_is_done(stage: Stage, moves: str) -> None:
    stage.first_turn()
    assert stage.ask(f"( STOP m1 {moves} )") == "done"
    assert stage.ask("( INFO )") == AVAILABLE


def test_stop_of_another_match_is_busy(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask("( STOP m2 (noop noop) )") == "busy"
    assert stage.ask("( INFO )") == BUSY


def test_abort_of_another_match_is_busy(stage: Stage) -> None:
    stage.first_turn()
    assert stage.ask("( ABORT m2 )") == "busy"


def test_abort_while_a_play_waits_is_aborted_at_once(stage: Stage) -> None:
    engine = stage.begin()
    engine.arrives(0)
    play = stage.post("( PLAY m1 NIL )")
    assert stage.ask("( ABORT m1 )") == "aborted"
    assert play.answered
    assert engine.killed
    assert stage.ask("( INFO )") == AVAILABLE


def test_abort_while_start_waits_is_aborted_at_once(stage: Stage) -> None:
    start = stage.post(START)
    assert stage.ask("( ABORT m1 )") == "aborted"
    assert start.reply == "busy"
    assert stage.engine.killed


def test_a_match_that_is_never_stopped_dies_by_a_timer(stage: Stage) -> None:
    engine = stage.first_turn()
    stage.wait(2 * 8 + 14)
    assert stage.ask("( INFO )") == BUSY
    stage.wait(2)
    assert stage.ask("( INFO )") == AVAILABLE
    assert engine.killed


def test_messages_keep_a_match_alive(stage: Stage) -> None:
    stage.first_turn()
    for _ in range(3):
        stage.wait(2 * 8 + 14)
        assert stage.ask("( PLAY m1 NIL )") == MARKS[1]


def test_missing_goals_count_as_50_and_are_logged(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    engine = stage.first_turn()
    stage.ask("( STOP m1 ((mark 1 2) noop) )")
    engine.arrives(1, [], goals=[100, None])
    assert "no goal for o: counted as 50" in caplog.text
    assert "x 100, o 50" in caplog.text
    assert engine.killed


def test_an_engine_that_never_tells_the_result_is_let_go(stage: Stage) -> None:
    engine = stage.first_turn()
    stage.ask("( STOP m1 ((mark 1 2) noop) )")
    assert not engine.killed
    stage.wait(6)
    assert engine.killed
