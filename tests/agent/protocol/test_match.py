"""A match stays in step with its manager and always has an answer; clocks and settings."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from ludens.agent.protocol.clock import deadline, silence_limit
from ludens.agent.protocol.match import Match, Turn
from ludens.agent.protocol.messages import Start
from ludens.agent.protocol.wire import Position, SearchReport, WireError, decode, encode
from ludens.agent.settings import options as settings
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.memory_shares import INTERIM, TAKEOVER, TRIAL, memory_part
from ludens.agent.settings.options import PlayerOptions

MOVES = ("a", "b", "c")


@pytest.fixture
def match() -> Match:
    match = Match(Start("m", "x", "", 10, 10))
    match.roles = ("x", "o")
    return match


def answered(match: Match, reply: str, legal: tuple[str, ...] = MOVES) -> None:
    match.update(Position(match.step, legal, False))
    match.update(SearchReport(match.step, reply))
    assert match.commit_answer() == reply


# ---- In step ----


def test_the_first_play_stays_at_the_first_step(match: Match) -> None:
    assert match.play(None) is Turn.SAME
    assert match.step == 0


def test_a_joint_move_advances_one_step(match: Match) -> None:
    answered(match, "a")
    assert match.play(("a", "noop")) is Turn.ADVANCED
    assert match.history == (("a", "noop"),)
    assert match.reply is None


def test_nil_in_mid_match_changes_nothing(match: Match) -> None:
    answered(match, "a")
    match.play(("a", "noop"))
    answered(match, "b")
    assert match.play(None) is Turn.SAME
    assert match.commit_answer() == "b"


@pytest.mark.parametrize("moves", [(), ("a",), ("a", "b", "c")])
def test_a_wrong_number_of_moves_is_out_of_step(match: Match, moves: tuple[str, ...]) -> None:
    answered(match, "a")
    assert match.play(moves) is Turn.OUT_OF_STEP
    assert match.step == 0
    assert match.commit_answer() == "a"


def test_while_the_roles_are_unknown_no_moves_are_taken_for_a_joint_move() -> None:
    match = Match(Start("m", "x", "", 10, 10))
    assert match.play(("a", "b", "c")) is Turn.EARLY
    assert match.step == 0
    assert match.under_way
    assert match.learn_roles(("x", "o")) == [(Turn.OUT_OF_STEP, ("a", "b", "c"))]


def test_moves_that_wait_for_an_answer_are_not_played_twice(match: Match) -> None:
    match.play(("a", "noop"))
    assert match.play(("a", "noop")) is Turn.SAME


def test_moves_that_have_become_impossible_are_not_played_twice(match: Match) -> None:
    match.play(("a", "noop"))
    answered(match, "noop", legal=("noop",))
    assert match.play(("a", "noop")) is Turn.SAME
    assert match.commit_answer() == "noop"


def test_possible_moves_are_played_twice(match: Match) -> None:
    match.play(("noop", "noop"))
    answered(match, "noop", legal=("noop",))
    assert match.play(("noop", "noop")) is Turn.ADVANCED
    assert match.step == 2


def test_a_turn_like_the_last_counts_though_that_was_answered_without_a_move(match: Match) -> None:
    """As on a machine so busy that no legal move is known for two turns."""
    turn = ("noop", "noop")
    assert match.play(None) is Turn.SAME
    for _ in range(3):
        assert match.commit_answer() == "nil"
        assert match.play(turn) is Turn.ADVANCED
    assert match.history == (turn, turn, turn)


def test_turns_alike_are_told_from_those_sent_again_though_the_roles_were_unknown_by_then() -> None:
    match, turn = Match(Start("m", "x", "", 10, 10)), ("noop", "noop")
    match.play(turn)
    match.commit_answer()
    match.play(turn)
    match.play(turn)  # for want of an answer
    match.commit_answer()
    assert [what for what, _ in match.learn_roles(("x", "o"))] == [Turn.ADVANCED, Turn.ADVANCED, Turn.SAME]
    assert match.play(turn) is Turn.ADVANCED


def test_the_managers_word_counts_for_our_own_move(match: Match) -> None:
    answered(match, "a")
    match.play(("b", "noop"))
    assert match.history == (("b", "noop"),)
    assert match.replaced_move == "a"
    answered(match, "c")
    match.play(("c", "noop"))
    assert match.replaced_move is None


# ---- An answer in hand ----


def test_any_legal_move_is_better_than_none(match: Match) -> None:
    match.update(Position(0, MOVES, False))
    assert match.current_position
    assert match.answer() in MOVES


def test_the_last_thought_counts(match: Match) -> None:
    match.update(Position(0, MOVES, False))
    match.update(SearchReport(0, "b"))
    match.update(SearchReport(0, "c"))
    assert match.answer() == "c"


def test_a_thought_of_a_move_that_cannot_be_made_does_not_count(match: Match) -> None:
    match.update(SearchReport(0, "x", final=True))
    match.update(Position(0, MOVES, False))
    assert not match.is_final
    assert match.current_report is None
    assert match.answer() == "a"


def test_a_thought_of_a_move_that_was_not_told_counts_where_not_all_are(match: Match) -> None:
    match.update(Position(0, MOVES, False, complete=False))
    match.update(SearchReport(0, "x"))
    assert match.answer() == "x"


def test_thoughts_about_other_steps_do_not_count(match: Match) -> None:
    match.update(Position(0, MOVES, False))
    assert not match.update(SearchReport(1, "b"))
    match.update(SearchReport(0, "b"))
    match.play(("b", "noop"))
    match.update(Position(1, ("c",), False))
    assert match.answer() == "c"


def test_an_answer_that_has_been_given_stays(match: Match) -> None:
    answered(match, "a")
    match.update(SearchReport(0, "b"))
    assert match.commit_answer() == "a"


@pytest.mark.parametrize("position", [Position(0, MOVES, True, (50, 50)), Position(0, (), False)])
def test_without_a_move_to_make_the_answer_is_nil(match: Match, position: Position) -> None:
    match.update(position)
    assert match.is_final
    assert match.answer() == "nil"


def test_only_a_final_thought_settles_the_answer(match: Match) -> None:
    match.update(Position(0, MOVES, False))
    match.update(SearchReport(0, "a"))
    assert not match.is_final
    match.update(SearchReport(0, "a", final=True))
    assert match.is_final


def test_without_word_from_the_engine_an_earlier_move_that_was_not_played_is_tried(match: Match) -> None:
    answered(match, "a")
    match.play(("a", "b"))
    assert not match.current_position
    assert match.answer() == "c"


def test_without_any_word_at_all_the_answer_is_nil(match: Match) -> None:
    assert match.answer() == "nil"


# ---- Clocks ----


@pytest.mark.parametrize(("clock", "answer"), [(30, 28.5), (10, 8.5), (6, 4.5), (4, 3), (1, 0.75), (0.1, 0.075)])
def test_the_margin_shrinks_with_the_clock(clock: float, answer: float) -> None:
    due = deadline(clock, 1.5)
    assert due.answer == pytest.approx(answer)
    assert due.check <= due.answer < clock < due.give_up < clock + 1


@pytest.mark.parametrize("clock", [0, -1, -600])
def test_without_a_clock_the_first_legal_move_is_answered(clock: float) -> None:
    due = deadline(clock, 1.5)
    assert due.answer == 0
    assert 0 < due.give_up <= 1
    assert silence_limit(clock, 15) == 15


# ---- Settings ----


def test_settings_are_read_from_texts() -> None:
    options = PlayerOptions.from_texts({"strategy": "flat", "threads": "3", "margin": "0.5"})
    assert (options.strategy, options.threads, options.margin) == ("flat", 3, 0.5)


@pytest.mark.parametrize(
    ("threads", "processors", "nodes_mb", "workers"),
    [("0", 4, "1024", 4), ("0", 4, "200", 3), ("0", 4, "1", 1), ("3", 1, "64", 3)],
)
def test_a_player_searches_on_all_processors_that_it_has_memory_for(
    threads: str, processors: int, nodes_mb: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "processors", lambda: processors)
    assert PlayerOptions.from_texts({"threads": threads, "nodes_mb": nodes_mb}).workers == workers


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("strategy", "clever"),
        ("threads", "-1"),
        ("threads", "two"),
        ("lanes", "100"),
        ("margin", "nan"),
        ("margin", "-1"),
        ("learn", "inf"),
        ("learn", "3601"),
        ("port", "65536"),
        ("name", "not a name"),
        ("name", "x" * 21),
        ("engine_mb", "511"),
        ("nodes_mb", "-1"),
        ("speed", "9"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(OptionError, match=name):
        PlayerOptions.from_texts({name: text})


@pytest.mark.parametrize(
    "settings",
    [{"strategy": "uct"}, {"iterations": 9}, {"level": 5}, {"cluster": "auto"}, {"network": "draughts.net"}],
    ids=lambda settings: next(iter(settings)),
)
def test_what_would_do_nothing_beside_a_player_of_the_users_own_is_refused(settings: dict[str, Any]) -> None:
    (name,) = settings
    with pytest.raises(OptionError, match=f"{name} does not go with player, which chooses the moves"):
        PlayerOptions(player="mine.py:Mine", **settings)


@pytest.mark.parametrize("bound", ["low", "high"])
@pytest.mark.parametrize(
    "knob", [k for k in dataclasses.fields(PlayerOptions) if "low" in k.metadata], ids=lambda k: k.name
)
def test_every_setting_takes_the_ends_of_its_range_with_all_others_as_they_are(
    knob: dataclasses.Field[Any], bound: str
) -> None:
    options = PlayerOptions(**{knob.name: knob.metadata[bound]})
    assert options.tree_mb >= 1
    assert options.process_mb > options.tree_mb


@pytest.mark.parametrize(("engine_mb", "tree_mb"), [(0, 1024), (512, 43), (600, 51), (2816, 1024), (100_000, 1024)])
def test_the_search_tree_has_the_memory_that_the_engine_leaves(engine_mb: int, tree_mb: int) -> None:
    options = PlayerOptions(engine_mb=engine_mb)
    assert options.tree_mb == tree_mb
    assert PlayerOptions(engine_mb=engine_mb, nodes_mb=tree_mb).tree_mb == tree_mb


@pytest.mark.parametrize(
    "stage",
    [(INTERIM, INTERIM, TRIAL, TRIAL), (INTERIM, INTERIM, 1), (INTERIM, TAKEOVER, TAKEOVER)],
    ids=["trial", "choice", "takeover"],
)
def test_an_engine_has_room_for_all_searches_that_live_at_once(stage: tuple[float, ...]) -> None:
    options = PlayerOptions(engine_mb=600)
    assert sum(memory_part(options.tree_mb, share) for share in stage) < 0.15 * options.process_mb


@pytest.mark.parametrize("nodes_mb", [44, 100, 300, 1024, 3000, 1_000_000])
def test_a_search_tree_that_leaves_an_engine_too_little_is_refused_with_what_to_change(nodes_mb: int) -> None:
    with pytest.raises(OptionError) as refused:
        PlayerOptions(engine_mb=512, nodes_mb=nodes_mb)
    found = re.search(r"at least (\d+) .*nodes_mb to (\d+)", str(refused.value))
    assert found
    least, most = map(int, found.groups())
    assert PlayerOptions(engine_mb=least, nodes_mb=nodes_mb).process_mb == least
    with pytest.raises(OptionError):
        PlayerOptions(engine_mb=least - 1, nodes_mb=nodes_mb)
    assert PlayerOptions(engine_mb=512, nodes_mb=most).tree_mb == most


# ---- Between player and engine ----


def test_messages_survive_the_pipe() -> None:
    report = SearchReport(3, "(mark 1 1)", 17, None, (("(mark 1 1)", "noop"), ("noop", "é")), "network")
    assert decode(encode(report)) == report
    position = Position(3, MOVES, True, (100, None))
    assert decode(encode(position)) == position


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"{}", b'{"is": "Nothing"}', b'{"is": "SearchReport", "speed": 1}', b"\xff"]
)
def test_other_lines_on_the_pipe_are_refused(line: bytes) -> None:
    with pytest.raises(WireError):
        decode(line)
