"""A player that plays several matches at once."""

from __future__ import annotations

import pytest

from ludens.agent.settings import options
from ludens.agent.settings.options import PlayerOptions
from tests.support.player_harness import AVAILABLE, MARKS, START, PlayerHarness
from tests.support.served import TIC_TAC_TOE, UNHURRIED, Rules, Served
from tests.support.waiting import until

BUSY = "( ( name Tester ) ( status busy ) )"
SECOND, THIRD = START.replace("m1", "m2"), START.replace("m1", "m3")


@pytest.fixture
def harness() -> PlayerHarness:
    return PlayerHarness(matches=2)


def test_info_says_available_while_one_more_can_be_played(harness: PlayerHarness) -> None:
    harness.begin(START)
    assert harness.ask("( INFO )") == AVAILABLE
    harness.begin(SECOND)
    assert harness.ask("( INFO )") == BUSY
    assert harness.ask("( ABORT m1 )") == "aborted"
    assert harness.ask("( INFO )") == AVAILABLE


def test_one_match_too_many_is_busy_and_disturbs_none(harness: PlayerHarness, caplog: pytest.LogCaptureFixture) -> None:
    harness.begin(START)
    harness.begin(SECOND)
    taken = len(harness.engines.taken)
    assert harness.ask(THIRD) == "busy"
    assert "m3: busy with m1, m2" in caplog.text
    assert harness.ask(START) == "ready"
    assert harness.ask(SECOND) == "ready"
    assert len(harness.engines.taken) == taken


def test_the_player_is_idle_once_its_last_match_has_ended(harness: PlayerHarness) -> None:
    harness.begin(START)
    harness.begin(SECOND)
    assert harness.ask("( ABORT m1 )") == "aborted"
    assert harness.idle == 0
    assert harness.ask("( ABORT m2 )") == "aborted"
    assert harness.idle == 1
    harness.begin(THIRD)
    harness.player.close()
    assert harness.idle == 1


def test_a_name_that_is_in_use_is_busy_though_there_is_room(harness: PlayerHarness) -> None:
    harness.begin(START)
    assert harness.ask(START.replace(" x ", " o ")) == "busy"


def test_each_match_has_an_engine_and_answers_of_its_own(harness: PlayerHarness) -> None:
    first, second = harness.begin(START), harness.begin(SECOND)
    assert first is not second
    plays = [harness.post(f"( PLAY {match_id} NIL )") for match_id in ("m1", "m2")]
    second.arrives(0)
    second.thinks(0, MARKS[2], final=True)
    first.arrives(0)
    first.thinks(0, MARKS[1], final=True)
    assert [play.reply for play in plays] == [MARKS[1], MARKS[2]]
    harness.ask("( ABORT m2 )")
    assert second.killed
    assert not first.killed


def test_matches_share_the_processors_that_threads_leaves_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "processors", lambda: 8)
    assert PlayerOptions(threads=0).workers == 8
    assert PlayerOptions(threads=0, matches=4).workers == 2
    assert PlayerOptions(threads=0, matches=100).workers == 1
    assert PlayerOptions(threads=3, matches=4).workers == 3


def test_two_matches_are_played_by_two_engines_at_once() -> None:
    player = Served("--matches", "2", code=("-c", UNHURRIED))
    games = {"a": Rules(TIC_TAC_TOE, "cross"), "b": Rules(TIC_TAC_TOE, "cross")}
    for match_id in games:
        assert "available" in player.ggp_base("( INFO )")
        assert player.ggp_base(f"( START {match_id} cross ({TIC_TAC_TOE}) 60 0 )") == "ready"
    assert "busy" in player.ggp_base("( INFO )")
    assert player.ggp_base(f"( START c cross ({TIC_TAC_TOE}) 60 0 )") == "busy"
    until(lambda: len(player.engines()) >= 2)
    messages = dict.fromkeys(games, "NIL")
    while not all(game.over for game in games.values()):
        for match_id, game in games.items():
            if not game.over:
                move = player.ggp_base(f"( PLAY {match_id} {messages[match_id]} )")
                assert move in game.legal()
                messages[match_id] = f"({' '.join(game.play(move))})"
    for match_id, joint in messages.items():
        assert player.ggp_base(f"( STOP {match_id} {joint} )") == "done"
    assert "available" in player.ggp_base("( INFO )")
    player.stop()


def test_each_match_is_answered_in_its_own_encoding(harness: PlayerHarness) -> None:
    move, encodings = "(zieh äöü)", {"m1": "latin-1", "m2": "utf-8"}
    for match_id, encoding in encodings.items():
        harness.post(f"( START {match_id} x ( (role x) (role o) (init (zelle äöü)) ) 10 8 )".encode(encoding))
        harness.engine.reads_rules()
        harness.engine.arrives(0, [move])
    plays = [harness.post(f"( PLAY {match_id} NIL )") for match_id in encodings]
    harness.wait(7)
    assert [play.body for play in plays] == [move.encode(encoding) for encoding in encodings.values()]
