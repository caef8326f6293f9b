"""The lanes of machines of Tak: the moves that they draw from, the games that they play, and roads."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.legality import broken_rule
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import EMPTY, Position, Stack, first_position, has_road, made, outcome
from ludens.native.core import Simulator, tak_moves_by_rank
from scripts.verify import tak_moves

SIZES = range(3, 9)


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


@pytest.mark.parametrize("size", SIZES)
def test_random_games_are_games_of_the_reference(size: int, instruction_set: str) -> None:
    rules = TakRules(size)
    simulator = Simulator(native_game(rules), lanes=64, seed=size, instruction_set=instruction_set)
    for game in simulator.record()[:: 2 if size < 5 else 16]:
        position = first_position(rules)
        for joint in game:
            move = rules.move(int(joint[position.turn]))
            assert move is not None and not broken_rule(position, move)
            assert joint[1 - position.turn] == rules.waiting
            position = made(position, move)
        assert outcome(position) is not None


@pytest.mark.parametrize("size", SIZES)
def test_random_games_are_the_same_on_every_instruction_set(size: int, instruction_set: str) -> None:
    game = native_game(TakRules(size))
    baseline, other = (
        Simulator(game, lanes=128, seed=7, instruction_set=name) for name in ("baseline", instruction_set)
    )
    for first, second in zip(baseline.record(), other.record(), strict=True):
        assert np.array_equal(first, second)
    assert np.array_equal(baseline.noted(), other.noted())
    assert np.array_equal(baseline.playouts(500).goal_means, other.playouts(500).goal_means)


@pytest.mark.parametrize("size", SIZES)
def test_roads_are_those_of_the_reference(size: int, instruction_set: str) -> None:
    """Sets of flats of one player: all of the smallest board, and a share of others."""
    rules = TakRules(size)
    rng = random.Random(size)
    sets = (
        range(0, 1 << rules.squares, 1 if size == 3 else 7)
        if size < 5
        else (_wide_set(rules, rng) for _ in range(1_000))
    )
    positions = [_flats(rules, owned, player) for owned in sets if owned for player in (0, 1)]
    known = [outcome(position) for position in positions]
    simulator = Simulator(native_game(rules), instruction_set=instruction_set)
    goals = simulator.goals(np.array([pack(position) for position in positions]))
    assert [tuple(told) for told in goals.tolist()] == [end.goals if end else (-1, -1) for end in known]
    roads = [has_road(position, player) for position in positions for player in (0, 1)]
    assert any(roads) and not all(roads)


def _flats(rules: TakRules, owned: int, player: int) -> Position:
    board = tuple(Stack((player,)) if owned >> square & 1 else EMPTY for square in range(rules.squares))
    return Position(rules, board, ((5, 0), (5, 0)), 10)


def _wide_set(rules: TakRules, rng: random.Random) -> int:
    """Returns a set of two thirds of the squares, in which winding roads are common."""
    return sum(1 << square for square in range(rules.squares) if rng.random() < 2 / 3)
