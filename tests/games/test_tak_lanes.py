"""The lanes of machines of Tak: what they draw from, and the games that they play, against the reference."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.parameters import Spread, TakRules
from ludens.games.tak.rules.reference import Position, first_position, legal_moves, made, outcome
from ludens.native.core import Simulator, tak_moves_by_rank
from ludens.propnet.base.errors import NativeError
from scripts.verify import tak_moves

SIZES = range(3, 9)


@pytest.mark.lanes
@pytest.mark.parametrize("size", SIZES)
def test_each_legal_move_has_one_rank(size: int) -> None:
    rules = TakRules(size)
    for position in islice(tak_moves.positions(rules, random.Random(size)), 150):
        assert not tak_moves.fault(position, tak_moves.usable_sets(rules))


def test_a_machine_that_misses_a_move_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = TakRules(4)
    position = next(tak_moves.positions(rules, random.Random(1)))
    ranked = tak_moves_by_rank(native_game(rules), pack(position))
    for wrong in (ranked[1:], [*ranked[1:], ranked[1]]):
        monkeypatch.setattr(tak_moves, "tak_moves_by_rank", lambda *_, numbers=wrong: numbers)
        assert tak_moves.fault(position, ["any"])


@pytest.mark.lanes
@pytest.mark.parametrize("size", SIZES)
def test_random_games_are_games_of_the_reference(size: int, instruction_set: str) -> None:
    rules = TakRules(size)
    simulator = Simulator(native_game(rules), lanes=64, seed=size, instruction_set=instruction_set)
    games = simulator.record()
    for game in games[:: 16 if size > 4 else 2]:
        position = first_position(rules)
        for joint in game:
            assert outcome(position) is None
            move = rules.move(int(joint[position.turn]))
            assert move is not None and joint[1 - position.turn] == rules.waiting
            assert not isinstance(move, Spread) or _may_spread(position, move)
            position = made(position, move)
        assert outcome(position) is not None


@pytest.mark.lanes
@pytest.mark.parametrize("size", SIZES)
def test_random_games_are_the_same_on_every_instruction_set(size: int, instruction_set: str) -> None:
    game = native_game(TakRules(size))
    baseline = Simulator(game, lanes=128, seed=7, instruction_set="baseline")
    other = Simulator(game, lanes=128, seed=7, instruction_set=instruction_set)
    for first, second in zip(baseline.record(), other.record(), strict=True):
        assert np.array_equal(first, second)
    assert np.array_equal(baseline.noted(), other.noted())
    assert baseline.playouts(500).goal_means == other.playouts(500).goal_means


def _may_spread(position: Position, move: Spread) -> bool:
    return move in legal_moves(position)
