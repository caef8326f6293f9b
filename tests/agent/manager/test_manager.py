"""The Game Manager against players over real HTTP: what it says, and what it makes of the answers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.selectreactor import SelectReactor

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.match import exit_code
from ludens.agent.manager.client import NoAnswerError, ask
from ludens.agent.manager.greeting import UnavailableError, greet
from ludens.agent.manager.manager import Manager, MatchSettings, Participant
from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.agent.playable.text_game import RulesGame
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.record import Ending, MatchRecord
from ludens.agent.settings.addresses import Address
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.fake_player import Answer, FakePlayer, SlowTime, http_reply, on_play, run
from tests.support.talk import TALK
from tests.support.waiting import PATIENCE, until

SHEET = parse_rules(TALK)


class Silence:
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.turns: list[tuple[int, list[str], list[str]]] = []
        self.starts: list[MatchState] = []

    def on_start(self, position: MatchState) -> None:
        self.starts.append(position)

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        self.turns.append((turn, list(moves), list(errors)))

    def on_warning(self, text: str) -> None:
        self.warnings.append(text)


@pytest.fixture
def player() -> Iterator[Callable[[Answer], FakePlayer]]:
    """Makes players that are gone when the test is over."""
    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(FakePlayer(answer))


def manager(reactor: Any, addresses: Sequence[Address], observer: Silence | None = None, **settings: Any) -> Manager:
    chosen: dict[str, Any] = {"start_clock": 1.0, "play_clock": 0, "scrambler": NoScrambler(), "seed": 1} | settings
    participants = [Participant(role, f"player-of-{role}", a) for role, a in zip(SHEET.roles, addresses, strict=True)]
    referee = Referee(RulesGame(SHEET))
    return Manager(reactor, SHEET, referee, participants, MatchSettings("Test.1", **chosen), observer or Silence())


def play(addresses: Sequence[Address], observer: Silence | None = None, **settings: Any) -> MatchRecord:
    return run(lambda reactor: manager(reactor, addresses, observer, **settings).play())


# ---- A whole match ----


def test_a_match_goes_from_start_over_all_turns_to_stop(player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play("(say yes)")), player(on_play("(say (no 1))"))
    play([white.address, black.address])
    rules = " ".join(str(SHEET).split("\n"))
    moves = "((say yes) (say (no 1)))"
    assert white.messages == [
        f"( START Test.1 white ({rules}) 1 0 )",
        "( PLAY Test.1 NIL )",
        f"( PLAY Test.1 {moves} )",
        f"( STOP Test.1 {moves} )",
    ]
    assert black.messages[0] == white.messages[0].replace("Test.1 white", "Test.1 black")
    assert black.messages[1:] == white.messages[1:]


def test_the_request_is_that_of_ggp_base(player: Callable[[Answer], FakePlayer]) -> None:
    white = player(on_play("(say yes)"))
    play([white.address, white.address])
    for line in ("POST / HTTP/1.0", "Accept: text/delim", "Sender: GAMESERVER", "Content-Type: text/acl"):
        assert line in white.requests[0]


def test_the_record_tells_the_whole_match(player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play("(say yes)")), player(on_play("( say (no  1) )"))
    record = play([white.address, black.address])
    assert record.moves == [["(say yes)", "(say (no 1))"]] * 2
    assert record.states[0] == ["(step 0)"]
    assert record.states[2] == ["(said black (no 1))", "(said white yes)", "(step 2)"]
    assert record.errors == [["", ""]] * 3
    assert record.goals == [100, 0]
    assert record.players == ["player-of-white", "player-of-black"]
    assert record.completed
    assert not record.aborted
    assert len(record.state_times) == len(record.states)
    assert record.start_time <= record.state_times[0] <= record.state_times[-1]


def test_the_audience_hears_of_every_turn(player: Callable[[Answer], FakePlayer]) -> None:
    white, observer = player(on_play("(say yes)")), Silence()
    play([white.address, white.address], observer)
    assert observer.turns == [(turn, ["(say yes)"] * 2, ["", ""]) for turn in (1, 2)]
    assert observer.starts[0].facts == ("(step 0)",)


def test_a_scrambled_match_is_recorded_in_the_spelling_of_the_sheet(player: Callable[[Answer], FakePlayer]) -> None:
    scrambler = Scrambler(SHEET, 3)
    move = str(scrambler.scramble(parse_term("(say (no 1))")))
    white = player(on_play(move))
    record = play([white.address, white.address], scrambler=scrambler)
    assert record.moves == [["(say (no 1))"] * 2] * 2
    assert record.scrambled
    assert not re.search(r"\b(say|white|step|word)\b", " ".join(white.messages))
    assert f"( PLAY Test.1 ({move} {move}) )" in white.messages


def test_the_record_tells_what_players_of_ours_think_of_its_positions(player: Callable[[Answer], FakePlayer]) -> None:
    scrambler = Scrambler(SHEET, 3)
    yes, no = (str(scrambler.scramble(parse_term(move))) for move in ("(say yes)", "(say (no 1))"))
    white = player(on_play(yes))
    playing: Manager

    class Thinking(Silence):
        def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
            for step in (turn, turn + 1):  # the second is not there yet
                playing.note_thought("black", SearchReport(step, no, 9, 40.0, ((yes, no),)))

    async def main(reactor: Any) -> MatchRecord:
        nonlocal playing
        playing = manager(reactor, [white.address] * 2, Thinking(), scrambler=scrambler)
        return await playing.play()

    record = run(main)
    assert [len(thoughts) for thoughts in record.thoughts] == [0, 1, 1]
    (told,) = record.thoughts[1]
    assert (told["role"], told["move"], told["line"]) == (1, "(say (no 1))", [["(say yes)", "(say (no 1))"]])
    assert parse_rules(record.rules).roles == SHEET.roles


# ---- Players that fail ----


def test_an_illegal_move_is_noted_and_a_legal_one_played(player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play("(say maybe)")), player(on_play("(say yes)"))
    record = play([white.address, black.address])
    assert record.errors == [["", ""], ["IL (say maybe)", ""], ["IL (say maybe)", ""]]
    assert {moves[0] for moves in record.moves} <= {"(say yes)", "(say (no 1))"}
    assert record.completed


@pytest.mark.parametrize("reply", ["", "(say", "?", "(say yes) (say yes)", "nil", "(SAY YES)"])
def test_what_is_no_move_at_all_counts_as_illegal(reply: str, player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play(reply)), player(on_play("(say yes)"))
    errors = play([white.address, black.address]).errors[1]
    assert errors[0].startswith("IL")
    assert errors[1] == ""


@pytest.mark.parametrize(("seconds", "error"), [(0.9, ""), (1.1, "TO")])
def test_a_player_has_a_second_of_grace_and_then_a_random_move_is_played(
    seconds: float, error: str, player: Callable[[Answer], FakePlayer]
) -> None:
    asked, over = threading.Event(), threading.Event()

    def slow(message: str) -> str:
        if "NIL" in message:
            asked.set()
            over.wait(PATIENCE)
        return "(say yes)"

    async def late(reactor: SlowTime) -> MatchRecord:
        playing = Deferred.fromCoroutine(manager(reactor, [white.address, black.address], play_clock=0).play())
        await in_thread(reactor, until, lambda: asked.is_set() and black.taken == 2)  # START and the first PLAY
        reactor.skipped += seconds
        if not error:
            over.set()
        return await playing

    white, black = player(slow), player(on_play("(say yes)"))
    record = run(late)
    over.set()
    assert record.errors == [["", ""], [error, ""], ["", ""]]
    assert record.completed


def test_a_player_that_hangs_up_or_has_gone_gets_a_random_move(player: Callable[[Answer], FakePlayer]) -> None:
    white, gone = player(lambda _: None), FakePlayer(on_play("(say yes)"))
    gone._server.server_close()
    participants = [white.address, gone.address]
    record = run(lambda reactor: manager(reactor, participants, start_clock=600, play_clock=600).play(), SelectReactor)
    assert record.errors == [["CE", "CE"]] * 3
    assert record.completed


def test_random_replacements_follow_from_the_seed(player: Callable[[Answer], FakePlayer]) -> None:
    white = player(on_play("nil"))
    moves = [play([white.address] * 2, seed=seed).moves for seed in (5, 5)]
    assert moves[0] == moves[1]


# ---- Before and around a match ----


def greeted(address: Address) -> str:
    return run(lambda reactor: greet(reactor, "white", address), SelectReactor)


@pytest.mark.parametrize("host", ["a..b", 70 * "x", "ä.."])
def test_a_host_that_there_cannot_be_is_one_clear_message(host: str) -> None:
    said = re.escape(f"no player for white: nobody listens at {host}:9147: no host can have this name")
    with pytest.raises(UnavailableError, match=said):
        greeted(Address.from_url(f"http://{host}:9147"))


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("( ( name Sancho ) ( status available ) )", "Sancho"),
        ("((NAME Sancho 2) (STATUS AVAILABLE))", "Sancho 2"),
        ("available", ""),
        ("ready", ""),
        ("nil", ""),
        ("", ""),
        ("((status available))", ""),
    ],
)
def test_a_player_is_known_by_the_name_that_it_gives(
    reply: str, name: str, player: Callable[[Answer], FakePlayer]
) -> None:
    white = player(lambda _: reply)
    assert greeted(white.address) == (name or f"127.0.0.1:{white.address.port}")
    assert white.messages == ["( INFO )"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("( ( name Sancho ) ( status busy ) )", r"Sancho at 127\.0\.0\.1:\d+ is busy"),
        ("busy", r"127\.0\.0\.1:\d+ is busy"),
        ("<html><body>not (found</body></html>", "not as a player does: a web page"),
        ("404 page not found", "not as a player does: 404 page not found"),
        ("((", r"not as a player does: \(\("),
    ],
)
def test_who_cannot_play_is_refused_before_the_match(
    reply: str, said: str, player: Callable[[Answer], FakePlayer]
) -> None:
    with pytest.raises(UnavailableError, match=f"^no player for white: .*{said}$"):
        greeted(player(lambda _: reply).address)


def test_a_player_that_is_not_there_is_refused_before_the_match() -> None:
    gone = FakePlayer(on_play("(say yes)"))
    gone._server.server_close()
    with pytest.raises(UnavailableError, match=r"no player for white: nobody listens at 127\.0\.0\.1"):
        greeted(gone.address)


def test_a_match_that_a_player_refuses_at_start_does_not_begin(player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play("(say yes)")), player(lambda _: "busy")

    async def refused(reactor: Any) -> MatchRecord:
        match = manager(reactor, [white.address, black.address])
        with pytest.raises(UnavailableError, match="black: player-of-black refuses to play"):
            await match.play()
        return match.record

    record = run(refused)
    assert record.aborted
    assert record.ending == Ending.REFUSED
    assert "player-of-black refuses to play" in record.warnings[0]
    assert white.verbs() == ["START", "ABORT"]


def test_a_match_that_does_not_end_is_stopped(player: Callable[[Answer], FakePlayer]) -> None:
    white = player(on_play("(say yes)"))
    record = play([white.address] * 2, max_turns=1)
    assert record.moves == [["(say yes)"] * 2]
    assert record.ending == Ending.TURN_LIMIT
    assert not record.completed
    assert record.goals == []
    assert white.verbs()[-2:] == ["ABORT", "ABORT"]


def test_a_match_that_ends_with_its_last_turn_is_complete(player: Callable[[Answer], FakePlayer]) -> None:
    white = player(on_play("(say yes)"))
    record = play([white.address] * 2, max_turns=2)
    assert record.ending == Ending.TERMINAL
    assert record.completed


def test_a_player_has_a_clock_of_its_own_if_it_is_given_one(player: Callable[[Answer], FakePlayer]) -> None:
    white = player(on_play("(say yes)"))

    async def match(reactor: Any) -> MatchRecord:
        participants = [Participant("white", "w", white.address, 600), Participant("black", "b", white.address)]
        settings = MatchSettings("Test.1", 1, 5, NoScrambler())
        return await Manager(reactor, SHEET, Referee(RulesGame(SHEET)), participants, settings, Silence()).play()

    run(match)
    starts = [message for message in white.messages if "START" in message]
    assert sorted(message.split()[-2] for message in starts) == ["5", "600"]


def test_a_web_page_for_a_move_is_named_and_not_recorded(player: Callable[[Answer], FakePlayer]) -> None:
    white, black = player(on_play("<html>\n<p>Welcome!</p></html>")), player(on_play("x" * 2000))
    errors = play([white.address, black.address]).errors[1]
    assert errors[0] == "IL a web page"
    assert len(errors[1]) < 120


def test_an_interrupted_match_is_aborted_while_a_play_is_outstanding(player: Callable[[Answer], FakePlayer]) -> None:
    asked, over = threading.Event(), threading.Event()

    def stuck(message: str) -> str:
        if message.startswith("( PLAY"):
            asked.set()
            over.wait(PATIENCE)
        if message.startswith("( ABORT"):
            over.set()
        return "aborted"

    async def interrupted(reactor: Any) -> MatchRecord:
        match = manager(reactor, [white.address, black.address], play_clock=60)
        playing = Deferred.fromCoroutine(match.play())
        await in_thread(reactor, asked.wait)
        await match.abort()
        return await playing

    white, black = player(stuck), player(on_play("(say yes)"))
    record = run(interrupted)
    assert record.aborted
    assert not record.completed
    assert record.moves == []
    assert record.goals == []
    assert white.messages[-1] == black.messages[-1] == "( ABORT Test.1 )"


def test_rules_are_scrambled_where_the_answers_of_other_matches_do_not_wait_for_it(
    player: Callable[[Answer], FakePlayer],
) -> None:
    threads = list[threading.Thread]()

    class Watched(Scrambler):
        def scramble(self, node: Any) -> Any:
            if node is SHEET:
                threads.append(threading.current_thread())
            return super().scramble(node)

    yes = player(on_play("(say yes)"))
    play([yes.address, yes.address], scrambler=Watched(SHEET, 1))
    assert threads and threading.current_thread() not in threads


def test_a_match_that_nobody_can_be_told_of_any_more_is_aborted(player: Callable[[Answer], FakePlayer]) -> None:
    class FullDisk(Silence):
        def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
            raise OSError("no space is left")

    async def match(reactor: Any) -> MatchRecord:
        played = manager(reactor, [white.address, black.address], FullDisk())
        with pytest.raises(OSError, match="no space is left"):
            await played.play()
        return played.record

    white, black = player(on_play("(say yes)")), player(on_play("(say yes)"))
    record = run(match)
    assert (record.ending, record.warnings) == (Ending.INTERRUPTED, ["no space is left"])
    assert white.verbs() == black.verbs() == ["START", "PLAY", "ABORT"]


def test_rules_that_leave_a_role_without_a_move_end_the_match(player: Callable[[Answer], FakePlayer]) -> None:
    sheet = parse_rules("(role white) (init start) (<= terminal (true never)) (<= (legal white x) (true never))")
    white = player(on_play("x"))
    participants = [Participant("white", "w", white.address)]
    settings = MatchSettings("Test.2", 1, 1, NoScrambler())

    async def match(reactor: Any) -> MatchRecord:
        played = Manager(reactor, sheet, Referee(RulesGame(sheet)), participants, settings, Silence())
        with pytest.raises(LudensError, match="leave white without a legal move"):
            await played.play()
        return played.record

    assert run(match).ending == "a role had no legal move"
    assert white.verbs() == ["START", "PLAY", "ABORT"]


def test_a_match_whose_next_position_cannot_be_worked_out_does_not_blame_its_moves(
    player: Callable[[Answer], FakePlayer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def after(*_: object) -> MatchState:
        raise NativeError("there is no room for more facts")

    async def match(reactor: Any) -> MatchRecord:
        played = manager(reactor, [white.address, black.address])
        with pytest.raises(NativeError, match="no room"):
            await played.play()
        return played.record

    monkeypatch.setattr(Referee, "after", after)
    white, black = player(on_play("(say yes)")), player(on_play("(say yes)"))
    record = run(match)
    assert record.aborted
    assert (record.ending, record.warnings) == ("the match could not go on", ["there is no room for more facts"])
    assert exit_code(record) == ExitCode.FAULTY_INPUT


def test_a_missing_goal_counts_as_fifty_and_is_said_aloud(player: Callable[[Answer], FakePlayer]) -> None:
    sheet = parse_rules("(role white) (init start) (<= terminal (true start)) (legal white x)")
    white, observer = player(on_play("x")), Silence()
    participants = [Participant("white", "w", white.address)]

    async def match(reactor: Any) -> MatchRecord:
        rules = Referee(RulesGame(sheet))
        return await Manager(
            reactor, sheet, rules, participants, MatchSettings("T", 1, 1, NoScrambler()), observer
        ).play()

    assert run(match).goals == [50]
    assert observer.warnings == ["the rules give white no goal: it counts as 50"]


# ---- A single message ----


def asked(address: Address, seconds: float = 5) -> str:
    return run(lambda reactor: ask(reactor, address, "( INFO )", seconds))


def test_a_reply_without_a_length_ends_with_the_connection(player: Callable[[Answer], FakePlayer]) -> None:
    assert asked(player(lambda _: b"HTTP/1.0 500 Whatever\r\n\r\n( done )").address) == "( done )"


@pytest.mark.parametrize("head", [b"HTTP/1.0 200 OK\nContent-length: 8\n\n", b"HTTP/1.0 200 OK\n\n"])
def test_the_lines_of_a_reply_may_end_without_cr(head: bytes, player: Callable[[Answer], FakePlayer]) -> None:
    """So players of ggp-base write them on Linux, by the println of Java."""
    assert asked(player(lambda _: head + b"( done )").address) == "( done )"


def test_a_reply_ends_where_its_length_says(player: Callable[[Answer], FakePlayer]) -> None:
    assert asked(player(lambda _: http_reply("ready") + b"rubbish").address) == "ready"


@pytest.mark.parametrize("head", [b"", b"Content-Length: 2000000\r\n"])
def test_a_reply_without_end_is_cut_short(head: bytes, player: Callable[[Answer], FakePlayer]) -> None:
    reply = b"HTTP/1.0 200 OK\r\n" + head + b"\r\n" + b"(a " * 600_000
    assert asked(player(lambda _: reply).address) == ("(a " * 10_000)[: 1 << 14]


def test_a_player_that_says_nothing_is_not_waited_for(player: Callable[[Answer], FakePlayer]) -> None:
    over = threading.Event()
    silent = player(lambda _: str(over.wait(PATIENCE)))
    with pytest.raises(NoAnswerError):
        asked(silent.address, 0.0001)
    over.set()


def test_a_message_can_be_taken_back_before_the_connection_stands(player: Callable[[Answer], FakePlayer]) -> None:
    async def cancelled(reactor: Any) -> str:
        asking = Deferred.fromCoroutine(ask(reactor, white.address, "( INFO )", 5))
        asking.cancel()
        return await asking

    white = player(on_play("x"))
    with pytest.raises(CancelledError):
        run(cancelled)


@pytest.mark.parametrize("url", ["http://host", "https://host:1", "ftp://x:1", "http://host:port", "http://:80"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(LudensError, match="write http://host:port"):
        Address.from_url(url)
