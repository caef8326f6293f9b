"""What is told of a match: moves, thoughts, faults and the result."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.text import Text

from ludens.agent.commands.commentary import Commentary, show
from ludens.agent.commands.outcome import explain
from ludens.agent.commands.terminal import make_printable
from ludens.agent.manager.referee import MatchState
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.agent.protocol.wire import Joint, LogMessage, SearchReport
from ludens.agent.records.record import Ending, MatchRecord
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.views import reader_of


def printed(said: list[str]) -> Callable[[Text], None]:
    return lambda text: said.append(text.plain)


def commentary(said: list[str], scrambler: Scrambler | None = None) -> Commentary:
    story = Commentary(("x", "o"), None, scrambler or NoScrambler(), say=printed(said))
    story.on_start(MatchState(("(step 1)",), (("a",), ("b",)), False, (None, None)))
    return story


def test_what_a_player_thinks_is_told_in_the_spelling_of_the_sheet() -> None:
    scrambler = Scrambler(parse_rules("(legal x (mark 1)) (legal o noop)"), 1)
    joint = tuple(str(scrambler.scramble(parse_term(move))) for move in ("(mark 1)", "noop"))
    said: list[str] = []
    story = commentary(said, scrambler)
    story.on_news("x", SearchReport(0, joint[0], 1234567, 61.25, (joint,)))
    story.on_turn(1, ["(mark 1)", "noop"], ["", ""], MatchState((), ((), ()), True, (100, 0)))
    assert "  x thinks: 1,234,567 playouts, value 61.2, expects [(mark 1) | noop]" in said


def test_who_waits_is_not_asked_what_it_thinks() -> None:
    said: list[str] = []
    story = Commentary(("x", "o"), None, NoScrambler(), say=printed(said))
    story.on_start(MatchState((), (("a", "c"), ("wait",)), False, (None, None)))
    for role, move in (("x", "a"), ("o", "wait")):
        story.on_news(role, SearchReport(0, move, 10, 50.0))
    story.on_turn(1, ["a", "wait"], ["", ""], MatchState((), ((), ()), True, (100, 0)))
    assert [line for line in said if "thinks" in line] == ["  x thinks: 10 playouts, value 50.0"]


def test_what_experts_need_is_told_to_who_asks_for_it() -> None:
    for verbose, told in ((False, []), (True, ["  x: a remark"])):
        said: list[str] = []
        story = Commentary(("x", "o"), None, NoScrambler(), say=printed(said), verbose=verbose)
        story.on_news("x", LogMessage("a remark", expert=True))
        assert said == told


def test_what_a_player_remarks_is_told_unless_nothing_is_to_be() -> None:
    for quiet, told in ((False, ["  x: a remark"]), (True, [])):
        said: list[str] = []
        story = Commentary(("x", "o"), None, NoScrambler(), quiet, printed(said))
        story.on_news("x", LogMessage("a remark"))
        assert said == told


def test_a_thought_about_another_turn_or_about_nothing_is_not_told() -> None:
    said: list[str] = []
    story = commentary(said)
    story.on_news("x", SearchReport(3, "a", 10, 50.0))
    story.on_news("o", SearchReport(0, "b"))
    story.on_turn(1, ["a", "b"], ["", ""], MatchState((), ((), ()), True, (100, 0)))
    assert not any("thinks" in line for line in said)


def test_errors_are_told_when_they_happen_and_at_the_end() -> None:
    said: list[str] = []
    story = commentary(said)
    story.on_turn(1, ["a", "b"], ["TO", ""], MatchState((), ((), ()), True, (100, 0)))
    assert "  ! turn 1: x: no answer in time (TO); a random move is played instead" in said
    record = MatchRecord("id", "00", 0, 1, 1, ["uct", "flat"], False, completed=True, goals=[100, 0])
    record.moves, record.errors = [["a", "b"]], [["", "CE"], ["TO", ""]]
    assert story.result(record).plain.splitlines() == [
        "Result after 1 turn:",
        "  x  100  uct",
        "  o    0  flat",
        "The match completed with 2 player errors:",
        "  START: o: cannot be reached (CE)",
        "  turn 1: x: no answer in time (TO)",
    ]


def test_an_illegal_move_is_quoted() -> None:
    assert explain("IL (mark 9 9)") == "no legal move: (mark 9 9) (IL)"
    assert explain("IL ") == "no legal move: an empty answer (IL)"


def thought(report: SearchReport, roles: tuple[str, ...] = ("x", "o"), width: int = 200) -> list[str]:
    """The lines that tell what x thinks."""
    said: list[str] = []
    story = Commentary(roles, None, NoScrambler(), say=printed(said), width=width)
    legal = (("a", "b"), *((("wait",),) * (len(roles) - 1)))
    story.on_start(MatchState((), legal, False, (None,) * len(roles)))
    story.on_news("x", report)
    over = MatchState((), ((),) * len(roles), True, (None,) * len(roles))
    story.on_turn(1, ["a", *["wait"] * (len(roles) - 1)], [""] * len(roles), over)
    return next(text for text in said if "thinks" in text).splitlines()


@pytest.mark.parametrize(
    ("value", "turns", "roles", "told"),
    [
        (100.0, 7, ("x", "o"), "proven win in 7 turns"),
        (100.0, 1, ("x", "o"), "proven win in 1 turn"),
        (0.0, None, ("x", "o"), "proven loss"),
        (50.0, None, ("x", "o"), "proven draw"),
        (50.0, None, ("x",), "proven result of 50 points"),
        (75.0, 3, ("x", "o"), "proven result of 75 points in 3 turns"),
    ],
)
def test_what_is_proven_is_told_as_such(value: float, turns: int | None, roles: tuple[str, ...], told: str) -> None:
    report = SearchReport(0, "a", 0, value, (), final=True, proven=True, turns_left=turns)
    assert thought(report, roles) == [f"  x thinks: {told}"]


def test_a_move_that_is_left_over_has_no_value_but_a_reason() -> None:
    assert thought(SearchReport(0, "a", 22, None, final=True, others=0.0)) == [
        "  x thinks: 22 playouts, every other move is a proven loss"
    ]
    assert thought(SearchReport(0, "a", final=True, others=50.0)) == [
        "  x thinks: every other move is a proven draw at most"
    ]


def test_lines_do_not_end_within_a_move() -> None:
    line: tuple[Joint, ...] = tuple((f"(move {i} {i + 1} {i + 2})", "wait") for i in range(6))
    lines = thought(SearchReport(0, "a", 10, 50.0, line), width=40)
    assert len(lines) > 2
    assert all(len(text) <= 40 and text.count("(") == text.count(")") for text in lines)


def test_who_waits_is_left_out_of_what_is_expected() -> None:
    assert thought(SearchReport(0, "a", 10, 50.0, (("a", "wait"), ("wait", "c")))) == [
        "  x thinks: 10 playouts, value 50.0, expects a → c"
    ]


def test_marks_on_the_board_are_explained_once() -> None:
    said: list[str] = []
    cells = [f"(cell {x} {y} blank)" for x in (1, 2) for y in (1, 2)]
    vocabulary = [*cells, "(cell 1 1 flag)", "(cell 2 2 hat)"]
    story = Commentary(("x",), reader_of(vocabulary, cells), NoScrambler(), say=printed(said))
    story.on_start(MatchState(tuple(cells), (("a",),), False, (None,)))
    for turn, facts in enumerate((["(cell 1 1 flag)"], ["(cell 1 1 flag)", "(cell 2 2 hat)"]), start=1):
        story.on_turn(turn, ["a"], [""], MatchState(tuple(facts), (("a",),), False, (None,)))
    legends = [line for text in said for line in text.splitlines() if "=" in line]
    assert legends == ["  F = flag", "  H = hat"]


def test_a_fault_that_comes_again_and_again_is_told_in_one_line_at_the_end() -> None:
    story = commentary([])
    record = MatchRecord("id", "00", 0, 1, 1, ["uct", "flat"], False, completed=True, goals=[100, 0])
    record.moves = [["a", "b"]] * 6
    record.errors = [["TO", ""], ["TO", ""], ["TO", ""], ["", ""], ["TO", "IL x"], ["TO", ""], ["TO", ""]]
    assert story.result(record).plain.splitlines()[3:] == [
        "The match completed with 7 player errors:",
        "  START, turns 1-2, 4-6: x: no answer in time (TO)",
        "  turn 4: o: no legal move: x (IL)",
    ]


def test_a_match_that_was_stopped_is_not_said_to_be_complete() -> None:
    record = MatchRecord("id", "00", 0, 1, 1, ["uct", "flat"], False, aborted=True, ending=Ending.TURN_LIMIT)
    record.moves, record.errors = [["a", "b"]] * 2, [["", ""]] * 3
    text = commentary([]).result(record).plain
    assert text == "Stopped after 2 turns: the game was not over (see --max-turns)."


def drawn(terminal: bool, colours: str | None) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, color_system="standard" if colours else None)
    cells = [f"(cell {x} {y} blank)" for x in (1, 2) for y in (1, 2)]
    story = Commentary(
        ("x",), reader_of([*cells, "(cell 1 1 x)"], cells), NoScrambler(), say=lambda text: show(console, text)
    )
    story.on_start(MatchState(tuple(cells), (("a",),), False, (None,)))
    story.on_turn(1, ["a"], [""], MatchState(("(cell 1 1 x)", *cells[1:]), (("a",),), False, (None,)))
    return out.getvalue()


def test_the_last_move_is_marked_where_there_are_colours() -> None:
    assert "\x1b[7m" in drawn(terminal=True, colours="standard").replace("\x1b[1;7;", "\x1b[7m")
    assert "\x1b" not in drawn(terminal=False, colours=None)


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", "a → é …"), ("latin-1", "a -> é ..."), ("ascii", "a -> ? ...")]
)
def test_what_a_terminal_lacks_is_replaced(encoding: str, shown: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    make_printable(out)
    print("a → é …", end="", file=out, flush=True)
    assert raw.getvalue().decode(encoding) == shown


def test_what_others_say_gives_a_terminal_no_orders() -> None:
    out = io.StringIO()
    show(Console(file=out, width=20), Text("\x1b]0;won\x1b\\\nand\x9b2J"))
    assert out.getvalue() == "␛]0;won␛\\\nand\ufffd2J\n"


def test_a_quiet_match_tells_each_fault_of_a_player_once() -> None:
    for quiet, times in ((False, 3), (True, 1)):
        said: list[str] = []
        story = Commentary(("x", "o"), None, NoScrambler(), quiet, printed(said))
        for turn in range(1, 4):
            story.on_turn(turn, ["a", "b"], ["TO", ""], MatchState((), (("a",), ("b",)), False, (None, None)))
        assert sum("x: no answer in time (TO)" in line for line in said) == times
