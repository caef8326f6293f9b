"""The facts of every state along a match, as they are told for its record."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ludens import games
from ludens.agent.engine import state_teller
from ludens.agent.engine.state_teller import StateTeller
from ludens.agent.protocol.wire import History, StateFacts
from ludens.propnet.base.errors import NativeError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term

PROTOCOL = """
(role a) (role b)
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(number 1) (number 2)
(init (step 0))
(<= (next (said ?r ?m)) (does ?r ?m))
(<= (next (both ?n)) (does a (say ?n)) (does b (say ?n)))
(<= terminal (true (both 2)))
(<= (goal ?r 50) (role ?r))
"""
SHEET = parse_rules(games.read("tic_tac_toe"))
HISTORY: History = (("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"), ("(mark 3 3)", "noop"))


def expected(history: History) -> list[StateFacts]:
    rules = Interpreter(SHEET)
    state, told = rules.initial(), [StateFacts(0, (), tuple(sorted(map(str, rules.initial()))))]
    for step, moves in enumerate(history, 1):
        state = rules.next(state, list(map(parse_term, moves)))
        told.append(StateFacts(step, moves, tuple(sorted(map(str, state)))))
    return told


def too_much(_: object) -> Callable[[History], tuple[str, ...]]:
    raise NativeError("too much for the rule machine")


def fails_later(sheet: object) -> Callable[[History], tuple[str, ...]]:
    def facts(history: History) -> tuple[str, ...]:
        if len(history) > 1:
            raise NativeError("no room for these facts")
        return expected(history)[-1].facts

    return facts


@pytest.mark.parametrize("machine", [None, too_much, fails_later])
def test_every_state_is_told_once_on_whatever_machine(
    machine: Callable[[object], Callable[[History], tuple[str, ...]]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine:
        monkeypatch.setattr(state_teller, "_on_rule_machine", machine)
    teller = StateTeller(SHEET)
    told = teller.new_states(()) + teller.new_states(HISTORY[:1]) + teller.new_states(HISTORY)
    assert told == expected(HISTORY)
    assert teller.new_states(HISTORY) == []


@pytest.mark.parametrize("told", ["?x", "(say ?n)", "(say (no ?n))"])
def test_a_move_with_a_variable_in_it_counts_as_none_on_either_machine(told: str) -> None:
    sheet = parse_rules(PROTOCOL)
    for machine in (state_teller._on_rule_machine, state_teller._on_interpreter):
        assert machine(sheet)(((told, "(say 1)"),)) == ("(said b (say 1))",)


def test_states_of_another_history_are_told_from_where_it_differs() -> None:
    teller = StateTeller(SHEET)
    teller.new_states(HISTORY)
    other = (HISTORY[0], ("noop", "(mark 3 1)"), HISTORY[2])
    assert teller.new_states(other) == expected(other)[2:]
