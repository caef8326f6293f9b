"""What a player does about engines that crash, hang or are late."""

from __future__ import annotations

from ludens.agent.protocol.wire import MACHINES, Think
from tests.support.stage import MARKS, START, Stage


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
