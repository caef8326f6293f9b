"""The engine process: a legal move at once, the network as soon as it stands, and where the match goes."""

from __future__ import annotations

import sys

import pytest

from ludens.agent.protocol.wire import (
    MOST_TOLD,
    Acknowledged,
    Begin,
    GoTo,
    NetworkReady,
    NoNetwork,
    Position,
    Ready,
    Refused,
    Rest,
    RulesRead,
    SearchReport,
    StandBy,
    Started,
    Think,
)
from tests.support.engine_driver import CONNECT_FOUR, TIC_TAC_TOE, WINNING, engine, founded_report
from tests.support.many_moves import MILLION, PUT_SIX, PUT_SIX_HIDDEN
from tests.support.processor import processor_ticks_of
from tests.support.waiting import until


def test_an_engine_reads_the_rules_has_a_legal_move_and_then_a_network() -> None:
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        assert it.next(RulesRead).roles == ("cross", "nought")
        legal = it.next(Position).legal
        assert len(legal) == 9
        assert it.next(NetworkReady).gates > 0
        report = founded_report(it)
        assert report.move in legal
        assert report.playouts > 0 or report.final
        assert report.value is not None
        assert 0 <= report.value <= 100
        assert report.line[0][1] == "noop"


def test_an_engine_goes_where_the_match_goes() -> None:
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        it.next(NetworkReady)
        it.send(GoTo(WINNING[:1]))
        assert it.next(Acknowledged).step == 1
        assert it.next(Position, step=1).legal == ("noop",)
        assert it.next(SearchReport, step=1).final
        it.send(GoTo(WINNING))
        assert len(it.next(Position, step=4).legal) == 5
        over = (*WINNING, ("(mark 3 3)", "noop"))
        it.send(GoTo(over))
        end = it.next(Position, step=5)
        assert end.terminal
        assert end.goals == (100, 0)


NEVER_IMPORTED = """
import sys, time

class Never:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            time.sleep(1e6)

sys.meta_path.insert(0, Never())
from ludens.agent.engine.engine import main
main()
"""


def test_a_legal_move_is_known_before_what_searches_need_is_imported() -> None:
    with engine(code=("-c", NEVER_IMPORTED)) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        assert len(it.next(Position, step=0).legal) == 9
        it.send(GoTo(WINNING))
        assert len(it.next(Position, step=4).legal) == 5


def test_an_engine_that_stands_by_tells_positions_and_does_not_search_until_it_is_told_to() -> None:
    with engine() as it:
        it.next(Started)
        it.send(Begin(TIC_TAC_TOE, "cross"), StandBy(), GoTo(WINNING[:2]), GoTo(WINNING))
        assert len(it.next(Position, step=4).legal) == 5
        it.send(Think())
        assert isinstance(it.next_of_all(), NetworkReady | SearchReport)
        it.next_that(lambda report: report.move == "(mark 3 3)", step=4)


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read from /proc")
def test_an_engine_that_rests_leaves_the_processor_alone_until_it_is_sent_on() -> None:
    with engine(strategy="uct") as it:
        it.send(Begin(CONNECT_FOUR, "red"), Think(), GoTo((), ticket=1))
        it.next(Ready)
        founded_report(it, ticket=1)
        it.send(Rest())
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) == 0)
        it.send(GoTo((), ticket=2))
        it.next_that(lambda report: report.playouts > 0, ticket=2)


@pytest.mark.parametrize("machines", [("rules", "network"), ("rules",), ()])
def test_an_illegal_move_of_another_role_does_not_stop_an_engine(machines: tuple[str, ...]) -> None:
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think(machines))
        it.next(NetworkReady if "network" in machines else NoNetwork)
        it.send(GoTo((("(mark 1 1)", "noop"), ("noop", "(fly to the moon)"))))
        position = it.next(Position, step=2)
        assert len(position.legal) == 8
        if machines:
            assert it.next(SearchReport, step=2).move in position.legal


