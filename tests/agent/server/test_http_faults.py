"""What a player does about faults of HTTP and of the syntax of messages, all of which managers have shown."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

import pytest
from twisted.internet.testing import StringTransport
from twisted.web.http import HTTPChannel, Request

from ludens.agent.protocol.messages import Malformed, parse
from ludens.agent.server import server
from tests.support.player_harness import AVAILABLE, MARKS, START, PlayerHarness
from tests.support.small_match import at_once


def test_an_empty_body_is_answered_as_info(harness: PlayerHarness) -> None:
    assert harness.post("").reply == AVAILABLE


def test_a_post_without_content_length_is_answered_as_info(harness: PlayerHarness) -> None:
    assert harness.http(b"POST / HTTP/1.0\r\nSender: GAMESERVER\r\n\r\n").reply == AVAILABLE


def test_lines_may_end_without_cr(harness: PlayerHarness) -> None:
    """So ggp-base's manager writes them on Linux, by the println of Java."""
    head = b"POST / HTTP/1.0\nAccept: text/delim\nSender: GAMESERVER\nContent-Length: 8\n\n"
    assert harness.http(head + b"( INFO )").reply == AVAILABLE
    assert harness.http(head).send(b"( INFO )").reply == AVAILABLE


def test_a_length_that_is_too_long_times_out_and_closes(harness: PlayerHarness) -> None:
    connection = harness.http(b"POST / HTTP/1.0\r\nContent-Length: 50\r\n\r\n( INFO )")
    harness.wait(29)
    assert not connection.closed
    harness.wait(2)
    assert connection.closed
    assert not connection.answered


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "0x10"])
def test_a_length_that_is_no_number_is_a_bad_request(harness: PlayerHarness, length: str) -> None:
    connection = harness.http(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n( INFO )".encode())
    assert connection.status == 400
    assert connection.closed


@pytest.mark.parametrize(
    "start", [b"POST / HT", b"POST / HTTP/1.0\r\nX: ", b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n"]
)
def test_a_peer_that_drips_bytes_is_shut_out(harness: PlayerHarness, start: bytes) -> None:
    connection = harness.http(start)
    for _ in range(31):
        harness.wait(1)
        if not connection.closed:
            connection.send(b"a")
    assert connection.closed
    assert harness.ask("( INFO )") == AVAILABLE


def test_a_connection_that_stays_idle_is_closed(harness: PlayerHarness) -> None:
    connection = harness.connect()
    harness.wait(31)
    assert connection.closed


def test_of_a_thousand_connections_without_a_request_the_oldest_go_and_the_others_are_answered(
    harness: PlayerHarness,
) -> None:
    engine = harness.begin()
    engine.arrives(0)
    play = harness.post("( PLAY m1 NIL )")
    idle = [harness.connect() for _ in range(1000)]
    late = harness.http(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( IN")
    assert 100 <= sum(not connection.closed for connection in idle) <= 300
    assert idle[0].closed
    assert not idle[-1].closed
    assert late.send(b"FO )").reply.endswith("( status busy ) )")
    assert not play.closed
    engine.thinks(0, MARKS[2], final=True)
    assert play.reply == MARKS[2]


def test_a_request_that_has_begun_stays_however_many_connections_say_nothing(harness: PlayerHarness) -> None:
    begun = harness.http(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( IN")
    for _ in range(1000):
        harness.connect()
    assert not begun.closed
    assert begun.send(b"FO )").reply == AVAILABLE


def test_of_a_thousand_requests_that_have_begun_the_oldest_go_once_nobody_says_nothing(harness: PlayerHarness) -> None:
    begun = [harness.http(b"POST") for _ in range(50)]
    silent = harness.connect()
    begun += [harness.http(b"POST") for _ in range(150)]
    assert silent.closed
    assert not begun[0].closed
    begun += [harness.http(b"POST") for _ in range(800)]
    assert 100 <= sum(not connection.closed for connection in begun) <= 300
    assert begun[0].closed
    assert not begun[-1].closed
    assert harness.ask("( INFO )") == AVAILABLE


def test_connections_that_have_ended_do_not_count(harness: PlayerHarness) -> None:
    first = harness.connect()
    for _ in range(1000):
        harness.connect().hangs_up()
        harness.ask("( INFO )")
    assert not first.closed


def test_more_than_16_megabytes_are_refused(harness: PlayerHarness) -> None:
    body = b"( INFO )" + b" " * (16 << 20)
    assert harness.post(body).status == 413
    assert harness.ask("( INFO )") == AVAILABLE


def test_more_than_16_megabytes_in_chunks_are_refused(harness: PlayerHarness) -> None:
    connection = harness.http(b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(17):
        connection.send(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
    assert connection.send(b"0\r\n\r\n").status == 413


def test_what_is_not_utf_8_is_read_and_answered_as_latin_1(harness: PlayerHarness) -> None:
    move = "(zieh äöü)"
    harness.begin(START)
    harness.engine.arrives(0, [move])
    connection = harness.post("( PLAY m1 NIL ) ; äöü".encode("latin-1"))
    harness.engine.thinks(0, move, final=True)
    assert connection.body == move.encode("latin-1")


def test_utf_8_is_answered_as_utf_8(harness: PlayerHarness) -> None:
    move = "(zieh äöü)"
    harness.begin(START)
    harness.engine.arrives(0, [move])
    connection = harness.post("( PLAY m1 NIL ) ; äöü".encode())
    harness.engine.thinks(0, move, final=True)
    assert connection.body == move.encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_taken_as_such(harness: PlayerHarness, encoding: str) -> None:
    assert harness.post("".encode(encoding)).reply == AVAILABLE
    move = "(zieh äöü)"
    harness.post(START.encode(encoding))
    harness.engine.reads_rules()
    harness.engine.arrives(0, [move])
    harness.engine.has_network()
    connection = harness.post(f"( PLAY m1 NIL ) ; {move}".encode(encoding))
    harness.engine.thinks(0, move, final=True)
    assert connection.body == move.encode()


UMLAUTS = "( START m1 x ( (role x) (role o) (init (zelle äöüß))) 10 8 )"


def test_a_body_whose_length_counts_characters_is_read_to_its_end(harness: PlayerHarness) -> None:
    head = f"POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Length: {len(UMLAUTS)}\r\n\r\n".encode()
    harness.http(head + UMLAUTS.encode())
    assert harness.engine.begin.rules.endswith("(init (zelle äöüß))")


def test_the_end_of_such_a_body_may_come_later(harness: PlayerHarness) -> None:
    body = UMLAUTS.encode()
    connection = harness.http(f"POST / HTTP/1.0\r\nContent-Length: {len(UMLAUTS)}\r\n\r\n".encode() + body[:-4])
    harness.wait(0.1)
    assert not connection.answered
    connection.send(body[-4:])
    harness.wait(0.2)
    assert harness.engine.begin.rules.endswith("(init (zelle äöüß))")


def test_such_a_body_may_be_far_longer_than_it_says(harness: PlayerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "in_thread", at_once)
    rules = f"(init (zelle {'ä' * 20_000}))"
    body = f"( START m1 x ( (role x) (role o) {rules}) 10 8 )"
    connection = harness.http(f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode())
    parts = [body.encode()[place : place + 1400] for place in range(0, len(body.encode()), 1400)]
    for part in parts:
        if not connection.paused:
            connection.send(part)
    harness.wait(0.2)
    assert harness.engine.begin.rules.endswith(rules)


def test_each_byte_of_such_a_body_is_looked_at_a_few_times_however_many_parts_it_comes_in(
    harness: PlayerHarness,
) -> None:
    parts, size, looked_at = 100, 1000, 0

    def count(_frame: object, event: str, called: Any) -> None:
        nonlocal looked_at
        text = getattr(called, "__self__", None) if event == "c_call" else None
        looked_at += len(text) if isinstance(text, bytes) else 0

    connection = harness.post("( PLAY m1 (zieh ä")
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for _ in range(parts):
            connection.send(b"x" * size)
            harness.wait(0.1)
    finally:
        sys.setprofile(before)
    assert not connection.answered
    assert looked_at < 10 * parts * size


def test_nothing_is_used_that_twisted_calls_its_own() -> None:
    """Another version of twisted may have other attributes, and ours must not stand in for them."""
    channel = HTTPChannel()
    channel.makeConnection(StringTransport())
    for ours, theirs in ((server.PlayerChannel, channel), (server.PlayerRequest, Request(channel))):
        tree = ast.parse(inspect.getsource(ours))
        named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        named |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        private = {name for name in named if name.startswith("_")}
        assert private
        assert private.isdisjoint(dir(theirs))


def test_what_comes_behind_such_a_body_counts_as_part_of_it() -> None:
    small = PlayerHarness(body_mb=1)
    body = "( START m1 x ( ä".encode()
    connection = small.http(f"POST / HTTP/1.0\r\nContent-Length: {len(body) - 1}\r\n\r\n".encode() + body)
    connection.send(b"a" * (1 << 20))
    small.wait(0.2)
    assert connection.status == 413


def test_a_body_that_stays_unbalanced_gets_nil_when_the_peer_pauses(harness: PlayerHarness) -> None:
    connection = harness.post("( PLAY m1 (zieh äöü)")
    harness.wait(0.2)
    assert connection.reply == "nil"


def test_a_peer_that_drips_bytes_behind_such_a_body_is_answered(harness: PlayerHarness) -> None:
    connection = harness.post("( PLAY m1 (zieh äöü)")
    for _ in range(400):
        harness.wait(0.1)
        if not connection.answered:
            connection.send(b"a")
    assert connection.reply == "nil"


def test_a_peer_that_hangs_up_on_such_a_body_does_no_harm(harness: PlayerHarness) -> None:
    harness.post("( PLAY m1 (zieh äöü)").hangs_up()
    harness.wait(1)
    assert harness.ask("( INFO )") == AVAILABLE


def test_a_chunked_message_is_decoded(harness: PlayerHarness) -> None:
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert harness.http(head + b"3\r\n( I\r\n5\r\nNFO )\r\n0\r\n\r\n").reply == AVAILABLE


def test_head_is_answered_with_headers_alone(harness: PlayerHarness) -> None:
    connection = harness.http(b"HEAD / HTTP/1.0\r\n\r\n")
    assert connection.status == 200
    assert connection.raw.endswith(b"\r\n\r\n")
    assert connection.closed


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "PATCH", "TRACE", "BREW"])
def test_other_verbs_are_not_allowed(harness: PlayerHarness, verb: str) -> None:
    connection = harness.http(f"{verb} / HTTP/1.0\r\n\r\n".encode())
    assert connection.status == 405
    assert "POST" in connection.headers["allow"]


def test_a_peer_that_hangs_up_in_mid_turn_leaves_the_match_alive(harness: PlayerHarness) -> None:
    engine = harness.begin()
    engine.arrives(0)
    harness.post("( PLAY m1 NIL )").hangs_up()
    harness.wait(8)
    again = harness.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[2], final=True)
    assert again.reply == MARKS[2]
    assert not engine.killed


def test_a_peer_that_ends_its_sending_half_is_answered_when_there_is_an_answer(harness: PlayerHarness) -> None:
    """As one that pipes a message into a connection."""
    engine = harness.begin()
    play = harness.post("( PLAY m1 NIL )").ends_sending()
    assert not play.closed
    engine.thinks(0, MARKS[2], final=True)
    assert play.reply == MARKS[2]


@pytest.mark.parametrize("start", [b"", b"POST / HT", b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n( PLAY"])
def test_a_peer_that_ends_its_sending_half_within_a_request_is_let_go(start: bytes, harness: PlayerHarness) -> None:
    connection = harness.http(start).ends_sending()
    assert connection.closed
    assert not connection.answered


def test_a_peer_that_ends_its_sending_half_behind_a_body_that_may_be_cut_short_is_answered(
    harness: PlayerHarness,
) -> None:
    connection = harness.post("( PLAY m1 (zieh äöü)").ends_sending()
    harness.wait(0.2)
    assert connection.reply == "nil"


@pytest.mark.parametrize("text", ["( PLAY m1 NIL", "( PLAY m1 ((mark 1 1) noop )", ")", "(((("])
def test_an_unbalanced_message_gets_nil_and_keeps_the_match(harness: PlayerHarness, text: str) -> None:
    engine = harness.first_turn()
    assert harness.ask(text) == "nil"
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]
    assert not engine.killed


def test_only_the_first_expression_of_a_message_counts(harness: PlayerHarness) -> None:
    assert harness.ask("( INFO ) ) junk ( ABORT m1 )") == AVAILABLE


@pytest.mark.parametrize("shape", ["{open}{close}", "(PLAY m1 {open}a{close})", "(PLAY m1 ({open}a{close} noop))"])
def test_nesting_100_000_deep_neither_recurses_nor_crashes(harness: PlayerHarness, shape: str) -> None:
    harness.first_turn()
    limit = sys.getrecursionlimit()
    message = parse(shape.format(open="(" * 100_000, close=")" * 100_000))
    assert isinstance(message, Malformed)
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]
    assert sys.getrecursionlimit() == limit


def test_an_unknown_verb_gets_an_error_text_and_changes_nothing(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask("( RESIGN m1 )") == "error: unknown message RESIGN"
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]


def test_rules_arrive_with_their_comments_and_line_ends(harness: PlayerHarness) -> None:
    rules = "(role x) ; not (balanced\r(role o)\r\n; )))\n(init (step 1))"
    harness.post(f"( START m1 x ({rules}) 10 8 )")
    assert harness.engine.begin.rules == rules
