"""What a player reports of positions whose result is proven: the goal, and how many turns are left."""

from __future__ import annotations

from ludens import games
from ludens.agent.engine.backends import repeatable_backend
from ludens.agent.engine.iteration_agent import IterationAgent
from ludens.agent.protocol.wire import GoTo, History, SearchReport
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules

SHEET = parse_rules(games.read("tic_tac_toe"))
NET = load(SHEET)

# cross . nought     Cross threatens to fill the left column and the lowest row; nought, whose turn it is,
#   .  nought .      cannot stop both.
# cross . cross
LOST: History = (
    ("(mark 1 1)", "noop"),
    ("noop", "(mark 2 2)"),
    ("(mark 3 3)", "noop"),
    ("noop", "(mark 1 3)"),
    ("(mark 3 1)", "noop"),
)
PARRIED: History = (*LOST, ("noop", "(mark 2 1)"))


def reported(role: str, *histories: History, solver: float = 0.0) -> SearchReport:
    """What a player reports in the end of the last of the positions, which it is sent to one after the other."""
    options = PlayerOptions(strategy="uct", iterations=2000, seed=1, nodes_mb=16, solver_share=solver)
    it = IterationAgent(repeatable_backend(NET, SHEET, options, lambda _: None), role, options, lambda _: None)
    report = None
    for history in histories:
        it.follow(GoTo(history))
        report = it.known()
        while it.can_search:
            report = it.think(0.0)
    assert report is not None
    assert report.final
    return report


def test_a_lost_position_is_worth_nothing_and_says_when_it_is_over() -> None:
    report = reported("nought", LOST)
    assert (report.proven, report.value) == (True, 0.0)
    assert report.turns_left in (None, 2)  # there are several ways to lose
    assert all(joint[1] == report.move for joint in report.line[:1])


def test_what_is_left_when_all_else_loses_has_no_value() -> None:
    report = reported("nought", LOST, solver=0.5)
    assert not report.proven
    assert (report.value, report.others) == (None, 0.0)


def test_a_win_in_one_is_seen_as_such() -> None:
    report = reported("cross", PARRIED)
    assert (report.proven, report.value, report.turns_left) == (True, 100.0, 1)
    assert report.line == ((report.move, "noop"),)
    assert report.move == "(mark 3 2)"


def test_the_end_stays_known_while_all_play_the_line() -> None:
    before = LOST[:4]
    first = reported("cross", before)
    assert (first.value, first.turns_left, len(first.line)) == (100.0, 3, 3)
    assert first.line[0] == LOST[4]
    later = reported("cross", before, before + first.line[:2])
    assert (later.value, later.turns_left) == (100.0, 1)
    assert later.line == ((later.move, "noop"),)  # there are several wins
