"""The engine process: a legal move at once, the network as soon as it stands, nothing left behind."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import (
    MOST_TOLD,
    Acknowledged,
    Begin,
    GoTo,
    Joint,
    LogMessage,
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
    encode,
)
from ludens.agent.search.mixed_strategy import draw
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.base.errors import GdlError, NativeError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.engine_driver import Driver, engine
from tests.support.many_moves import MILLION, PUT_SIX, PUT_SIX_HIDDEN
from tests.support.paths import ROOT
from tests.support.processor import is_running, processor_ticks_of
from tests.support.waiting import PATIENCE, until

CONNECT_FOUR = (ROOT / "games/sheets/connect_four.kif").read_text()
TIC_TAC_TOE = (ROOT / "games/sheets/tic_tac_toe.kif").read_text()

# Grounding cannot tell that no cell ever holds both marks.
MILLIONS_THAT_NEVER_HOLD = """
(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
(<= (next (many ?a ?b ?c ?d ?e ?f ?g)) (true (cell 1 1 cross)) (true (cell 1 1 nought))
    (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))
"""

# cross wins at (3 3)
WINNING: tuple[Joint, ...] = (
    ("(mark 1 1)", "noop"),
    ("noop", "(mark 1 2)"),
    ("(mark 2 2)", "noop"),
    ("noop", "(mark 1 3)"),
)


def founded_report(it: Driver, **wanted: object) -> SearchReport:
    """The next report of the network, or of the core of a recognised game, that a visit stands behind.

    On a slow machine a slice may end before one.
    """
    return it.next_that(lambda report: report.value is not None and report.machine != "rules", **wanted)


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


NO_MEMORY = """
from ludens.agent.engine import engine

def full(*_):
    raise MemoryError

engine.{} = full
engine.main()
"""


def test_an_engine_goes_on_where_the_interpreter_has_not_enough_memory() -> None:
    with engine(code=("-c", NO_MEMORY.format("ReferenceAgent"))) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), StandBy())
        assert it.next(LogMessage, warning=True).text.endswith("cannot play these rules: out of memory")
        it.send(Think())
        assert len(it.next(Position, step=0).legal) == 9


def test_rules_are_refused_that_do_not_fit_into_memory() -> None:
    with engine(code=("-c", NO_MEMORY.format("_read"))) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"))
        assert it.next(Refused).reason == "out of memory"


def test_an_engine_that_fails_on_its_main_thread_says_why() -> None:
    command = [sys.executable, "-m", "ludens.agent.engine.engine", json.dumps(dataclasses.asdict(PlayerOptions()))]
    ended = subprocess.run(command, input=b"nonsense\n", capture_output=True, timeout=PATIENCE, cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stderr.splitlines()[-1].startswith(b"WireError: ")


PREPARES_FOR_EVER = """
import time
from ludens.agent.engine import engine
from ludens.agent.preparation import prepare
prepare.prepare = lambda *_, **__: time.sleep(1e6)
engine.main()
"""


def test_the_network_is_played_as_it_is_while_the_engine_still_prepares() -> None:
    with engine(code=("-c", PREPARES_FOR_EVER)) as it:
        it.send(Begin(CONNECT_FOUR, "red"), Think())
        it.next(NetworkReady)
        it.send(GoTo(()))
        assert founded_report(it).playouts > 0


def test_an_engine_learns_before_the_first_turn_and_searches_by_what_it_has_learned() -> None:
    with engine(strategy="guided", learn=2.0, recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", seconds=3600.0), Think())
        it.next(NetworkReady)
        assert it.next(LogMessage).text.startswith("learned for")
        it.next(Ready)
        it.send(GoTo(WINNING))
        assert founded_report(it, step=4).move == "(mark 3 3)"  # at once, and not by a fork


def test_an_engine_uses_again_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for seconds, remark in (
        (3600.0, r"learned for [\d.]+ s by playing itself"),
        (3600.0, r".*, in addition to .*"),
        (0.0, r".* is used"),
    ):
        with engine(strategy="guided", features="state", learn=2.0) as it:
            it.send(Begin(TIC_TAC_TOE, "cross", seconds), Think())
            it.next(NetworkReady)
            assert re.fullmatch(remark, it.next(LogMessage).text)


SAYS_WHEN_IT_LEARNS = """
from ludens.agent.engine import engine
from ludens.agent.preparation.start_clock_learning import StartClockLearning
learn = StartClockLearning._learn_for

def told(learning, seconds):
    learning._budget.tell("learns from now on")
    learn(learning, seconds)

StartClockLearning._learn_for = told
engine.main()
"""


def test_learning_ends_with_the_first_turn() -> None:
    with engine(code=("-c", SAYS_WHEN_IT_LEARNS), strategy="guided", learn=3600.0, recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", seconds=3600.0), Think())
        it.next(LogMessage, text="learns from now on")
        it.send(GoTo(()))
        it.next(Ready)


def test_without_time_to_learn_a_guided_engine_searches_all_the_same() -> None:
    with engine(strategy="guided", recall="off") as it:
        it.send(Begin(TIC_TAC_TOE, "cross", 1.0), Think())
        assert "learn" in it.next(LogMessage).text
        report = founded_report(it)
        assert report.playouts > 0 or report.final


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


def test_an_engine_plays_in_the_least_memory_that_it_may_be_given() -> None:
    with engine(engine_mb=512, nodes_mb=0, threads=0, strategy="uct") as it:
        it.send(Begin(CONNECT_FOUR, "red", seconds=3600.0), Think())
        it.next(NetworkReady)
        it.next(Ready)
        it.send(GoTo(()))
        assert founded_report(it).playouts > 0
        assert most_address_space_mb(it.process.pid) < 0.75 * 512  # or it would be chance that it did


def most_address_space_mb(pid: int) -> float:
    """How much address space a process has had at most; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmPeak:"))


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


def test_rules_that_the_rule_machine_refuses_are_followed_until_there_is_a_network() -> None:
    many = " ".join("x" * 65)
    sheet = TIC_TAC_TOE + f"(wide {many}) (<= (goal cross 33) (not (wide {many})))"
    with engine() as it:
        it.send(Begin(sheet, "cross"), Think())
        assert "arguments" in it.next(LogMessage).text
        it.send(GoTo(WINNING))
        assert len(it.next(Position, step=4).legal) == 5
        it.next_that(lambda report: report.move == "(mark 3 3)" and report.machine != "rules", step=4)


# ---- From the rule machine to the network ----


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


# ---- Without search, and the end ----


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


def test_an_engine_dies_when_its_pipe_ends() -> None:
    it = Driver()
    it.send(Begin(TIC_TAC_TOE, "cross"), Think())
    it.next(NetworkReady)
    assert it.close() == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death")
def test_an_engine_dies_with_its_player_even_when_it_hangs() -> None:
    code = (
        "import subprocess, sys, time\n"
        "engine = subprocess.Popen([sys.executable, '-m', 'ludens.agent.engine.engine', sys.argv[1]],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "engine.stdin.write(sys.argv[2].encode()); engine.stdin.flush()\n"
        "engine.stdout.readline()\n"
        "print(engine.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    options = json.dumps(dataclasses.asdict(PlayerOptions()))
    begin = encode(Begin(TIC_TAC_TOE, "cross")).decode()
    player = subprocess.Popen([sys.executable, "-c", code, options, begin], stdout=subprocess.PIPE, cwd=ROOT)
    with player:
        assert player.stdout
        pid = int(player.stdout.readline())
        os.kill(pid, signal.SIGSTOP)
        player.kill()
    until(lambda: not is_running(pid))


# ---- Parts ----


def test_a_path_takes_one_step_for_each_new_move_and_goes_back_where_histories_differ() -> None:
    steps: list[Joint] = []

    def step(state: str, moves: Joint) -> str:
        steps.append(moves)
        return state + "".join(moves)

    path = StateHistory("", step)
    assert path.follow((("a",), ("b",))) == "ab"
    assert path.follow((("a",), ("b",), ("c",))) == "abc"
    assert len(steps) == 3
    assert path.follow((("a",), ("x",))) == "ax"
    assert len(steps) == 4
    assert path.follow(()) == ""


def test_a_path_whose_step_fails_goes_on_from_before_it() -> None:
    def step(state: str, moves: Joint) -> str:
        if moves == ("x",):
            raise NativeError("no room")
        return state + "".join(moves)

    path = StateHistory("", step)
    path.follow((("a",), ("b",), ("c",)))
    with pytest.raises(NativeError):
        path.follow((("a",), ("x",)))
    assert path.follow((("a",), ("b",), ("d",))) == "abd"


def test_moves_are_drawn_in_proportion_to_visits_and_hardly_visited_ones_never() -> None:
    visits = np.array([600, 5, 300, 100])
    drawn = [draw(visits, quantile) for quantile in np.linspace(0, 1, 1000, endpoint=False)]
    assert [drawn.count(i) for i in range(4)] == [600, 0, 300, 100]


def test_without_visits_every_move_may_be_drawn() -> None:
    assert {draw(np.zeros(4, np.int64), quantile) for quantile in (0.0, 0.3, 0.6, 0.9)} == {0, 1, 2, 3}


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
