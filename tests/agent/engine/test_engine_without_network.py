"""What an engine plays on before there is a network, or where there never is one."""

from __future__ import annotations

import random
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ludens import games
from ludens.agent.protocol.wire import (
    Begin,
    GoTo,
    Joint,
    LogMessage,
    NetworkReady,
    NoNetwork,
    Position,
    SearchReport,
    StandBy,
    Think,
)
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.engine_driver import CONNECT_FOUR, TIC_TAC_TOE, WINNING, engine

# Grounding cannot tell that no cell ever holds both marks.
MILLIONS_THAT_NEVER_HOLD = """
(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
(<= (next (many ?a ?b ?c ?d ?e ?f ?g)) (true (cell 1 1 cross)) (true (cell 1 1 nought))
    (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))
"""


# Whether 1 is lit depends on whether it is dark, and that on whether another is lit: whoever asks which ones are lit
# asks about 1 once more.
STRATIFIED_ON_GROUND_ATOMS = """
(role p) (init (at 2)) (legal p go) (q 1 1) (e 1) (e 2)
(<= (lit ?x) (true (at ?x)))
(<= (lit ?x) (q ?x ?y) (not (dark ?y)))
(<= (dark ?y) (e ?y) (lit ?x) (distinct ?x ?y))
(<= (next (at ?x)) (true (at ?x)) (dark ?x))
(<= terminal (lit 1)) (goal p 100)
"""


@pytest.mark.parametrize("stands_by", [False, True])
def test_an_engine_waits_for_the_network_of_rules_that_nothing_else_can_play(stands_by: bool) -> None:
    with pytest.raises(GdlError, match="not stratified"):
        Interpreter(parse_rules(STRATIFIED_ON_GROUND_ATOMS)).terminal(frozenset([parse_term("(at 2)")]))
    with engine() as it:
        it.send(Begin(STRATIFIED_ON_GROUND_ATOMS, "p"), StandBy() if stands_by else Think())
        while "the interpreter cannot play these rules" not in it.next(LogMessage, warning=True).text:
            pass
        if stands_by:
            it.send(Think())
        assert it.next(Position, step=0).legal == ("go",)
        it.send(GoTo((("go",),)))
        assert it.next(Position, step=1).terminal


def test_an_engine_without_the_native_core_follows_the_match_on_the_interpreter() -> None:
    code = "import sys; sys.modules['ludens.native._core'] = None; from ludens.agent.engine.engine import main; main()"
    with engine(code=("-c", code)) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        reasons: list[LogMessage | NoNetwork] = []
        while not {LogMessage, NoNetwork} <= {type(event) for event in reasons}:
            reasons += [event for event in [it.next_of_all()] if isinstance(event, LogMessage | NoNetwork)]
        assert any("native" in event.text for event in reasons if isinstance(event, LogMessage))
        assert "native" in next(event.reason for event in reasons if isinstance(event, NoNetwork))
        for step, legal in ((4, 5), (1, 1)):
            it.send(GoTo(WINNING[:step]))
            assert len(it.next(Position, step=step).legal) == legal


def test_without_a_network_the_rule_machine_finds_a_win_in_one() -> None:
    with engine() as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think(("rules",)), GoTo(WINNING))
        it.next(NoNetwork)
        it.next_that(lambda report: report.move == "(mark 3 3)", step=4, machine="rules")


@pytest.mark.parametrize("limit", [{"grounding_mb": 64}, {"grounding_seconds": 0.001}])
def test_rules_that_cannot_be_grounded_leave_the_rule_machine_searching(limit: dict[str, Any]) -> None:
    with engine(**limit) as it:
        it.send(Begin(TIC_TAC_TOE + MILLIONS_THAT_NEVER_HOLD, "cross"), Think())
        it.next(NoNetwork)
        it.send(GoTo(WINNING))
        it.next_that(lambda report: report.move == "(mark 3 3)", step=4, machine="rules")


def test_rules_that_the_rule_machine_refuses_are_followed_until_there_is_a_network() -> None:
    many = " ".join("x" * 65)
    sheet = TIC_TAC_TOE + f"(wide {many}) (<= (goal cross 33) (not (wide {many})))"
    with engine() as it:
        it.send(Begin(sheet, "cross"), Think())
        assert "arguments" in it.next(LogMessage).text
        it.send(GoTo(WINNING))
        assert len(it.next(Position, step=4).legal) == 5
        it.next_that(lambda report: report.move == "(mark 3 3)" and report.machine != "rules", step=4)


