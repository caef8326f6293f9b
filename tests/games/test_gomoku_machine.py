"""The native gomoku machine against the numpy reference, and against boards that are read line by line."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ludens.games.gomoku.rules import GomokuRules, native_game, pack, unpack
from ludens.games.gomoku.state import MAX, MIN, GomokuState
from ludens.native.core import JointMoves, Search, Simulator
from ludens.propnet.base.errors import NativeError
from tests.support.instruction_sets import sets_of
from tests.support.rows import has_row

INSTRUCTION_SETS = sets_of(lambda name: Simulator(native_game(GomokuRules(3, 3, 3)), instruction_set=name))
GOALS = ((90, 20), (10, 70), (40, 30))


def board(rules: GomokuRules, stones: np.ndarray) -> list[str]:
    cells = np.where(stones[0], "x", np.where(stones[1], "o", ".")).reshape(rules.rows, rules.columns)
    return ["".join(row) for row in cells]


def check_game(rules: GomokuRules, simulator: Simulator, joint: JointMoves) -> int:
    """Holds a game to the boards that it leads through, and returns who has won: 0, 1, or 2 for nobody."""
    stones = np.zeros((len(joint) + 1, 2, rules.cells), np.bool_)
    for ply, moves in enumerate(joint):
        side = ply % 2
        mover = side ^ rules.first_role
        cell = int(moves[mover])
        assert moves[1 - mover] == rules.cells
        assert not stones[ply, :, cell].any()
        stones[ply + 1] = stones[ply]
        stones[ply + 1, side, cell] = True
    turns = np.arange(len(joint) + 1) % 2 == 1
    states = pack(stones, turns)
    assert (simulator.next(states[:-1], joint) == states[1:]).all()
    won = [[has_row(board(rules, each), mark, rules.length, exact=rules.exact) for mark in "xo"] for each in stones]
    full = len(joint) == rules.cells
    assert not np.any(won[:-1])
    assert any(won[-1]) or full
    assert simulator.terminal(states).tolist() == [False] * len(joint) + [True]
    outcome = won[-1].index(True) if any(won[-1]) else 2
    assert tuple(simulator.goals(states[-1])[0]) == rules.goals[outcome]
    legal = simulator.legal(states[:-1])
    free = ~stones[:-1].any(axis=1)
    for role in (0, 1):
        mine = (turns[:-1] ^ bool(rules.first_role)) == role
        assert (legal[role][:, :-1] == (free & mine[:, None])).all()
        assert (legal[role][:, -1] == ~mine).all()
    return outcome


SIZES = [
    GomokuRules(3, 3, 3),
    GomokuRules(4, 3, 3, first_role=1, goals=GOALS),
    GomokuRules(1, 7, 3),
    GomokuRules(5, 5, 5),
    GomokuRules(8, 8, 7),
    GomokuRules(7, 9, 4, exact=True),
    GomokuRules(11, 11, 5),
    GomokuRules(15, 15, 5, goals=GOALS),
    GomokuRules(15, 15, 5, exact=True, first_role=1),
    GomokuRules(15, 17, 6),
    GomokuRules(16, 16, 5),
    GomokuRules(22, 22, 5),
    GomokuRules(22, 22, 7, exact=True),
    GomokuRules(22, 3, 7),
]


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
@pytest.mark.parametrize("rules", SIZES, ids=str)
def test_random_games_follow_the_rules(rules: GomokuRules, name: str) -> None:
    simulator = Simulator(native_game(rules), lanes=64, seed=3, instruction_set=name)
    games = simulator.record()
    games = games if rules.cells <= 64 else games[:6]
    for joint in games:
        check_game(rules, simulator, joint)


@pytest.mark.parametrize("win_size", range(3, 8))
@pytest.mark.parametrize("board_size", range(3, 23))
def test_the_numpy_reference_agrees_at_every_size(board_size: int, win_size: int) -> None:
    rules = GomokuRules(board_size, board_size, win_size)
    simulator = Simulator(native_game(rules), lanes=64, seed=board_size)
    for joint in simulator.record()[:4]:
        cells = [int(moves[ply % 2]) for ply, moves in enumerate(joint)]
        state = GomokuState.blank(board_size, win_size).play_seq([divmod(cell, board_size) for cell in cells])
        assert state.is_game_over
        last = pack(
            np.stack((state.board[MAX], state.board[MIN])).reshape(1, 2, -1).astype(np.bool_),
            np.array([state.current_player == MIN]),
        )
        assert simulator.terminal(last).all()
        assert simulator.goals(last)[0, 0] == {1: 100, 0: 50, -1: 0}[int(np.sign(state.current_score))]


def test_thousands_of_games_end_as_the_reference_says() -> None:
    rules = GomokuRules(5, 4, 4)
    simulator = Simulator(native_game(rules), lanes=64, seed=5)
    outcomes = [check_game(rules, simulator, joint) for _ in range(32) for joint in simulator.record()]
    assert len(outcomes) == 2048
    assert min(outcomes.count(outcome) for outcome in (0, 1, 2)) > 100


@pytest.mark.parametrize("rules", [GomokuRules(15, 15, 5), GomokuRules(17, 16, 5, exact=True)], ids=str)
def test_games_do_not_depend_on_the_instruction_set(rules: GomokuRules) -> None:
    records = []
    for name in INSTRUCTION_SETS:
        simulator = Simulator(native_game(rules), lanes=128, seed=7, instruction_set=name)
        records.append([joint.tolist() for _ in range(2) for joint in simulator.record()])
    assert all(record == records[0] for record in records)


def test_random_games_are_uniform() -> None:
    """On 3 x 3 the first player wins 58.5 %, the other 28.8 % of random games, by counting them all."""
    game = native_game(GomokuRules(3, 3, 3))
    stats = Simulator(game, lanes=64, seed=1).playouts(400_000)
    assert abs(stats.goal_means[0] - (58.492 + 12.698 / 2)) < 0.3
    first = np.array([joint[0, 0] for joint in Simulator(game, lanes=16384, seed=2).record()])
    counts = np.bincount(first, minlength=9)
    assert abs(counts / counts.sum() - 1 / 9).max() < 0.01


def completing(rules: GomokuRules, stones: np.ndarray, side: int) -> set[int]:
    """The cells that complete a row of a side."""
    own = {divmod(int(cell), rules.columns) for cell in np.flatnonzero(stones[side])}
    found = set()
    for cell in np.flatnonzero(~stones.any(axis=0)):
        row, column = divmod(int(cell), rules.columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                at = (row + sign * down, column + sign * right)
                while at in own:
                    length, at = length + 1, (at[0] + sign * down, at[1] + sign * right)
            if length == rules.length or (length > rules.length and not rules.exact):
                found.add(int(cell))
    return found


@pytest.mark.parametrize(
    "rules",
    [
        GomokuRules(3, 3, 3),
        GomokuRules(7, 9, 4, exact=True),
        GomokuRules(5, 5, 5, first_role=1, goals=GOALS),
        GomokuRules(16, 16, 5),
    ],
    ids=str,
)
def test_games_by_threats_complete_rows_and_answer_those_about_to_be_completed(rules: GomokuRules) -> None:
    simulator = Simulator(native_game(rules, threat_playouts=True), lanes=64, seed=4)
    wins = answers = 0
    for joint in list(simulator.record())[: 64 if rules.cells < 30 else 16]:
        check_game(rules, simulator, joint)
        stones = np.zeros((2, rules.cells), np.bool_)
        for ply, moves in enumerate(joint):
            side = ply % 2
            cell = int(moves[side ^ rules.first_role])
            winning, losing = (completing(rules, stones, each) for each in (side, 1 - side))
            wins += bool(winning)
            answers += bool(losing and not winning)
            assert cell in (winning or losing or {cell})
            stones[side, cell] = True
    assert answers > 2
    assert wins > 0 or rules.cells == 25  # five in a row on 5 x 5 cells is always prevented


def test_games_by_threats_do_not_depend_on_the_instruction_set_and_differ() -> None:
    records = []
    for name in INSTRUCTION_SETS:
        simulator = Simulator(
            native_game(GomokuRules(15, 15, 5), threat_playouts=True), lanes=64, seed=7, instruction_set=name
        )
        records.append([joint.tolist() for joint in simulator.record()])
    assert all(record == records[0] for record in records)
    assert len({str(joint) for joint in records[0]}) == 64


def test_games_go_on_from_any_position() -> None:
    rules = GomokuRules(9, 9, 5)
    simulator = Simulator(native_game(rules), lanes=64, seed=2)
    rng = random.Random(4)
    cells = rng.sample(range(81), 20)
    stones = np.zeros((1, 2, 81), np.bool_)
    for ply, cell in enumerate(cells):
        stones[0, ply % 2, cell] = True
    if simulator.terminal(pack(stones, np.array([False])))[0]:
        pytest.fail("choose another seed")
    state = pack(stones, np.array([False]))
    for joint in simulator.record(state[0]):
        made = [int(moves[ply % 2]) for ply, moves in enumerate(joint)]
        assert not set(made) & set(cells)
        assert len(set(made)) == len(made)
    kept, turn = unpack(rules, state)
    assert (kept == stones).all()
    assert not turn.any()


def test_noted_moves_are_those_made() -> None:
    rules = GomokuRules(6, 6, 4)
    simulator = Simulator(native_game(rules), lanes=64, seed=2)
    games = simulator.record()
    simulator.playouts(100)  # of which nothing is noted
    width = rules.cells + 1
    for joint, words in zip(games, simulator.noted(), strict=True):
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        made = {role * width + int(move) for moves in joint for role, move in enumerate(moves)}
        assert set(np.flatnonzero(bits).tolist()) == made


@pytest.mark.parametrize("strategy", ["uct", "rave", "alphabeta"])
def test_searches_run_on_it(strategy: str) -> None:
    search = Search(native_game(GomokuRules(3, 3, 3)), strategy=strategy, seed=1)
    search.run(seconds=60, playouts=200_000)
    assert search.stats().solved
    assert search.root_moves(0).proven.max() == 50


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (GomokuRules(23, 15, 5), "1 to 22 rows and columns, not 23 x 15"),
        (GomokuRules(15, 0, 5), "1 to 22 rows and columns, not 15 x 0"),
        (GomokuRules(15, 15, 8), "3 to 7 in a row win, not 8"),
        (GomokuRules(15, 15, 2), "3 to 7 in a row win, not 2"),
        (GomokuRules(15, 15, 5, first_role=2), "the first mover is role 0 or 1"),
        (GomokuRules(15, 15, 5, goals=((101, 0), (0, 100), (50, 50))), "goals are 0 to 100, not 101"),
    ],
)
def test_sizes_that_the_core_does_not_have_are_refused(rules: GomokuRules, message: str) -> None:
    with pytest.raises(NativeError, match=message):
        native_game(rules)
