"""What a player does about faults of PLAY."""

from __future__ import annotations

import logging

import pytest

from ludens.agent.protocol.messages import parse
from ludens.agent.protocol.wire import GoTo
from tests.support.player_harness import MARKS, START, PlayerHarness


def test_play_of_an_unknown_match_is_busy(harness: PlayerHarness) -> None:
    assert harness.ask("( PLAY m9 NIL )") == "busy"
    harness.first_turn()
    assert harness.ask("( PLAY m9 NIL )") == "busy"


def test_play_after_stop_is_busy(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask("( STOP m1 (noop noop) )") == "done"
    assert harness.ask("( PLAY m1 (noop noop) )") == "busy"


def test_nil_in_mid_match_gets_the_last_reply_again(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1)
    engine.thinks(1, MARKS[2], final=True)
    assert play.reply == MARKS[2]
    assert harness.ask("( PLAY m1 NIL )") == MARKS[2]


@pytest.mark.parametrize("moves", ["(noop)", "(a b c)", "()", "noop"])
def test_a_wrong_number_of_moves_does_not_advance_and_gets_a_legal_move(harness: PlayerHarness, moves: str) -> None:
    engine = harness.first_turn()
    assert harness.ask(f"( PLAY m1 {moves} )") in MARKS
    assert not engine.history
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    assert engine.history == (("(mark 1 2)", "noop"),)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"


@pytest.mark.parametrize("told", ["(noop)", "(a b c)", "()"])
def test_a_wrong_number_of_moves_before_the_rules_are_read_does_not_count_once_they_are(
    harness: PlayerHarness, told: str
) -> None:
    harness.post(START)
    harness.post("( PLAY m1 NIL )")
    harness.post(f"( PLAY m1 {told} )")
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    assert not harness.engine.history
    harness.engine.reads_rules()
    assert harness.engine.target == GoTo((("(mark 1 2)", "noop"),))
    harness.engine.arrives(1, ["noop"])
    harness.engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"


def test_the_result_of_a_match_that_is_stopped_before_the_rules_are_read_is_known_once_they_are(
    harness: PlayerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    harness.post(START)
    assert harness.ask("( STOP m1 ((mark 1 2) noop) )") == "done"
    harness.engine.reads_rules()
    harness.engine.arrives(1, [], goals=[100, 0])
    assert "over after 1 steps: x 100, o 0" in caplog.text


def test_gdl_ii_arguments_do_not_advance_and_get_a_legal_move(harness: PlayerHarness) -> None:
    harness.first_turn()
    assert harness.ask("( PLAY m1 1 (mark 1 2) ((sees a)) )") in MARKS


def test_an_illegal_move_of_another_role_stays_in_step(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) (fly to the moon)) )")
    assert engine.history == (("(mark 1 2)", "(fly to the moon)"),)
    engine.arrives(1)
    engine.thinks(1, MARKS[0], final=True)
    assert play.reply == MARKS[0]