def held_back(gate: Path) -> tuple[str, str]:
    """The code of an engine whose networks are made only when the file `gate` is there."""
    code = f"""
        import pathlib, time
        from ludens.agent.engine.engine import main
        from ludens.propnet.compile.loader import load

        def late(sheet, limits):
            while not pathlib.Path({str(gate)!r}).exists():
                time.sleep(0.01)
            return load(sheet, limits)

        main(late)
    """
    return "-c", textwrap.dedent(code)


def test_while_the_network_takes_its_time_the_rule_machine_plays(tmp_path: Path) -> None:
    with engine(code=held_back(tmp_path / "gate")) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), Think())
        assert len(it.next(Position, step=0).legal) == 9
        for step in range(1, 4):
            it.send(GoTo(WINNING[:step]))
            legal = it.next(Position, step=step).legal
            assert it.next(SearchReport, step=step).move in legal
        it.send(GoTo(WINNING))
        it.next_that(lambda report: report.move == "(mark 3 3)", step=4, machine="rules")


@pytest.mark.parametrize("settings", [{"strategy": "uct", "iterations": 50}, {"level": 9}])
def test_a_player_of_iterations_has_a_legal_move_before_there_is_a_network(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with engine(code=held_back(tmp_path / "gate"), seed=1, **settings) as it:
        it.send(Begin(TIC_TAC_TOE, "cross", 1.0, 1.0), Think(), GoTo(WINNING[:2]))
        assert len(it.next(Position, step=2).legal) == 7
        (tmp_path / "gate").touch()
        it.next_that(lambda report: report.final, step=2)


def test_the_network_speaks_in_mid_turn_when_it_knows_more_than_the_rule_machine(tmp_path: Path) -> None:
    with engine(code=held_back(tmp_path / "gate")) as it:
        it.send(Begin(CONNECT_FOUR, "red"), Think(), GoTo(()))
        while (report := it.next(SearchReport, step=0)).playouts < 500:
            assert report.machine == "rules"
        (tmp_path / "gate").touch()
        while (later := it.next(SearchReport, step=0)).machine == "rules":
            report = later
        assert later.machine == "network"
        assert later.playouts > report.playouts


def test_the_network_goes_on_where_the_match_stands(tmp_path: Path) -> None:
    drops = [(f"(drop {n})", "noop") if n % 2 else ("noop", f"(drop {n})") for n in (1, 2, 3, 4)]
    with engine(code=held_back(tmp_path / "gate")) as it:
        it.send(Begin(CONNECT_FOUR, "red"), Think(), GoTo(tuple(drops[:2])))
        it.next(SearchReport, step=2, machine="rules")
        (tmp_path / "gate").touch()
        it.next(NetworkReady)
        it.send(GoTo(tuple(drops[:3])), GoTo(tuple(drops)))
        it.next(SearchReport, step=4, machine="network")


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
def test_on_the_rule_machine_whole_matches_are_played_and_won_against_random_moves(game: str) -> None:
    rules = Interpreter(parse_rules(games.read(game)))
    goals = [against_random(rules, games.read(game), role) or 0 for role in rules.roles]
    assert sum(goals) >= 150  # a win and a draw; tic-tac-toe can hardly be lost, though not always be won


def against_random(rules: Interpreter, text: str, role: str) -> int | None:
    """The goal of an engine without a network in a match against random moves; all that it plays is legal."""
    rng = random.Random(role)
    state = rules.initial()
    history: tuple[Joint, ...] = ()
    with engine(grounding_seconds=0.001) as it:
        it.send(Begin(text, role), Think())
        while not rules.terminal(state):
            legal = {other: list(map(str, rules.legal(state, other))) for other in rules.roles}
            it.send(GoTo(history))
            assert sorted(it.next(Position, step=len(history)).legal) == sorted(legal[role])
            while True:
                report = it.next(SearchReport, step=len(history))
                assert report.move in legal[role]
                assert report.machine != "network"
                if report.final or report.playouts > 300:
                    break
            joint = tuple(report.move if other == role else rng.choice(legal[other]) for other in rules.roles)
            state = rules.next(state, list(map(parse_term, joint)))
            history = (*history, joint)
    return rules.goal(state, role)
