"""What a player does about engines that crash, hang or are late."""

from __future__ import annotations

import pytest

from ludens.agent.protocol.wire import MACHINES, Event, NoStates, StateFacts, Think
from tests.support.player_harness import MARKS, START, PlayerHarness


def test_an_engine_crash_gets_a_legal_move_and_a_new_engine(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1)
    engine.dies()
    assert len(harness.engines.taken) == 2
    assert harness.engine.begin == engine.begin
    assert harness.engine.history == (("(mark 1 2)", "noop"),)
    harness.wait(7)
    assert play.reply == MARKS[0]


def test_engines_that_begin_later_have_what_is_left_of_the_start_clock(harness: PlayerHarness) -> None:
    harness.post(START)
    engine = harness.engine
    engine.reads_rules()
    harness.wait(2)
    assert harness.standby.begin.seconds == pytest.approx(engine.begin.seconds - 2)
    harness.wait(4)
    harness.standby.dies()
    engine.dies()
    assert harness.engine.begin.seconds == pytest.approx(engine.begin.seconds - 6)
    assert harness.engine.begin.move_seconds == engine.begin.move_seconds


@pytest.mark.parametrize("lacks", [False, True])
def test_an_engine_lasts_until_it_has_told_the_last_state_of_a_match_or_says_that_it_cannot(lacks: bool) -> None:
    harness = PlayerHarness(recorded=True)
    engine = harness.first_turn()
    assert engine.begin.tells_states
    assert harness.ask("( STOP m1 ((mark 1 2) noop) )") == "done"
    engine.arrives(1, (), (100, 0))
    assert not engine.killed
    told: Event = NoStates("no room") if lacks else StateFacts(1, ("(mark 1 2)", "noop"), ())
    engine.listener.heard(told)
    assert engine.killed


