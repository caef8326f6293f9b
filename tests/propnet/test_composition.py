"""Circuits composed with themselves: what holds in given states, what a move changes, and giving up in time."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.propnet.analysis import composition as module
from ludens.propnet.analysis.composition import Composition, CompositionError, OutOfTimeError
from ludens.propnet.analysis.lookahead import idle_moves
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import TRUE, Propnet
from ludens.propnet.network.sampling import sample_states, sample_steps
from ludens.propnet.passes import reopen

NAMES = ["breakthrough_small", "connect_four", "nim", "mini_chess"]


@cache
def network(name: str) -> Propnet:
    return load(games.read(name))


@pytest.mark.parametrize("name", NAMES)
def test_literals_hold_in_states_as_the_evaluator_says(name: str) -> None:
    net = network(name)
    states, legal = sample_states(net, games=16, seconds=60.0)
    composition, evaluator = Composition(reopen(net)), Evaluator(net)
    outputs = [*net.legal.tolist(), net.terminal, net.terminal ^ 1]
    held = composition.values(outputs, states)
    assert np.array_equal(held[:, :-2], legal)
    assert np.array_equal(held[:, -2], evaluator.terminal(states))
    assert np.array_equal(held[:, -1], ~evaluator.terminal(states))
    assert composition.values(outputs, states[:0]).shape == (0, len(outputs))


@pytest.mark.parametrize("name", NAMES)
def test_what_moves_change_is_what_comes_after_them(name: str) -> None:
    net = network(name)
    states, legal = sample_states(net, games=8, seconds=60.0)
    states, legal = states[::9], legal[::9]
    composition, evaluator, circuit = Composition(reopen(net)), Evaluator(net), reopen(net)
    idle = idle_moves(net, legal)
    moves = circuit.role_moves()[0]
    waiting = circuit.role_moves()[1][idle[1] or 0]
    constants = {v: int(v == waiting) for v in range(circuit.first_move, circuit.first_feedback)}
    assert composition.changes(constants, circuit.next, ())[0] == composition.under(constants, circuit.next)
    seen = 0
    without, changes = composition.changes(constants, circuit.next, moves)
    for move, changed in enumerate(changes):
        able = legal[:, move] & legal[:, waiting - circuit.first_move]
        if not able.any():
            continue
        joint = np.repeat([[move, waiting - circuit.role_moves()[1].start]], able.sum(), axis=0).astype(np.int32)
        after = [changed.get(place, literal) for place, literal in enumerate(without)]
        assert np.array_equal(composition.values(after, states[able]), evaluator.next(states[able], joint))
        assert all(without[place] != literal for place, literal in changed.items())
        seen += 1
    assert seen > 1


@pytest.mark.parametrize(("seconds", "gates", "why"), [(100, 1 << 30, "too much time"), (1 << 30, 2000, "2000 gates")])
def test_what_would_take_too_long_or_too_much_is_given_up_early(
    seconds: int, gates: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FORESEEN_AFTER", 0.01 if seconds < 1000 else 0.0)
    ticks = itertools.count()  # each look at the clock takes a second
    monkeypatch.setattr(module, "now", lambda: float(next(ticks)))
    circuit = reopen(network("breakthrough_small"))
    moves = [*circuit.role_moves()[0]]
    composition = Composition(circuit, gates, deadline=float(seconds))
    with pytest.raises(CompositionError, match=f"would .*{why}") as refused:
        composition.after([circuit.terminal], moves, [], passes=1000)
    assert isinstance(refused.value, OutOfTimeError) == ("time" in why)
    assert next(ticks) < len(moves)
    assert len(Composition(circuit).after([circuit.terminal], moves, [])) == len(moves)


def test_literals_that_contradict_each_other_are_not_assumed() -> None:
    circuit = reopen(network("nim"))
    composition, on = Composition(circuit), circuit.terminal ^ 1
    assert composition.assume([on])
    assert composition.assumed(on) == TRUE
    assert not composition.assume([on, circuit.terminal])
    assert composition.assumed(on) == on


def test_states_are_looked_at_in_parts_where_there_are_many_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    net = network("breakthrough_small")
    states, legal = sample_states(net, games=16, seconds=60.0)
    monkeypatch.setattr(module, "_VALUES", 7 * len(net.gates))
    assert np.array_equal(Composition(reopen(net)).values(net.legal.tolist(), states), legal)


def test_games_go_on_where_they_are_not_over_and_all_can_move() -> None:
    net = network("breakthrough_small")
    evaluator = Evaluator(net)
    for step in sample_steps(net, games=32, seconds=60.0):
        assert not evaluator.terminal(step.states).any()
        legal, terminal = evaluator.legal_and_terminal(step.states)
        assert np.array_equal(legal, step.legal) and np.array_equal(terminal, evaluator.terminal(step.states))
        assert np.array_equal(legal, evaluator.legal(step.states))