@pytest.mark.parametrize(
    ("command", "wrong"),
    [*((command, "(mark 9 9)") for command in (StandBy(), Think(("rules",)), Think())), (StandBy(), "(mark ?row 1)")],
)
def test_an_engine_says_which_histories_fit_the_rules(command: StandBy | Think, wrong: str) -> None:
    told, ours = (wrong, "noop"), ("(mark 1 1)", "noop")
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), command)
        if command == Think():
            it.next(NetworkReady)
        it.send(GoTo((told,), ((ours,),), (0, 1)))
        assert it.next(Position, step=1).fits == (1, 0)
        for reply, fits, free in (("(mark 2 2)", (0, 1), 7), ("(mark 1 1)", (1,), 8)):
            it.send(GoTo((ours, ("noop", reply)), ((told, ("noop", reply)),), (1, 0)))
            position = it.next(Position, step=2)
            assert position.fits == fits
            assert len(position.legal) == free
        it.send(GoTo((("(mark 3 3)", "noop"),), ((ours,),), (0, 1)))
        assert it.next(Position, step=1).fits == (0,)


def test_of_histories_that_fit_those_come_first_in_which_there_is_a_move() -> None:
    winning = ("(mark 3 3)", "noop")
    wrong = ("(mark 9 9)", "noop")
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), StandBy(), GoTo((*WINNING, wrong), ((*WINNING, winning),), (0, 1)))
        position = it.next(Position, step=5)
        assert position.fits == (0, 1)
        assert not position.terminal


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (MILLION, StandBy()),
        (MILLION, Think(("rules",))),
        (PUT_SIX, StandBy()),
        (PUT_SIX, Think(("rules",))),
        (PUT_SIX_HIDDEN, StandBy()),
    ],
)
def test_of_very_many_legal_moves_an_engine_tells_some(text: str, command: StandBy | Think) -> None:
    with engine() as it:
        it.send(Begin(text, "r"), command)
        others = ("noop",) * (len(it.next(RulesRead).roles) - 1)
        position = it.next(Position, step=0)
        assert 1 <= len(position.legal) <= MOST_TOLD
        assert not position.complete
        it.send(GoTo(((position.legal[0], *others),)))
        assert it.next(Position, step=1).legal


def test_strategies_without_search_answer_at_once() -> None:
    with engine(strategy="first") as it:
        it.send(Begin(TIC_TAC_TOE, "nought"), Think(), GoTo(WINNING[:1]))
        position = it.next(Position, step=1)
        report = it.next(SearchReport, step=1)
        assert report.final
        assert report.move == position.legal[0]


def test_the_random_strategy_plays_different_moves() -> None:
    with engine(strategy="random") as it:
        it.send(Begin(TIC_TAC_TOE, "nought"), Think())
        it.next(NetworkReady)
        moves = set()
        for row in "123":
            for column in "123":
                it.send(GoTo(((f"(mark {row} {column})", "noop"),)))
                report = it.next(SearchReport, step=1, final=True)
                moves.add(report.move)
        assert len(moves) > 3


def test_rules_that_cannot_be_played_are_refused_with_their_reason() -> None:
    with engine() as it:
        for rules, role, reason in (
            (TIC_TAC_TOE, "red", "red"),
            ("(role x) (init (", "x", "line 1"),
            ("(init a) (<= (legal x a) (true a))", "x", "role"),
            ("(role x) (init a) (<= (next ?y) (true a)) (legal x a) terminal (goal x 1)", "x", "line 1"),
        ):
            it.send(Begin(rules, role))
            assert reason in it.next(Refused).reason
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        assert len(it.next(Position).legal) == 9


def test_an_engine_goes_back_and_tells_what_every_role_may_expect_after_each_candidate() -> None:
    with engine(strategy="uct", iterations=500) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think(), GoTo(WINNING, ticket=1))
        assert it.next(Position, ticket=1).step == 4
        report = it.next(SearchReport, ticket=1, final=True)
        assert (0, report.move, 100.0, True) in [
            (role, move, value, sure) for role, move, _, value, sure in report.candidates
        ]
        assert {candidate[0] for candidate in report.candidates} == {0}  # who has the choice
        assert report.values == (100.0, 0.0)
        it.send(GoTo(WINNING[:2], ticket=2))
        assert it.next(Position, ticket=2).step == 2
        assert it.next(SearchReport, ticket=2, final=True).step == 2