def test_a_crash_before_the_position_is_known_gets_a_legal_move_all_the_same(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    harness.wait(2)
    harness.standby.reads_rules()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    assert harness.standby.history == engine.history
    harness.standby.arrives(1, ["noop"])
    engine.dies()
    harness.wait(7)
    assert play.reply == "noop"


def test_engines_that_crash_every_turn_never_lead_to_an_illegal_move(harness: PlayerHarness) -> None:
    harness.first_turn()
    turns = {"((mark 1 2) noop)": "noop", "(noop (mark 2 1))": "(mark 3 3)", "((mark 3 3) noop)": "noop"}
    for step, (moves, legal) in enumerate(turns.items(), 1):
        harness.wait(2)
        standby = harness.standby
        play = harness.post(f"( PLAY m1 {moves} )")
        harness.engine.dies()
        assert harness.engine is standby
        standby.arrives(step, [legal])
        harness.wait(7)
        assert play.reply == legal


def test_the_engine_that_stands_by_takes_over_the_thinking(harness: PlayerHarness) -> None:
    harness.first_turn()
    harness.wait(2)
    standby = harness.standby
    harness.engine.dies()
    assert standby.thinking == Think(MACHINES)
    standby.has_network()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    standby.arrives(1)
    standby.thinks(1, MARKS[2], final=True)
    assert play.reply == MARKS[2]
    assert harness.standby is not standby


def test_an_engine_that_stands_by_and_dies_is_replaced_without_harm(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    harness.wait(2)
    lost = harness.standby
    lost.dies()
    harness.wait(1)
    assert harness.standby is not lost
    assert harness.engine is engine
    assert not engine.killed


def test_two_crashes_within_a_second_leave_an_engine_that_stands_by(harness: PlayerHarness) -> None:
    harness.first_turn()
    harness.wait(2)
    harness.engine.dies()
    harness.engine.dies()
    assert harness.engine.thinking == Think(("rules",))
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.standby.arrives(1, ["noop"])
    harness.wait(7)
    assert play.reply == "noop"


def test_both_engines_end_with_the_match(harness: PlayerHarness) -> None:
    harness.first_turn()
    harness.wait(2)
    assert len(harness.engines.taken) == 2
    assert harness.ask("( ABORT m1 )") == "aborted"
    harness.wait(10)
    assert [engine.killed for engine in harness.engines.taken] == [True, True]


def test_an_engine_that_is_late_once_while_a_legal_move_is_known_is_kept(harness: PlayerHarness) -> None:
    engine = harness.first_turn()
    harness.wait(2)
    standby = harness.standby
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    standby.arrives(1)
    harness.wait(7)
    assert play.reply in MARKS
    assert not engine.killed
    harness.post("( PLAY m1 ((mark 1 3) noop) )")
    standby.arrives(2)
    harness.wait(4.4)
    assert engine.killed
    assert harness.engine is standby


def test_a_new_engine_takes_the_match_on(harness: PlayerHarness) -> None:
    harness.first_turn().dies()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.engine.reads_rules()
    harness.engine.arrives(1)
    harness.engine.thinks(1, MARKS[2])
    harness.wait(7)
    assert play.reply == MARKS[2]


def test_an_engine_that_crashes_again_is_replaced_by_one_without_a_network(harness: PlayerHarness) -> None:
    harness.first_turn().dies()
    harness.engine.dies()
    assert harness.engine.thinking == Think(("rules",))


def test_engines_that_keep_crashing_are_replaced_at_a_measured_pace(harness: PlayerHarness) -> None:
    harness.first_turn()
    for _ in range(3):
        harness.engine.dies()
    taken = len(harness.engines.taken)
    harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.wait(1)
    assert len(harness.engines.taken) == taken + 1
    assert harness.engine.history == (("(mark 1 2)", "noop"),)


def test_an_engine_that_hangs_is_replaced_in_time(harness: PlayerHarness) -> None:
    hung = harness.first_turn()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.wait(4.4)
    assert hung.killed
    harness.engine.reads_rules()
    harness.engine.arrives(1)
    harness.wait(3)
    assert play.reply == MARKS[0]


def test_a_slow_interpreter_is_not_taken_for_an_engine_that_hangs(harness: PlayerHarness) -> None:
    harness.post(START)
    harness.engine.reads_rules()
    harness.post("( PLAY m1 NIL )")
    harness.engine.hears()
    harness.wait(4.4)
    assert not harness.engine.killed


def test_late_means_the_best_so_far(harness: PlayerHarness) -> None:
    engine = harness.begin()
    engine.arrives(0)
    play = harness.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[1])
    engine.thinks(0, MARKS[2])
    harness.wait(6.9)
    assert not play.answered
    harness.wait(0.1)
    assert play.reply == MARKS[2]


def test_without_any_engine_a_guess_leaves_within_the_second_that_managers_wait(harness: PlayerHarness) -> None:
    harness.first_turn()
    harness.engine.dies()
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.wait(8.5)
    assert not play.answered
    harness.wait(0.5)
    assert play.reply in {MARKS[0], MARKS[2]}


# ---- Short clocks on a busy machine ----

SHORT = START.replace("10 8 )", "10 0.2 )")


def test_a_legal_move_that_is_known_just_after_the_clock_is_answered_and_not_one_of_an_older_turn(
    harness: PlayerHarness,
) -> None:
    engine = harness.begin(SHORT)
    first = harness.post("( PLAY m1 NIL )")
    engine.thinks(0, MARKS[1], final=True)
    assert first.reply == MARKS[1]
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    harness.wait(0.5)
    assert not play.answered
    engine.arrives(1, ["noop"])
    assert play.reply == "noop"


def test_an_engine_that_is_late_turn_after_turn_on_a_short_clock_is_not_taken_for_one_that_hangs(
    harness: PlayerHarness,
) -> None:
    engine = harness.begin(SHORT)
    moves = "((mark 1 2) noop)"
    for step in range(1, 20):
        play = harness.post(f"( PLAY m1 {moves} )")
        harness.wait(0.6)
        engine.arrives(step, [f"(mark 2 {step})"])
        assert play.reply == f"(mark 2 {step})"
        moves = f"((mark 2 {step}) noop)"
    assert not engine.killed


@pytest.mark.parametrize("clock", ["0.5", "1", "1.5", "2"])
def test_an_engine_that_hangs_is_replaced_though_the_one_that_stands_by_answers_in_time(
    harness: PlayerHarness, clock: str
) -> None:
    hung = harness.begin(START.replace("10 8 )", f"10 {clock} )"))
    harness.wait(2)
    standby = harness.standby
    moves = "((mark 1 2) noop)"
    for step in range(1, 10):
        play = harness.post(f"( PLAY m1 {moves} )")
        standby.arrives(step, [f"(mark 2 {step})", f"(mark 3 {step})"])
        harness.wait(float(clock))
        assert play.reply == f"(mark 2 {step})"
        moves = f"((mark 2 {step}) noop)"
    assert hung.killed
    assert standby.thinking


def test_an_engine_that_hangs_before_it_has_read_the_rules_is_replaced_once_another_has(harness: PlayerHarness) -> None:
    harness.post(START)
    hung = harness.engine
    harness.wait(2)
    standby = harness.standby
    standby.reads_rules()
    standby.arrives(0)
    harness.wait(8)
    for step, told in enumerate(("NIL", f"({MARKS[0]} noop)")):
        assert not hung.killed
        play = harness.post(f"( PLAY m1 {told} )")
        standby.arrives(step)
        harness.wait(7)
        assert play.reply == MARKS[0]
    assert hung.killed
    assert standby.thinking


def test_an_engine_that_hangs_on_a_short_clock_is_replaced_some_turns_later(harness: PlayerHarness) -> None:
    hung = harness.begin(SHORT)
    for number in range(2):
        harness.post(f"( PLAY m1 ((mark 1 {number}) noop) )")
        harness.wait(0.9)
        assert not hung.killed
    harness.post("( PLAY m1 ((mark 1 3) noop) )")
    harness.wait(0.6)
    assert hung.killed


def test_a_guess_is_of_the_turn_a_round_ago_and_not_of_the_others_turn_in_between(harness: PlayerHarness) -> None:
    engine = harness.first_turn(MARKS[1])
    harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.arrives(1, ["noop"])
    play = harness.post("( PLAY m1 (noop (mark 1 1)) )")
    harness.wait(8.8)
    assert play.reply == MARKS[2]


def test_what_the_engine_says_of_an_earlier_step_is_not_answered(harness: PlayerHarness) -> None:
    engine = harness.first_turn(MARKS[1])
    play = harness.post("( PLAY m1 ((mark 1 2) noop) )")
    engine.thinks(0, MARKS[0], final=True)
    assert not play.answered
