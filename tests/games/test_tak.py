"""Tak: the reference against published counts, and the native core against the reference."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest

from ludens.games.tak.native_game import native_game, pack, perft, unpack
from ludens.games.tak.rules import reference
from ludens.games.tak.rules.parameters import Kind, Placement, Spread, TakError, TakRules
from ludens.games.tak.rules.rare_ends import double_roads, uneven_ends
from ludens.games.tak.rules.reference import (
    Outcome,
    Position,
    Stack,
    after,
    first_position,
    flat_lead,
    has_road,
    legal_moves,
    outcome,
)
from ludens.native.core import Game, Simulator, tak_perft
from ludens.propnet.base.errors import NativeError

SIZES = range(3, 9)

PUBLISHED = {5: [25, 600, 43_320, 2_999_784, 187_855_252], 6: [36, 1_260, 132_720, 13_586_048]}
"""Perft as the engines tiltak (https://github.com/MortenLohne/tiltak) and fast-tak count it, finished games as none."""


def random_game(rules: TakRules, rng: random.Random, most: int = 400) -> list[Position]:
    """Returns the positions of a random game, in which stacks grow and move, and reserves run out."""
    positions = [first_position(rules)]
    while len(positions) < most and (moves := legal_moves(positions[-1])):
        spreads = [move for move in moves if isinstance(move, Spread)]
        positions.append(after(positions[-1], rng.choice(spreads if spreads and rng.random() < 0.2 else moves)))
    return positions


def board(rules: TakRules, **stacks: str) -> Position:
    """Returns a position in the middle of a game, of stacks such as `a1="12C"`, with full reserves."""
    kinds = {"S": Kind.WALL, "C": Kind.CAPSTONE}
    squares = [Stack()] * rules.squares
    for name, text in stacks.items():
        owners = tuple(int(digit) - 1 for digit in text.rstrip("SC"))
        squares[rules.square(name)] = Stack(owners, kinds.get(text[-1], Kind.FLAT))
    return Position(rules, tuple(squares), (rules.reserve, rules.reserve), 10)


@pytest.mark.parametrize(("size", "depth"), [(5, 3), (6, 2)])
def test_the_reference_counts_as_published(size: int, depth: int) -> None:
    first = first_position(TakRules(size))
    for plies in range(1, depth + 1):
        assert reference.perft(first, plies, count_ended=False) == PUBLISHED[size][plies - 1]


@pytest.mark.parametrize("size", PUBLISHED)
def test_the_core_counts_as_published(size: int) -> None:
    first = first_position(TakRules(size))
    counts = PUBLISHED[size]
    assert [perft(first, depth, count_ended=False) for depth in range(len(counts) + 1)] == [1, *counts]


@pytest.mark.parametrize("size", SIZES)
def test_the_core_counts_as_the_reference_in_the_midst_of_games(size: int, instruction_set: str) -> None:
    rng = random.Random(size)
    for _ in range(2):
        position = rng.choice(random_game(TakRules(size, half_komi=3), rng, most=40)[-8:])
        for depth in (0, 1, 2):
            for count_ended in (False, True):
                known = reference.perft(position, depth, count_ended=count_ended)
                assert perft(position, depth, count_ended=count_ended, instruction_set=instruction_set) == known


def test_games_that_end_early_count_by_either_convention() -> None:
    rules = TakRules(3)
    position = board(rules, a1="1", a2="1", c1="2", c2="2")
    roads = [move for move in legal_moves(position) if outcome(after(position, move)) is not None]
    others = len(legal_moves(position)) - len(roads)
    assert len(roads) == 1 and others
    counted = {flag: perft(position, 2, count_ended=flag) for flag in (False, True)}
    assert counted[True] == counted[False] + 1


@pytest.mark.parametrize("size", SIZES)
def test_the_core_plays_as_the_reference(size: int) -> None:
    rules = TakRules(size, half_komi=size)
    game, rng = native_game(rules), random.Random(size)
    simulator = Simulator(game)
    assert (pack(first_position(rules)) == game.initial).all()
    positions = [position for _ in range(2) for position in random_game(rules, rng, most=250)]
    states = np.array([pack(position) for position in positions])
    assert [unpack(rules, state) for state in states] == positions
    ends = [outcome(position) for position in positions]
    assert any(ends) or size > 6  # where random games are long
    assert simulator.terminal(states).tolist() == [end is not None for end in ends]
    goals = simulator.goals(states).tolist()
    assert all(tuple(told) == end.goals for told, end in zip(goals, ends, strict=True) if end)
    going = [i for i, end in enumerate(ends) if end is None]
    legal = [legal_moves(positions[i]) for i in going]
    told = [simulator.legal(states[going])[role] for role in (0, 1)]
    joint = np.full((len(going), 2), rules.waiting, np.int32)
    made = [rng.choice(moves) for moves in legal]
    for row, (i, moves) in enumerate(zip(going, legal, strict=True)):
        turn = positions[i].turn
        assert np.flatnonzero(told[turn][row]).tolist() == [rules.number(move) for move in moves]
        assert np.flatnonzero(told[1 - turn][row]).tolist() == [rules.waiting]
        joint[row, turn] = rules.number(made[row])
    successors = [unpack(rules, state) for state in simulator.next(states[going], joint)]
    assert successors == [after(positions[i], move) for i, move in zip(going, made, strict=True)]


@pytest.mark.parametrize("size", SIZES)
def test_random_games_draw_every_legal_move_about_as_often(size: int) -> None:
    rng = random.Random(size)
    rules = TakRules(size)
    position = next(p for p in reversed(random_game(rules, rng, most=40)) if legal_moves(p))
    numbers = [rules.number(move) for move in legal_moves(position)]
    drawn = np.zeros(rules.move_count, int)
    simulator = Simulator(native_game(rules), lanes=1024, seed=5)
    for _ in range(-(-len(numbers) * 50 // 1024)):
        first = [game[0, position.turn] for game in simulator.record(pack(position), 1)]
        np.add.at(drawn, first, 1)
    assert set(np.flatnonzero(drawn)) == set(numbers)
    expected = drawn.sum() / len(numbers)
    assert ((drawn[numbers] - expected) ** 2 / expected).sum() < 2 * len(numbers)


def test_numbers_of_moves_go_back_to_moves() -> None:
    for size in SIZES:
        rules = TakRules(size)
        moves = [(number, move) for number in range(rules.move_count) if (move := rules.move(number)) is not None]
        assert all(rules.number(move) == number for number, move in moves)
        assert rules.move(rules.waiting) is None
        assert len({move for _, move in moves}) == len(moves)


def test_who_moved_wins_where_both_have_a_road() -> None:
    rules = TakRules(3)
    both = board(rules, a1="1", a2="1", a3="1", c1="2", c2="2", c3="2")
    for position in (both, replace(both, ply=both.ply + 1)):
        end = outcome(position)
        assert end is not None and end.road and end.winner == 1 - position.turn


@pytest.mark.parametrize("size", SIZES)
def test_games_of_two_roads_end_alike_in_the_core(size: int) -> None:
    rules = TakRules(size)
    simulator = Simulator(native_game(rules))
    for winner, moves in enumerate(double_roads(rules)):
        *_, before, position = accumulate(moves, after, initial=first_position(rules))
        assert outcome(before) is None and outcome(position) == Outcome(winner, road=True)
        assert has_road(position, 0) and has_road(position, 1)
        assert simulator.goals(pack(position))[0, winner] == 100


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("limit", [20, 21])
def test_games_at_the_limit_are_drawn_however_many_flats_there_are(size: int, limit: int) -> None:
    rules = TakRules(size, ply_limit=limit)
    simulator = Simulator(native_game(rules))
    for richer, moves in enumerate(uneven_ends(rules)):
        *_, before, position = accumulate(moves, after, initial=first_position(rules))
        assert outcome(before) is None and outcome(position) == Outcome(None, road=False)
        assert position.ply == limit and flat_lead(position) == (2, -2)[richer]
        assert simulator.goals(pack(position))[0].tolist() == [50, 50]


def test_only_a_capstone_alone_flattens_walls() -> None:
    rules = TakRules(5)
    position = board(rules, a1="11C", b1="2S", a2="2C")
    moves = legal_moves(position)
    flattening = Spread(rules.square("a1"), 3, (1,))
    assert flattening in moves
    assert Spread(rules.square("a1"), 3, (2,)) not in moves
    assert not any(isinstance(move, Spread) and move.direction == 0 for move in moves)
    assert after(position, flattening).board[rules.square("b1")] == Stack((1, 0), Kind.CAPSTONE)


def test_flats_and_komi_decide_where_nobody_has_a_road() -> None:
    full = {"a1": "1", "a2": "2", "a3": "1", "b1": "2", "b2": "1S", "b3": "2", "c1": "1", "c2": "2", "c3": "1"}
    winners = [outcome(board(TakRules(3, half_komi), **full)) for half_komi in (-1, 0, 1)]
    assert [end and (end.winner, end.road) for end in winners] == [(0, False), (None, False), (1, False)]


def test_a_game_that_goes_on_at_the_limit_of_plies_is_drawn() -> None:
    rules = TakRules(3, half_komi=1, ply_limit=11)
    going = replace(board(rules, a1="1", c2="2"), ply=10)
    road = replace(board(rules, a1="1", a2="1", a3="1", c2="2"), ply=11)
    ends = [outcome(position) for position in (going, replace(going, ply=11), replace(going, ply=12), road)]
    assert [end and (end.winner, end.road) for end in ends] == [None, (None, False), (None, False), (0, True)]
    simulator = Simulator(native_game(rules))
    states = np.array([pack(position) for position in (going, replace(going, ply=11), road)])
    assert simulator.terminal(states).tolist() == [False, True, True]
    assert simulator.goals(states)[1:].tolist() == [[50, 50], [100, 0]]
    assert perft(going, 2, count_ended=False) == 0
    assert perft(going, 2, count_ended=True) == reference.perft(going, 2, count_ended=True) > 0
    with pytest.raises(TakError, match="a limit of 65536 plies"):
        TakRules(3, ply_limit=65_536)
    with pytest.raises(NativeError, match="a game of -1 plies"):
        Game.from_tak(3, 0, -1)


@pytest.mark.parametrize(("size", "half_komi"), [(2, 0), (9, 0), (5, 51), (5, -51)])
def test_there_is_no_game_of_other_sizes(size: int, half_komi: int) -> None:
    with pytest.raises(TakError, match=f"size {size}"):
        TakRules(size, half_komi)


def test_illegal_moves_are_refused() -> None:
    first = first_position(TakRules(4))
    with pytest.raises(TakError, match="not legal"):
        after(first, Placement(0, Kind.WALL))


def test_words_that_are_no_state_are_refused() -> None:
    rules = TakRules(5)
    simulator = Simulator(native_game(rules))
    plain = pack(board(rules, a1="12", b1="2S", c1="1C"))
    square = 5 + rules.square("a1")
    for word, changed in (
        (0, 1 << 40),  # a piece beside the board
        (0, 0),  # a stack that nobody has
        (2, 1 << rules.square("e5")),  # a wall that is not there
        (3, int(plain[2])),  # a wall that is a capstone
        (square, 0),  # no end of a stack
        (square, 1 << 63),  # more pieces than there are
    ):
        state = plain.copy()
        state[word] = changed
        with pytest.raises(NativeError, match="tak: this is no state"):
            simulator.terminal(state)
        with pytest.raises(NativeError, match="tak: this is no state"):
            tak_perft(simulator.game, state, 1, count_ended=False)
    assert not simulator.terminal(plain).any()


def test_a_move_that_is_not_legal_only_passes_the_turn() -> None:
    for size in SIZES:
        rules = TakRules(size)
        flats, capstones = rules.reserve
        position = replace(board(rules, a1="12", b1="2S", c1="1C"), reserves=((flats - 2, capstones),) * 2)
        simulator = Simulator(native_game(rules))
        legal = {rules.number(move) for move in legal_moves(position)}
        numbers = [-1, *(number for number in range(rules.move_count) if number not in legal)]
        joint = np.array([[number, rules.waiting] for number in numbers], np.int32)
        states = np.tile(pack(position), (len(joint), 1))
        assert (simulator.next(states, joint, only_legal=False) == pack(replace(position, ply=11))).all()
        with pytest.raises(NativeError, match="is not legal in its state"):
            simulator.next(states, joint)


@pytest.mark.parametrize(("size", "half_komi"), [(2, 0), (9, 0), (5, 51), (5, -51), (5, -(1 << 31))])
def test_games_that_there_are_not_are_refused(size: int, half_komi: int) -> None:
    with pytest.raises(NativeError, match="tak: "):
        Game.from_tak(size, half_komi)