def test_the_managers_move_counts_where_it_replaced_ours(
    harness: PlayerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    engine = harness.first_turn(MARKS[1])
    harness.post("( PLAY m1 ((mark 1 3) noop) )")
    assert engine.history == (("(mark 1 3)", "noop"),)
    assert f"the manager replaced our move {MARKS[1]}" in caplog.text


@pytest.mark.parametrize("wrong", ["(mark 9 9)", "?x", "noop"])
def test_where_our_own_move_is_told_wrongly_both_histories_count_until_one_fits(
    harness: PlayerHarness, wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    engine = harness.first_turn(MARKS[1])
    play = harness.post(f"( PLAY m1 ({wrong} noop) )")
    assert engine.target == GoTo(((wrong, "noop"),), (((MARKS[1], "noop"),),), (0, 1))
    engine.arrives(1, ["noop"], fits=(1, 0))
    engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"
    assert f"tells that we played {wrong}, which the rules do not allow" in caplog.text
    again = harness.post("( PLAY m1 (noop (mark 2 2)) )")
    both = [((move, "noop"), ("noop", "(mark 2 2)")) for move in (MARKS[1], wrong)]
    assert engine.target == GoTo(both[0], (both[1],), (1, 0))
    engine.arrives(2, MARKS, fits=(0,))
    engine.thinks(2, MARKS[2], final=True)
    assert again.reply == MARKS[2]
    harness.post(f"( PLAY m1 ({MARKS[2]} noop) )")
    assert engine.target == GoTo((*both[0], (MARKS[2], "noop")), (), (1,))


def test_a_wrong_turn_that_is_sent_twice_is_one_turn(harness: PlayerHarness) -> None:
    engine = harness.first_turn(MARKS[1])
    turn = "( PLAY m1 ((mark 9 9) noop) )"
    harness.post(turn)
    newer = harness.post(turn)
    engine.arrives(1, ["noop"], fits=(1,))
    engine.thinks(1, "noop", final=True)
    assert newer.reply == "noop"
    assert harness.ask(turn) == "noop"


def test_histories_do_not_grow_without_end_while_no_engine_says_which_fit(harness: PlayerHarness) -> None:
    harness.first_turn(MARKS[1])
    for turn in range(20):
        harness.post(f"( PLAY m1 ((mark 9 {turn}) noop) )")
        harness.wait(8)
    assert len(harness.engine.target.histories) <= 8
    assert {len(history) for history in harness.engine.target.histories} == {20}


@pytest.mark.parametrize("moves", ["a " * 200_000, "(a) " * 5_000, "(()) noop", "((a b) c) noop"])
def test_what_can_be_no_joint_move_gets_a_legal_move(harness: PlayerHarness, moves: str) -> None:
    harness.first_turn()
    assert harness.player.answer(parse(f"( PLAY m1 ({moves}) )")).result in MARKS
    harness.post("( PLAY m1 ((mark 1 2) noop) )")
    assert harness.engine.history == (("(mark 1 2)", "noop"),)


def test_nil_for_want_of_a_legal_move_is_not_the_last_word(harness: PlayerHarness) -> None:
    harness.post(START)
    harness.engine.reads_rules()
    harness.wait(10)
    play = harness.post("( PLAY m1 NIL )")
    harness.wait(8.8)
    assert play.reply == "nil"
    again = harness.post("( PLAY m1 NIL )")
    harness.engine.arrives(0)
    harness.engine.thinks(0, MARKS[1], final=True)
    assert again.reply == MARKS[1]
    assert harness.ask("( PLAY m1 NIL )") == MARKS[1]


def test_of_two_plays_at_once_the_older_is_cancelled(harness: PlayerHarness) -> None:
    engine = harness.begin()
    engine.arrives(0)
    older = harness.post("( PLAY m1 NIL )")
    newer = harness.post("( PLAY m1 NIL )")
    assert older.reply == "busy"
    engine.thinks(0, MARKS[2], final=True)
    assert newer.reply == MARKS[2]


def test_a_turn_that_is_sent_twice_is_one_turn(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    turn = "( PLAY m1 ((mark 1 2) noop) )"
    harness.post(turn)
    newer = harness.post(turn)
    assert engine.history == (("(mark 1 2)", "noop"),)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert newer.reply == "noop"
    assert harness.ask(turn) == "noop"


def test_the_same_joint_move_twice_in_a_row_is_two_turns(harness: PlayerHarness) -> None:
    engine = harness.begin()
    engine.arrives(0, ["noop"])
    first = harness.post("( PLAY m1 NIL )")
    engine.thinks(0, "noop", final=True)
    assert first.reply == "noop"
    turn = "( PLAY m1 (noop noop) )"
    play = harness.post(turn)
    engine.arrives(1, ["noop"])
    engine.thinks(1, "noop", final=True)
    assert play.reply == "noop"
    harness.post(turn)
    assert engine.history == (("noop", "noop"),) * 2


def test_a_terminal_state_gets_nil(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1, MARKS, goals=[100, 0])
    assert play.reply == "nil"


def test_a_state_without_legal_moves_gets_nil(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1, [])
    assert play.reply == "nil"
