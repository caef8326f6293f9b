"""Legal moves are found where there are too many to list, and are the same as always where there are not."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from ludens import games
from ludens.propnet.gdl.interpreter import Answers, Compound, Interpreter, StepsExceededError
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.sampling import SamplingInterpreter
from ludens.propnet.gdl.syntax import RuleSheet, Term
from scripts.common.random_sheets import random_sheet
from tests.support.many_moves import MILLION, PUT_SIX, PUT_SIX_HIDDEN, UNSTOPPED, many_dead_ends


def sampling(text: str) -> SamplingInterpreter:
    return SamplingInterpreter(parse_rules(text), random.Random(1))


@pytest.mark.parametrize("text", [MILLION, PUT_SIX, PUT_SIX_HIDDEN, UNSTOPPED])
def test_of_very_many_legal_moves_some_are_found(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.propnet.gdl.sampling._FIRST_STEPS", 10_000)
    rules = sampling(text)
    state = rules.initial()
    for step in range(3):
        assert not rules.terminal(state)
        role = rules.roles[step % len(rules.roles)]
        moves, complete = rules.legal_sample(state, role, 50)
        assert not complete
        assert 1 <= len(moves) <= 50
        assert len(set(moves)) == len(moves)
        assert all(rules.is_legal(state, role, move) for move in moves)
        assert not rules.is_legal(state, role, parse_term("(put 0 0)"))
        others = {other: rules.legal_sample(state, other, 1)[0][0] for other in rules.roles}
        state = rules.next(state, others | {role: moves[0]})


_SAMPLE = """
import random, sys
from ludens.propnet.gdl import sampling
from ludens.propnet.gdl.parser import parse_rules
sampling._FIRST_STEPS = 10_000
rules = sampling.SamplingInterpreter(parse_rules(sys.stdin.read()), random.Random(1))
print(*rules.legal_sample(rules.initial(), "r", 5)[0])
"""
FACTS_TOO = PUT_SIX_HIDDEN + " ".join(f"(six {i} 1 1 1 1 1)" for i in range(100, 120))


@pytest.mark.parametrize("text", [PUT_SIX, FACTS_TOO])
def test_which_moves_are_found_is_up_to_the_numbers_drawn_alone(text: str) -> None:
    samples = {sample_in_a_process(text, hash_seed) for hash_seed in ("1", "2", "3")}
    assert len(samples) == 1
    assert "(put " in samples.pop()


def sample_in_a_process(text: str, hash_seed: str) -> str:
    """What a process prints that orders sets of texts by this seed."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", _SAMPLE]
    return subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True).stdout


def test_a_move_is_found_where_almost_all_ways_lead_to_none() -> None:
    rules = sampling(many_dead_ends(7))
    moves, _ = rules.legal_sample(rules.initial(), "r", 5)
    assert list(map(str, moves)) == ["(put 7 7 7 7 7 7)"]


def test_what_takes_too_long_in_a_state_is_not_tried_at_its_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.propnet.gdl.sampling._FIRST_STEPS", 10_000)
    rules = sampling(PUT_SIX_HIDDEN)
    ask = rules._ask
    given_up: list[Compound] = []

    def asked(call: Compound) -> Answers:
        try:
            return ask(call)
        except StepsExceededError:
            given_up.append(call)
            raise

    monkeypatch.setattr(rules, "_ask", asked)
    state = rules.initial()
    assert rules.legal_sample(state, "r", 5)[0]
    assert ("six", *6 * ["?"]) in given_up
    given_up.clear()
    assert rules.legal_sample(state, "r", 5)[0]
    assert all(call[0] == "legal" for call in given_up)


def test_more_moves_than_wanted_are_sampled() -> None:
    rules = sampling(games.read("tic_tac_toe"))
    moves, complete = rules.legal_sample(rules.initial(), "cross", 4)
    assert (len(moves), complete) == (4, False)
    everything = Interpreter(parse_rules(games.read("tic_tac_toe"))).legal(rules.initial(), "cross")
    assert set(moves) < set(everything)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "rock_paper_scissors", "tron_four"])
@pytest.mark.parametrize("steps", [10**9, 1, 300])
def test_both_ways_agree_with_the_interpreter(name: str, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.propnet.gdl.sampling._FIRST_STEPS", steps)
    compare(parse_rules(games.read(name)), random.Random(name), positions=8)


@pytest.mark.parametrize("steps", [1, 50])
def test_both_ways_agree_with_the_interpreter_on_random_sheets(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.propnet.gdl.sampling._FIRST_STEPS", steps)
    monkeypatch.setattr("ludens.propnet.gdl.sampling._TABLE_STEPS", steps // 10)
    for seed in range(40):
        compare(random_sheet(random.Random(seed)), random.Random(seed), positions=4)


def compare(sheet: RuleSheet, rng: random.Random, positions: int) -> None:
    """Plays at random and holds all answers to those of the interpreter."""
    oracle, rules = Interpreter(sheet), SamplingInterpreter(sheet, random.Random(1))
    state = oracle.initial()
    for _ in range(positions):
        legal = {role: oracle.legal(state, role) for role in oracle.roles}
        assert rules.terminal(state) == oracle.terminal(state)
        for role in oracle.roles:
            moves, complete = rules.legal_sample(state, role, 1000)
            assert set(moves) <= set(legal[role])
            assert bool(moves) == bool(legal[role])
            assert not complete or len(moves) == len(legal[role])
            candidates: list[Term] = [*legal[role][:3], parse_term("(no such move)")]
            assert [rules.is_legal(state, role, move) for move in candidates] == [
                move in legal[role] for move in candidates
            ]
        if oracle.terminal(state) or not all(legal.values()):
            break
        state = oracle.next(state, [rng.choice(legal[role]) for role in oracle.roles])
