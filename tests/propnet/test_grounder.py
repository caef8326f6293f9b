"""Grounding: what clingo is told, what comes back, and how the process that does it is bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from ludens import games
from ludens.propnet.base import child
from ludens.propnet.base.child import ExceededError, Wording, environment
from ludens.propnet.base.errors import GdlError, GroundingError
from ludens.propnet.compile.grounder import ALWAYS, ground
from ludens.propnet.compile.loader import Limits, compile_rules, load, load_with_stages
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.rewrite import narrow, plain
from tests.support.agreement import assert_agreement
from tests.support.waiting import PATIENCE

COUNTER = """
(role robot)
(init (count 1))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal robot wait))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m))
(<= terminal (true (count 4)))
(<= (goal robot 100) terminal)
(<= (goal robot 0) (not terminal))
"""

WORDING = Wording(
    "the work failed",
    "the work takes more than the {:g} s that it has",
    "the work takes more than the {:,} MB that it has",
)

TEN_MILLION_MOVES = """
(role robot) (init a) (<= terminal (not (true a)))
(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
(<= (legal robot (go ?a ?b ?c ?d ?e ?f ?g)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))
"""


SPELLINGS = ["9", "007", "-1", "x>y", "a'b", 'say"so', "Not", "_x", "a.b", "V1", "c1", "ünï", "#show", "x%"]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_symbol_may_be_spelled_with_anything(name: str) -> None:
    facts = f"(role {name}) (init (at {name})) (legal {name} (go {name} ({name} {name})))"
    rules = ground(plain(parse_rules(facts + f"(<= terminal (true (at {name})))")))
    assert list(rules.true) == [f"(at {name})"]
    assert list(rules.legal) == [(name, f"(go {name} ({name} {name}))")]


def test_symbols_that_differ_in_case_only_are_different() -> None:
    text = "(role a) (role A) (legal a go) (legal A Go) (init f) (init F) (<= terminal (true f))"
    rules = ground(plain(parse_rules(text)))
    assert rules.roles == ("a", "A")
    assert set(rules.legal) == {("a", "go"), ("A", "Go")}
    assert set(rules.true) == {"f", "F"}


def test_what_is_reachable_wins_over_base_and_input() -> None:
    declared = COUNTER + "(base (count 9)) (input robot fly)"
    rules = ground(plain(parse_rules(declared)))
    assert set(rules.true) == {"(count 1)", "(count 2)", "(count 3)", "(count 4)"}
    assert set(rules.legal) == {("robot", "wait")}


def test_a_relation_may_have_several_arities() -> None:
    rules = "(role r) (init (p a)) (legal r go) (q a) (q a b) (<= q (q ?x)) (<= terminal (q ?x b) q)"
    assert ground(plain(parse_rules(rules))).terminal == [ALWAYS]


def test_legal_moves_of_somebody_who_is_no_role_are_ignored() -> None:
    assert load(COUNTER + "(legal nobody wait)").moves == (("wait",),)


def test_init_may_be_defined_by_rules() -> None:
    by_rules = "(<= (init (count ?n)) (succ ?n ?m) (not (later ?n))) (<= (later ?m) (succ ?n ?m))"
    rules = COUNTER.replace("(init (count 1))", by_rules)
    net = load(rules)
    assert dict(zip(net.propositions, net.initial.tolist(), strict=True))["(count 1)"]
    assert_agreement(net, rules)


def test_init_that_depends_on_the_state_is_refused() -> None:
    with pytest.raises(GdlError, match="init"):
        load("(role r) (init (p a)) (<= (init (p b)) (true (p a))) (legal r go) (<= terminal (true (p b)))")


def test_rules_need_no_more_than_a_moment() -> None:
    assert_agreement(load(COUNTER, Limits(seconds=60, memory_mb=1024)), COUNTER)


def test_rules_that_need_too_long_are_refused() -> None:
    with pytest.raises(ExceededError, match=r"0\.5 s allowed"):
        load(TEN_MILLION_MOVES, Limits(seconds=0.5, memory_mb=8192))


@pytest.mark.parametrize("memory_mb", [16, 64, 400])
def test_rules_that_need_too_much_memory_are_refused_with_the_option_to_change(memory_mb: int) -> None:
    with pytest.raises(ExceededError, match=f"{memory_mb} MB of memory allowed; --grounding-mb allows more"):
        load(TEN_MILLION_MOVES, Limits(seconds=PATIENCE, memory_mb=memory_mb))


def test_of_rules_without_end_it_is_said_that_no_limit_helps() -> None:
    text = "(role r) (legal r go) (num z)\n(<= (num (s ?x)) (num ?x)) (<= terminal (num (s z)))"
    with pytest.raises(ExceededError, match="nothing is enough if the rule in line 2 makes ever deeper terms"):
        load(text, Limits(seconds=1, memory_mb=8192))


@pytest.mark.parametrize("status", [-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGKILL, 127])
def test_a_child_that_gets_no_memory_in_c_code_has_exceeded_its_memory(status: int) -> None:
    lost = child._lost(status, Limits(memory_mb=2048), WORDING, "Fatal glibc error: cannot allocate memory")
    assert isinstance(lost, ExceededError)
    assert str(lost) == "the work takes more than the 2,048 MB that it has"
    assert "glibc" not in str(lost)


def test_a_child_ends_when_its_work_is_no_longer_wanted() -> None:
    asked, sheet = iter([False, False, True]), parse_rules(TEN_MILLION_MOVES)
    task, limits = "ludens.propnet.compile.loader:compile_narrow", Limits(seconds=60, memory_mb=8192)
    with pytest.raises(ExceededError, match="no longer wanted"):
        child.run(task, sheet, limits, WORDING, lambda _line: None, lambda: next(asked))


def test_a_process_whose_number_others_may_have_is_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "killpg", lambda number, _signal: pytest.fail(f"{number} was killed"))
    with tempfile.TemporaryFile() as errors:
        process, pipe = child.start("builtins:print", errors)
        pipe.close()
        assert process.wait() == 0
        child.end(process)


def test_progress_is_told_in_the_thread_that_asked() -> None:
    heard: list[tuple[str, int]] = []
    thread = threading.Thread(
        target=load, args=(COUNTER,), kwargs={"progress": lambda line: heard.append((line, threading.get_ident()))}
    )
    thread.start()
    thread.join(PATIENCE)
    assert heard[0] == ("grounding", thread.ident)


@pytest.mark.parametrize("game", ["gomoku", "pentago"])
def test_the_same_rules_become_the_same_network_in_any_process(game: str) -> None:
    sheet = parse_rules(games.read(game))
    here, child_s = compile_rules(narrow(sheet), lambda _line: None).net, load(sheet)
    assert np.array_equal(here.gates, child_s.gates)
    assert here.moves == child_s.moves


def test_the_report_names_each_pass_and_what_it_left() -> None:
    loaded = load_with_stages(COUNTER)
    assert [stage.name for stage in loaded.stages][:2] == ["built", "unchanging"]
    assert loaded.stages[-1].gates == len(loaded.net.gates)


def test_an_error_in_the_child_is_raised_as_what_it_is_with_its_place() -> None:
    rules = "(role r) (init (p a)) (legal r go) (e a b) (e b a)\n(<= (q ?x) (true (p a)) (e ?x ?y) (not (q ?y)))"
    with pytest.raises(GdlError) as caught:
        load(rules + "(<= terminal (q a))")
    assert (caught.value.line, caught.value.column) == (2, 1)
    assert "line 2" in str(caught.value)


@pytest.mark.parametrize(
    ("now", "reason"),
    [(0.0, "the work failed: .*TypeError"), (1.0, r"the work takes more than the 0\.5 s that it has")],
)
def test_a_child_that_is_gone_when_its_time_is_over_has_taken_too_long(
    now: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its limit on processor time may end it while who waits for it is kept from looking at the clock."""

    def gone(*_: object) -> None:
        raise EOFError

    times = iter([0.0, now])
    monkeypatch.setattr(child, "time", SimpleNamespace(monotonic=lambda: next(times)))
    monkeypatch.setattr(child, "_result", gone)
    with pytest.raises(GroundingError, match=reason):
        child.run("os:getpid", None, child.Limits(seconds=0.5), WORDING, lambda _line: None)


def test_a_network_is_made_where_less_processor_time_is_allowed_than_its_limits() -> None:
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (50, 50)); "
    code += "from ludens.propnet.compile.loader import load; print(load(sys.argv[1]).roles)"
    told = subprocess.check_output([sys.executable, "-c", code, COUNTER], text=True, env=environment())
    assert told == "('robot',)\n"


def test_a_child_that_has_used_up_the_processor_time_of_the_system_is_not_said_to_lack_memory() -> None:
    code = """
import itertools, resource
from ludens.propnet.base import child
resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
wording, limits = child.Wording("the work failed", "{} s", "{} MB"), child.Limits(seconds=600)
try:
    child.run("operator:contains", itertools.count(), limits, wording, print)
except child.ExceededError as error:
    print(error)
"""
    told = subprocess.check_output([sys.executable, "-c", code], text=True, env=environment())
    assert told == "the work failed: `ulimit -t` allows no more processor time\n"
