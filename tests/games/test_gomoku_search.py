"""The search `patterns` against brute force: what it proves, that it ends, and that its moves are legal everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.native.core import Game, Search, Simulator, States
from ludens.propnet.base.errors import NativeError
from scripts.common.gomoku_prover import SYMMETRIES
from scripts.strength.gomoku_problems import FILE, read
from tests.support.gomoku_proofs import Board, minimax
from tests.support.searching import network


def value_after(board: Board, turn: int, cell: int) -> int:
    """What a move leads to for who makes it if all play perfectly: 100, 50 or 0."""
    if board.wins(cell, turn):
        return 100
    board.cells[cell] = turn
    value = 50 - 50 * minimax(board, 1 - turn, {})
    board.cells[cell] = None
    return value


def random_board(rules: GomokuRules, empty: int, rng: np.random.Generator) -> Board | None:
    """Stones by turns; None if a row was completed."""
    board = Board(rules.rows, rules.columns, rules.length, exact=rules.exact)
    for ply, cell in enumerate(rng.permutation(len(board.cells))[: len(board.cells) - empty].tolist()):
        if board.wins(cell, ply % 2):
            return None
        board.cells[cell] = ply % 2
    return board


def board_of(rules: GomokuRules, *stones: list[int]) -> Board:
    board = Board(rules.rows, rules.columns, rules.length, exact=rules.exact)
    for side, cells in enumerate(stones):
        for cell in cells:
            board.cells[cell] = side
    return board


def state_of(board: Board) -> States:
    """The side with fewer stones, or the first, is to move."""
    stones = np.array([[each == owner for each in board.cells] for owner in (0, 1)])
    state: States = pack(stones[None], np.array([stones[0].sum() > stones[1].sum()]))[0]
    return state


RULES = [
    GomokuRules(rows=3, columns=3, length=3),
    GomokuRules(rows=4, columns=4, length=3, exact=True),
    GomokuRules(rows=4, columns=4, length=4),
    GomokuRules(rows=5, columns=4, length=4),
    GomokuRules(rows=5, columns=5, length=4, exact=True),
    GomokuRules(rows=3, columns=7, length=5),
    GomokuRules(rows=6, columns=6, length=5),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_proven_is_what_brute_force_finds(rules: GomokuRules, threads: int) -> None:
    rng = np.random.default_rng(5)
    search, looked_at = Search(native_game(rules), strategy="patterns", memory_bytes=1 << 20, threads=threads), 0
    for _ in range(60):
        empty = int(rng.integers(3, 9))
        board = random_board(rules, empty, rng)
        if board is None:
            continue
        looked_at += 1
        turn = (len(board.cells) - empty) % 2
        search.set_root(state_of(board))
        search.run(playouts=100_000)
        assert search.stats().solved
        found = search.root_moves(turn)
        assert found.moves.tolist() == board.empty()
        for move, proven in zip(found.moves.tolist(), found.proven.tolist(), strict=True):
            assert proven in (-1, value_after(board, turn, move))
        best = int(found.moves[found.best])
        assert value_after(board, turn, best) == 50 + 50 * minimax(board, turn, {})
    assert looked_at > 5


def test_tic_tac_toe_is_a_draw_from_the_first_move_on() -> None:
    search = Search(native_game(GomokuRules(rows=3, columns=3, length=3)), strategy="patterns", memory_bytes=1 << 20)
    search.run(playouts=100_000)
    found = search.root_moves(0)
    assert search.stats().solved
    assert found.proven[found.best] == 50


@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (9, 9), (22, 22), (7, 22)])
def test_games_are_played_to_the_last_cell(shape: tuple[int, int], length: int) -> None:
    """Half of the moves are random, so that stones come to lie along all edges and in all corners."""
    rules = GomokuRules(rows=shape[0], columns=shape[1], length=length, exact=length % 2 == 0)
    game, rng = native_game(rules), np.random.default_rng(sum(shape) + length)
    simulator, search = Simulator(game, 64), Search(game, strategy="patterns", memory_bytes=1 << 16)
    state, cells = game.initial, rules.rows * rules.columns
    for step in range(cells + 1):
        if simulator.terminal(state)[0]:
            break
        role, empty = step % 2, np.flatnonzero(simulator.legal(state)[step % 2][0])
        move = int(rng.choice(empty))
        if step % 3 == 0:
            search.set_root(state)
            search.run(playouts=300)
            found = search.root_moves(role)
            assert set(found.moves.tolist()) == set(empty.tolist())
            move = int(found.moves[found.best])
        joint = [cells, cells]
        joint[role] = move
        state = simulator.next(state, np.array([joint], np.int32))[0]
    assert simulator.terminal(state)[0]
    search.set_root(state)
    assert len(search.root_moves(0).moves) == 0


def test_a_row_that_one_move_completes_is_completed_and_one_that_threatens_is_stopped() -> None:
    rules = GomokuRules(rows=15, columns=15, length=5)
    game = native_game(rules)
    search = Search(game, strategy="patterns", memory_bytes=1 << 20)
    four, far = [7 * 15 + column for column in range(4, 8)], [0, 30, 60]
    search.set_root(state_of(board_of(rules, four, [*far, 90])))
    search.run(playouts=1_000)
    found = search.root_moves(0)
    assert int(found.moves[found.best]) in (7 * 15 + 3, 7 * 15 + 8)
    assert found.proven[found.best] == 100
    search.set_root(state_of(board_of(rules, four, [*far, 7 * 15 + 3])))
    search.run(playouts=1_000)
    assert search.root_moves(0).proven.max() == 100
    search.set_root(state_of(board_of(rules, [*four, 200], [*far, 7 * 15 + 3])))
    search.run(playouts=1_000)
    found = search.root_moves(1)
    assert int(found.moves[found.best]) == 7 * 15 + 8


def test_the_same_positions_are_looked_at_again() -> None:
    game = native_game(GomokuRules(rows=15, columns=15, length=5))
    lines = []
    for _ in range(2):
        search = Search(game, strategy="patterns", memory_bytes=1 << 20)
        search.run(playouts=20_000)
        lines.append((search.stats(), search.expected_line().tolist()))
    assert lines[0] == lines[1]


def test_many_short_runs_look_as_far_for_wins_by_threats_as_a_long_one() -> None:
    """Each run has 1,000 positions for them, and this win takes more than 20,000."""
    problem = next(each for each in read(FILE) if each.kind == "VCT" and each.positions == 26_772)
    search = Search(native_game(GomokuRules(15, 15, 5)), strategy="patterns", memory_bytes=1 << 24, seed=1)
    search.set_root(problem.state())
    for _ in range(40):
        search.run(playouts=10_000)
    assert search.stats().solved
    assert search.root_moves(problem.side - 1).values.max() == 100


def searched(rules: GomokuRules, stones: list[int]) -> list[int]:
    """The moves of which something is known after a search of stones that sides have placed by turns."""
    search = Search(native_game(rules), strategy="patterns", memory_bytes=1 << 20, seed=1)
    search.set_root(state_of(board_of(rules, stones[0::2], stones[1::2])))
    search.run(playouts=2_000)
    found = search.root_moves(len(stones) % 2)
    assert found.visits[found.best] > 0
    moves: list[int] = found.moves[found.visits > 0].tolist()
    return moves


def test_the_opening_book_is_followed_by_its_rule_alone_and_in_all_symmetries() -> None:
    booked, (middle, beside) = GomokuRules(15, 15, 5), (112, 113)
    assert searched(booked, []) == [middle]
    shapes = set()
    for white in {image[beside] for image in SYMMETRIES}:
        (black,) = searched(booked, [middle, white])
        shapes.add(min((image[white], image[black]) for image in SYMMETRIES))
    assert len(shapes) == 1
    for others in (GomokuRules(15, 15, 5, exact=True), GomokuRules(15, 16, 5), GomokuRules(15, 15, 6)):
        assert len(searched(others, [middle, beside])) > 1
    assert len(searched(booked, [middle])) > 1  # white to move
    assert len(searched(booked, [0, middle])) > 1


def test_other_games_are_refused() -> None:
    with pytest.raises(NativeError, match="k in a row on its own game core"):
        Search(Game.from_propnet(network("tic_tac_toe")), strategy="patterns")
