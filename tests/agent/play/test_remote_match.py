"""A player elsewhere that plays at the page: what it is sent, and when."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens.agent.manager.client import NoAnswerError
from ludens.agent.play import match as page_match
from ludens.agent.play import remote_match
from ludens.agent.play.pace import Pace
from ludens.agent.play.remote_match import BusyError, OvertakenError, RemoteMatch
from ludens.agent.settings.addresses import Address
from tests.support.small_match import PASS, at_once, small_match

OLD = (("a1", PASS), (PASS, "b1"), ("a2", PASS))
NEW = (("c1", PASS),)


class FakeLine:
    """Takes what is sent to players, and answers when it is told to."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self._open: list[Deferred[str]] = []

    def ask(self, _reactor: object, _address: object, text: str, _seconds: float) -> Deferred[str]:
        self.sent.append(re.sub(r"Ludens\.play\.\w+", "M", text))
        self._open.append(Deferred())
        return self._open[-1]

    def answer(self, reply: str) -> None:
        """Answers the oldest message that waits for it."""
        self._open.pop(0).callback(reply)

    def fail(self, error: Exception) -> None:
        """Lets the oldest message that waits fail."""
        self._open.pop(0).errback(error)

    def answer_all(self, reply: Callable[[str], str]) -> None:
        while self._open:
            self.answer(reply(self.sent[-len(self._open)]))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> FakeLine:
    line = FakeLine()
    monkeypatch.setattr(remote_match, "ask", line.ask)
    monkeypatch.setattr(page_match, "in_thread", at_once)
    return line


def moved(player: RemoteMatch, history: tuple[tuple[str, ...], ...]) -> list[Any]:
    """What comes of asking for a move, once it has come."""
    found: list[Any] = []
    Deferred.fromCoroutine(player.move(history)).addBoth(found.append)
    return found


def as_player(move: str) -> Callable[[str], str]:
    """How a player answers who makes this move."""
    return lambda text: "ready" if "START" in text else move if "PLAY" in text else "done"


def new_player() -> RemoteMatch:
    return RemoteMatch(None, Address("host", 1), "(rules)", "a", (1.0, 1.0))


def test_a_move_that_is_wanted_no_longer_does_not_mix_two_matches(line: FakeLine) -> None:
    player = new_player()
    old = moved(player, OLD)
    line.answer("ready")
    new = moved(player, NEW)
    line.answer_all(lambda _: "noop")
    assert line.sent == ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )", "( PLAY M (c1 noop) )"]
    assert new == ["noop"]
    assert old[0].check(OvertakenError)


def test_a_player_elsewhere_that_thinks_is_told_at_once_when_the_match_goes_elsewhere(line: FakeLine) -> None:
    player = new_player()
    old = moved(player, OLD)
    line.answer_all(lambda text: "ready" if "START" in text else PASS)
    thinking = moved(player, (*OLD, (PASS, "b2")))
    sent = len(line.sent)
    new = moved(player, NEW)
    assert line.sent[sent:] == ["( ABORT M )"]
    line.answer(PASS)  # the move that it thought about, since it has heard of the end
    assert line.sent[sent:] == ["( ABORT M )"]
    line.answer_all(as_player("c2"))
    assert line.sent[sent + 1 :] == ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )", "( PLAY M (c1 noop) )"]
    assert (old, new) == ([PASS], ["c2"])
    assert thinking[0].check(OvertakenError)


def test_the_clock_of_a_player_elsewhere_runs_from_when_it_is_asked(line: FakeLine) -> None:
    clock = Clock()
    match = small_match(clock, "http://127.0.0.1:9", "person", pace=Pace(play_clock=9))
    line.answer("ready")
    assert match.state()["due"] == {0: 9.0}
    line.answer("m0")
    match.choose(1, "m1", match.at.number)
    clock.advance(4)
    assert match.state()["due"] == {0: 5.0}
    match.go_to(0)
    assert match.state()["due"] == {}, "it still thinks about its old move"
    for reply in (PASS, "aborted", "ready"):
        line.answer(reply)
    assert match.state()["due"] == {0: 9.0}


def test_no_clock_runs_where_a_match_is_over(line: FakeLine) -> None:
    match = small_match(Clock(), "http://127.0.0.1:9", "person", pace=Pace(play_clock=9))
    for mine, theirs in (("m0", "m1"), ("m2", "m3")):
        line.answer_all(as_player(mine))
        match.choose(1, theirs, match.at.number)
    assert match.at.position.terminal
    assert match.state()["due"] == {}, "though it is told the moves before the end as if it were to go on"


