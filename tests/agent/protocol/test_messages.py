"""Messages of both Game Managers, letter by letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.agent.protocol.messages import (
    Abort,
    Info,
    Malformed,
    Message,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    abort_text,
    info_reply,
    parse,
    play_text,
    spelled,
    split,
    start_text,
    stop_text,
)
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.parser import parse_term

RULES = " (role white) (role black) "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("info", Info()),
        ("", Info()),
        ("  \r\n ", Info()),
        ("(ping)", Ping()),
        (f"( PREVIEW ({RULES}) 30 )", Preview(RULES)),
        (f"( START m.1 white ({RULES}) 30 10)", Start("m.1", "white", RULES, 30, 10)),
        (f"(START m.1 WHITE ({RULES}) 30 10)", Start("m.1", "WHITE", RULES, 30, 10)),
        (f"(start M.1 white ({RULES}) -1 0)", Start("M.1", "white", RULES, -1, 0)),
        (f"(START m white ({RULES}) 0.5 1e1)", Start("m", "white", RULES, 0.5, 10)),
        ("( PLAY m NIL )", Play("m", None)),
        ("( PLAY m nil )", Play("m", None)),
        ("( PLAY m )", Play("m", None)),
        ("( PLAY m (noop noop ) )", Play("m", ("noop", "noop"))),
        ("(PLAY m ((MARK 1 1) NOOP))", Play("m", ("(MARK 1 1)", "NOOP"))),
        ("(PLAY m ((mark\t1   1)\r\n(noop)))", Play("m", ("(mark 1 1)", "noop"))),
        ("(PLAY m ((move (cell a 1) (cell b 2))))", Play("m", ("(move (cell a 1) (cell b 2))",))),
        ("(PLAY m noop)", Play("m", ("noop",))),
        ("(PLAY m ())", Play("m", ())),
        ("(PLAY m ((())))", Play("m", ())),
        ("(PLAY m ((a) (?) b))", Play("m", ())),
        ("(PLAY m (" + "a " * 1001 + "))", Play("m", ())),
        ("(PLAY m (a " + " " * (1 << 18) + " b))", Play("m", ())),
        ("\ufeff(PLAY m (a ;(\n b))", Play("m", ("a", "b"))),
        ("(PLAY m 3 (mark 1 1) ((sees you)))", Play("m", ())),
        ("( STOP m (noop noop) )", Stop("m", ("noop", "noop"))),
        ("( STOP m NIL )", Stop("m", None)),
        ("( ABORT m )", Abort("m")),
        ("(abort Base.ticTacToe.1479)", Abort("Base.ticTacToe.1479")),
        ("; a remark (\n( INFO ) ( ABORT m )", Info()),
    ],
)
def test_a_message_is_read_as_what_it_says(text: str, message: Message) -> None:
    assert parse(text) == message


def test_a_message_that_a_manager_writes_is_read_as_what_it_says() -> None:
    start = Start("m", "white", RULES, 10.0, 0.25)
    assert parse(start_text(start)) == start
    assert parse(play_text("m", ["(mark 1 1)", "noop"])) == Play("m", ("(mark 1 1)", "noop"))
    assert parse(play_text("m", ())) == Play("m", None)
    assert parse(stop_text("m", ["noop", "noop"])) == Stop("m", ("noop", "noop"))
    assert parse(abort_text("m")) == Abort("m")


def test_messages_of_managers_are_lines_with_clocks_in_whole_seconds_where_they_are() -> None:
    assert start_text(Start("m", "white", "(role white)\nterminal", 10.0, 0.25)) == (
        "( START m white ((role white) terminal) 10 0.25 )"
    )


def test_symbols_keep_their_case_and_the_verb_may_have_any() -> None:
    assert parse("(pLaY mId ((Mark A a)))") == Play("mId", ("(Mark A a)",))


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("(", "nil"),
        (")", "nil"),
        ("(PLAY m (a b)", "nil"),
        ("(PLAY)", "nil"),
        ("(START m white)", "busy"),
        ("(START m white ((role white)) ten 10)", "busy"),
        ("(START m white rules 10 10)", "busy"),
        ("(STOP)", "done"),
        ("(ABORT)", "busy"),
        ("()", "error: empty message"),
        ("(HELLO you)", "error: unknown message HELLO"),
        ("((INFO))", "error: unknown message (INFO)"),
    ],
)
def test_what_is_no_message_gets_its_proper_reply(text: str, reply: str) -> None:
    message = parse(text)
    assert isinstance(message, Malformed)
    assert message.reply == reply
    assert message.reason


def test_rules_are_passed_on_letter_by_letter() -> None:
    rules = "\r(role x) ; a ( remark\r\n(<= terminal\t(true (step 5)))\n"
    message = parse(f"(START m x ({rules}) 1 1)")
    assert isinstance(message, Start)
    assert message.rules == rules


def test_info_is_answered_in_lower_case() -> None:
    assert info_reply("Ludens", True) == "( ( name Ludens ) ( status available ) )"
    assert info_reply("Ludens", False) == "( ( name Ludens ) ( status busy ) )"


@given(st.text(alphabet="();aN 1\n\r\t?é", max_size=60))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    for prefix in ("", "(PLAY m ", "(START m r "):
        parse(prefix + text)


@given(st.text(alphabet="();aN< =?\ufeff\n\t\r", max_size=12) | st.text(alphabet="(a )", max_size=30))
def test_a_move_is_spelled_as_terms_are(text: str) -> None:
    try:
        parts = split(f"({text}\n)")
    except GdlError:
        return
    for part in parts:
        assert outcome(spelled, part) == outcome(lambda move: str(parse_term(move)), part)


def outcome(read: Callable[[str], str], text: str) -> str | None:
    """What `read` makes of a text; None if it refuses it."""
    try:
        return read(text)
    except GdlError:
        return None


def test_what_follows_the_parts_that_a_message_can_have_is_not_read() -> None:
    assert len(split("( PLAY" + " m" * 100_000)) < 100


SYMBOLS = st.text(alphabet="abcXYZ019+-", min_size=1, max_size=5)
TERMS = st.recursive(SYMBOLS, lambda inner: st.lists(inner, max_size=4).map(lambda a: f"( {' '.join(['f', *a])} )"))


@given(st.lists(TERMS, min_size=1, max_size=5))
def test_the_parts_of_a_message_are_those_it_was_made_of(parts: list[str]) -> None:
    assert split(f"( {' '.join(parts)} ) and more") == parts
