"""A running player under hostile traffic, over real sockets: a legal move always, and an end when it is told to."""

from __future__ import annotations

import random
import signal

import pytest

from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.sampling import SamplingInterpreter
from tests.support.many_moves import MILLION, PUT_SIX
from tests.support.served import TIC_TAC_TOE, Rules, Served, ggp_base

NEVER_READ = """
import sys, threading
from ludens.agent.server import server

quick = server.parse
server.parse = lambda text: quick(text) if len(text) < 4096 else threading.Event().wait()
from ludens.agent.commands.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("hangs_up", [True, False])
def test_a_message_that_is_still_being_read_does_not_keep_the_player_from_ending(hangs_up: bool) -> None:
    served = Served(code=("-c", NEVER_READ))
    connection = served.connect(ggp_base(f"( PLAY m ({'a ' * 5000}) )"))
    assert "available" in served.ggp_base("( INFO )")
    if hangs_up:
        connection.close()
    served.stop(signal.SIGTERM)
    connection.close()


def test_wrong_messages_about_our_own_moves_cost_no_answer(player: Served) -> None:
    """The manager plays our answers, but tells nonsense in their place every time."""
    rules = Rules(TIC_TAC_TOE, "cross")
    assert player.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 1 )") == "ready"
    message = "( PLAY m NIL )"
    for wrong in ("(mark 9 9)", "noop", "?x", "(mark 1 1 1)", "nil") * 2:
        move = player.ggp_base(message)
        assert move in rules.legal()
        told = rules.play(move)
        if rules.over:
            break
        message = f"( PLAY m ({wrong} {told[1]}) )"


@pytest.mark.parametrize("text", [MILLION, PUT_SIX])
def test_rules_with_very_many_moves_get_legal_answers(player: Served, text: str) -> None:
    rules = SamplingInterpreter(parse_rules(text), random.Random(1))
    state = rules.initial()
    assert player.ggp_base(f"( START m r ({text}) 3 2 )") == "ready"
    message = "( PLAY m NIL )"
    for _ in range(3):
        move = player.ggp_base(message)
        assert rules.is_legal(state, "r", parse_term(move)), move
        moves = [parse_term(move), *(rules.legal_sample(state, role, 1)[0][0] for role in rules.roles[1:])]
        state = rules.next(state, moves)
        if rules.terminal(state):  # the first of all moves ends the game, and is made where no search has had the time
            break
        message = f"( PLAY m ({' '.join(map(str, moves))}) )"


def test_megabytes_of_remarks_in_a_start_and_of_moves_in_a_play_cost_no_answer(player: Served) -> None:
    rules = Rules(TIC_TAC_TOE, "cross")
    start = f"( START m cross ({TIC_TAC_TOE}{'; nothing' * 9 + chr(10)}) 5 2 )".replace(
        "\n", "\n" + "; a remark\n" * 4000
    )
    assert player.ggp_base(start) == "ready"
    move = player.ggp_base("( PLAY m NIL )")
    assert move in rules.legal()
    assert player.ggp_base(f"( PLAY m ({'(mark 1 1) ' * 300_000}) )") in rules.legal()
    assert player.ggp_base(f"( PLAY m ({' '.join(rules.play(move))}) )") in rules.legal()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_fault(player: Served, encoding: str) -> None:
    body = f"( START m cross ({TIC_TAC_TOE}) 10 1 )".encode(encoding)
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    assert player.exchange(head + body)[1] == b"ready"