def test_of_three_moves_at_once_only_the_last_is_asked_for(line: FakeLine) -> None:
    player = new_player()
    overtaken = [moved(player, OLD), moved(player, NEW)]
    last = moved(player, ())
    line.answer_all(lambda _: "noop")
    assert line.sent == ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )"]
    assert last == ["noop"]
    assert all(found[0].check(OvertakenError) for found in overtaken)


def test_a_player_elsewhere_is_told_how_its_match_ended(line: FakeLine) -> None:
    match = small_match(Clock(), "http://127.0.0.1:9", "person")
    for mine, theirs in (("m0", "m1"), ("m2", "m3")):
        line.answer_all(as_player(mine))
        match.choose(1, theirs, match.at.number)
    assert match.at.position.terminal
    line.answer_all(lambda _: PASS)
    assert line.sent[-3:] == ["( PLAY M (noop m1) )", "( PLAY M (m2 noop) )", "( STOP M (noop m3) )"]


def test_a_player_elsewhere_is_free_again_where_the_match_goes_to_another_end(line: FakeLine) -> None:
    match = small_match(Clock(), "http://127.0.0.1:9", "person")
    for mine, theirs in (("m0", "m1"), ("m2", "m3")):
        line.answer_all(as_player(mine))
        match.choose(1, theirs, match.at.number)
    end = match.at.number
    line.answer_all(lambda _: PASS)
    match.go_to(0)
    match.go_to(end)
    line.answer_all(as_player("m0"))
    assert line.sent[-2:] == ["( START M a ((rules)) 1 1 )", "( ABORT M )"]


@pytest.mark.parametrize("answered", [False, True])
def test_a_player_elsewhere_is_not_asked_twice_where_the_match_was_held_in_the_meantime(
    line: FakeLine, answered: bool
) -> None:
    match = small_match(Clock(), "http://127.0.0.1:9", "person")
    line.answer("ready")
    match.pause(True)
    if answered:
        line.answer("m0")
    match.pause(False)
    line.answer_all(as_player("m0"))
    assert line.sent == ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )"]
    match.choose(1, "m1", match.at.number)
    assert match.tree.history(match.at) == (("m0", PASS), (PASS, "m1"))


def test_a_player_elsewhere_that_has_failed_to_answer_is_asked_anew(line: FakeLine) -> None:
    player = new_player()
    first = moved(player, ())
    line.answer("ready")
    line.fail(NoAnswerError("no answer"))
    again = moved(player, ())
    line.answer_all(as_player("a1"))
    assert first[0].check(NoAnswerError) and again == ["a1"]
    assert line.sent == [*["( START M a ((rules)) 1 1 )", "( PLAY M NIL )", "( ABORT M )"], *line.sent[:2]]


def test_a_player_elsewhere_that_has_given_the_match_up_is_told_it_anew(line: FakeLine) -> None:
    player = new_player()
    moved(player, ())
    line.answer_all(as_player("a1"))
    later = moved(player, OLD[:2])
    line.answer("busy")
    line.answer_all(as_player("a2"))
    assert later == ["a2"]
    again = ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )", "( PLAY M (a1 noop) )", "( PLAY M (noop b1) )"]
    assert line.sent[2:] == ["( PLAY M (a1 noop) )", *again]


def test_an_illegal_answer_of_a_player_elsewhere_is_marked_in_short(line: FakeLine) -> None:
    match, answer = small_match(Clock(), "http://127.0.0.1:9", "person"), f"(jump{' far' * 60})"
    line.answer_all(as_player(answer))
    assert match.at.errors == (f"IL {answer[:100]}...", "")
    assert f"{answer[:100]}... is not legal" in match.notes[-1]


def test_a_player_elsewhere_that_stays_busy_is_told_the_match_anew_but_once(line: FakeLine) -> None:
    player = new_player()
    found = moved(player, ())
    line.answer_all(as_player("busy"))
    assert found[0].check(BusyError)
    assert line.sent == ["( START M a ((rules)) 1 1 )", "( PLAY M NIL )"] * 2


def test_new_clocks_begin_the_match_of_a_player_elsewhere_anew(line: FakeLine) -> None:
    match = small_match(Clock(), "http://127.0.0.1:9", "person")
    line.answer_all(as_player("m0"))
    match.set_pace(Pace(think=1, delay=3))
    assert len(line.sent) == 2  # the same clocks
    match.set_pace(Pace(think=1, start_clock=9, play_clock=7))
    match.choose(1, "m1", match.at.number)
    assert line.sent[2:] == ["( ABORT M )"]  # which it answers before another match begins
    line.answer_all(as_player("m2"))
    start = ["( START M a ((rules)) 9 7 )", "( PLAY M NIL )", "( PLAY M (m0 noop) )", "( PLAY M (noop m1) )"]
    assert line.sent[2:] == ["( ABORT M )", *start]
