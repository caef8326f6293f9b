"""A player that runs, over real sockets, in the bytes that the two real Game Managers send."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor

from ludens import games
from ludens.agent.manager.client import ask
from ludens.agent.protocol.match import Match
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.server.registration import ways_to_register
from ludens.agent.server.server import listen
from ludens.agent.settings.addresses import Address
from ludens.agent.settings.options import PlayerOptions
from tests.support.paths import ROOT
from tests.support.served import TIC_TAC_TOE, Rules, Served, ggp_base, in_one_line, read_to_end
from tests.support.waiting import PATIENCE, until

# ---- Whole matches ----


def test_a_match_of_the_dresden_manager_in_upper_case(player: Served) -> None:
    text = in_one_line(TIC_TAC_TOE).upper()
    rules = Rules(text, "CROSS")
    assert player.dresden(f"(START m CROSS ({text}) 5 1)") == "ready"
    message = "(PLAY m NIL)"
    while True:
        move = player.dresden(message)
        assert move in rules.legal()
        moves = rules.play(move)
        if rules.over:
            break
        message = f"(PLAY m ({' '.join(moves)}))"
    assert player.dresden(f"(STOP m ({' '.join(moves)}))") == "done"


def test_a_match_of_ggp_bases_manager_that_leaves_no_time(player: Served) -> None:
    rules = Rules(TIC_TAC_TOE, "nought")
    assert player.ggp_base(f"( START m nought ({in_one_line(TIC_TAC_TOE)} ) 0 0)") == "ready"
    message = "( PLAY m NIL )"
    while True:
        move = player.ggp_base(message)
        assert move in rules.legal()
        moves = rules.play(move)
        if rules.over:
            break
        message = f"( PLAY m ({' '.join(moves)} ) )"
    assert player.ggp_base(f"( STOP m ({' '.join(moves)} ) )") == "done"
    assert "available" in player.ggp_base("( INFO )")


def test_a_start_as_long_as_any_is_read_from_a_file_in_a_thread(player: Served) -> None:
    remarks = "; a long remark about nothing at all\n" * 5000
    assert player.ggp_base(f"( START m cross ({remarks}{TIC_TAC_TOE}) 10 1 )") == "ready"
    assert "(mark" in player.ggp_base("( PLAY m NIL )")


def test_a_match_goes_on_when_its_engine_is_killed(player: Served) -> None:
    assert player.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 4 )") == "ready"
    with player.connect(ggp_base("( PLAY m NIL )")) as connection:
        for engine in player.engines():
            with contextlib.suppress(ProcessLookupError):
                os.kill(engine, signal.SIGKILL)
        reply = read_to_end(connection).decode()
    assert reply.rpartition("\r\n")[2] in Rules(TIC_TAC_TOE, "cross").legal()
    rules = Rules(TIC_TAC_TOE, "cross")
    moves = rules.play("(mark 2 2)")
    assert player.ggp_base(f"( PLAY m ({' '.join(moves)}) )") in rules.legal()


def test_a_match_goes_on_when_its_engine_hangs(player: Served) -> None:
    assert player.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 6 )") == "ready"
    os.kill(player.engines()[0], signal.SIGSTOP)  # the one that thinks
    rules = Rules(TIC_TAC_TOE, "cross")
    moves = rules.play("(mark 2 2)")
    assert player.ggp_base(f"( PLAY m ({' '.join(moves)}) )") in rules.legal()


def test_abort_ends_a_match_at_once_while_a_play_waits(player: Served) -> None:
    """Connect four is not solved, so that an answer would come at the end of the clock: after a day."""
    assert player.ggp_base(f"( START m red ({games.read('connect_four')}) 10 86400 )") == "ready"
    with player.connect(ggp_base("( PLAY m NIL )")) as connection:
        assert player.ggp_base("( ABORT m )") == "aborted"
        assert read_to_end(connection)
    assert "available" in player.ggp_base("( INFO )")


def test_a_match_that_falls_silent_is_given_up() -> None:
    served = Served("--patience", "3")
    began = time.monotonic()
    assert served.dresden(f"(START m cross ({TIC_TAC_TOE}) 0 0)") == "ready"
    busy = "busy" in served.ggp_base("( INFO )")
    assert busy or time.monotonic() - began >= 3
    until(lambda: "busy" not in served.ggp_base("( INFO )"))
    served.stop()


# ---- Being found ----


def test_messages_come_by_get_too(player: Served) -> None:
    path = quote_plus("( INFO )").encode()
    for uri in (b"/" + path, b"/?" + path, b"/%28%20INFO%20%29", b"/"):
        assert b"( name Tester )" in player.exchange(b"GET " + uri + b" HTTP/1.0\r\n\r\n")[1]


def test_a_whole_start_comes_by_get(player: Served) -> None:
    message = quote_plus(f"( START m cross ({TIC_TAC_TOE}{' ' * 70_000}) 10 5 )").encode()
    assert player.exchange(b"GET /" + message + b" HTTP/1.0\r\n\r\n")[1] == b"ready"


def test_browsers_on_other_pages_may_ask(player: Served) -> None:
    head, body = player.exchange(b"OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: http://ggp.stanford.edu\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert b"Access-Control-Allow-Origin: http://ggp.stanford.edu\r\n" in head
    assert body == b""
    assert player.ggp_base("(ping)") == "ready"


def test_a_program_that_ends_its_sending_half_has_its_answer(player: Served) -> None:
    with player.connect(ggp_base(f"( START m cross ({TIC_TAC_TOE}) 60 1 )")) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert read_to_end(connection).endswith(b"ready")


def test_a_connection_that_asks_to_stay_open_is_closed_all_the_same(player: Served) -> None:
    head, body = player.exchange(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert b"content-length: %d" % len(body) in head.lower()


# ---- The command ----


def test_serve_says_what_to_type_into_each_manager_and_logs_each_turn() -> None:
    served = Served("--strategy", "first", "--name", "Second")
    served.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 2 )")
    move = served.ggp_base("( PLAY m NIL )")
    printed = served.greeting + served.stop()
    for manager in ("ggp-base Server", "GameServerRunner", "Dresden", "Stanford", "ludens match"):
        assert manager in printed
    assert f"127.0.0.1 {served.port} Second" in printed
    assert f"m: step 1: {move}" in printed


def test_ctrl_c_ends_the_player_and_leaves_no_engine() -> None:
    served = Served()
    served.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 60 )")
    engines = served.engines()
    assert engines
    assert "Stopped" in served.stop()
    assert served.process.returncode == 0
    assert not any(Path(f"/proc/{engine}").exists() for engine in engines)


def test_a_busy_port_is_one_clear_line_and_a_failure(served: Served) -> None:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "serve", "--port", str(served.port)]
    second = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE)
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert f"127.0.0.1:{served.port}" in second.stderr
    assert "choose another --port" in second.stderr


@pytest.mark.parametrize("interface", ["203.0.113.7", "no.such.host.invalid"])
def test_an_interface_that_this_machine_lacks_is_one_clear_line_and_a_failure(interface: str) -> None:
    status, printed = Served.refused("--interface", interface)
    assert status == 1
    assert printed.count("\n") == 1
    assert "choose another --interface" in printed


def test_an_address_with_colons_is_written_in_brackets() -> None:
    assert ways_to_register("Name", "::1", 9147)["Ludens"] == "ludens match GAME http://[::1]:9147"


# ---- From a program ----


def result_of(reactor: SelectReactor, work: Coroutine[Any, Any, Any]) -> Any:
    """What comes of a work on a reactor, which handles the ends of engine processes by a signal."""
    found: list[Any] = []

    def begin() -> None:
        Deferred.fromCoroutine(work).addBoth(found.append).addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.run()
    return found[0]


@pytest.mark.parametrize(("once", "replies"), [(True, ["ready", "done"]), (False, ["busy", "busy"])])
def test_a_player_for_one_match_does_not_give_it_up_while_others_think(once: bool, replies: list[str]) -> None:
    reactor = SelectReactor()

    async def play() -> list[str]:
        player = listen(reactor, PlayerOptions(port=0, nodes_mb=16, strategy="random", patience=0), once=once)
        try:
            address = Address.from_url(player.address)
            start = await ask(reactor, address, f"( START m cross ({TIC_TAC_TOE}) 0 0 )", PATIENCE)
            return [start, await ask(reactor, address, "( STOP m NIL )", PATIENCE)]
        finally:
            await player.stop()

    assert result_of(reactor, play()) == replies


def test_a_program_can_listen_hear_thoughts_and_stop() -> None:
    reactor = SelectReactor()
    heard: list[tuple[Match, SearchReport | LogMessage]] = []
    options = PlayerOptions(port=0, nodes_mb=16, strategy="uct")

    async def play() -> list[str]:
        player = listen(reactor, options, lambda match, news: heard.append((match, news)))
        try:
            address = Address.from_url(player.address)
            start = await ask(reactor, address, f"( START m cross ({TIC_TAC_TOE}) 600 600 )", PATIENCE)
            return [start, await ask(reactor, address, "( PLAY m NIL )", PATIENCE)]
        finally:
            await player.stop()

    start, move = result_of(reactor, play())
    assert start == "ready"
    assert move in Rules(TIC_TAC_TOE, "cross").legal()
    reports = [news for _, news in heard if isinstance(news, SearchReport)]
    assert {match.start.match_id for match, _ in heard} == {"m"}
    assert reports[-1].playouts > 0


def test_what_the_way_to_the_manager_takes_is_not_there_for_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.server.server.round_trip", lambda _: PATIENCE)
    reactor, thoughts = SelectReactor(), Deferred[None]()
    clock = int(2 * PATIENCE)  # all of which is taken by the way there and back
    rules = in_one_line(games.read("connect_four"))

    def hear(_match: Match, news: SearchReport | LogMessage) -> None:
        if isinstance(news, SearchReport) and not thoughts.called:
            thoughts.callback(None)

    async def play() -> tuple[str, str]:
        player = listen(reactor, PlayerOptions(port=0, nodes_mb=16, strategy="uct"), hear)
        try:
            address = Address.from_url(player.address)
            start = await ask(reactor, address, f"( START m red ({rules}) {clock} {clock} )", PATIENCE)
            await thoughts
            return start, await ask(reactor, address, "( PLAY m NIL )", PATIENCE)
        finally:
            await player.stop()

    start, move = result_of(reactor, play())
    assert start == "ready"
    assert move.startswith("(drop ")
