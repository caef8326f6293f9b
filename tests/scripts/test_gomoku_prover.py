"""Proofs of wins in gomoku, gone through answer by answer on plain boards."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

pytest.importorskip("numba")

from ludens.games.gomoku.rules import native_game, pack
from ludens.native.core import ThreatSearch
from scripts.common.gomoku_prover import CELLS, RULES, SIZE, Node, Prover
from scripts.common.gomoku_rows import completes, refutation

MIDDLE = CELLS // 2
FAR = (0, 14, 210, 224, 3, 45)
POSITIONS = 5_000  # of a search
CHECKED = 12  # answers that a proof leaves out, by position

# Black to move; black has two stones more than white near the middle.
QUIET = (MIDDLE, FAR[0], MIDDLE + 16, MIDDLE - 42)


def board_of(node: Node) -> np.ndarray:
    return np.array([(node.black >> cell & 1) + 2 * (node.white >> cell & 1) for cell in range(CELLS)], np.int8)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether boards are the same up to symmetry."""
    square = b.reshape(SIZE, SIZE)
    return any(
        (a.reshape(SIZE, SIZE) == np.rot90(board, times)).all() for board in (square, square.T) for times in range(4)
    )


def assert_won(board: np.ndarray, threats: ThreatSearch) -> None:
    """Asserts that black, which is to move, wins by threats: the proof is gone through."""
    state = pack(np.stack((board == 1, board == 2))[None], np.array([False]))[0]
    proof = threats.run(state, most_positions=200_000).proof
    assert proof is not None
    assert refutation(board, SIZE, proof, 1) == ""


def check(node: Node, threats: ThreatSearch, rng: random.Random) -> None:
    """Asserts that what is said to prove a position does."""
    board = board_of(node)
    if not node.children:
        assert node.black_moves
        assert_won(board, threats)
        return
    if node.black_moves:
        assert node.moves
        won = [child.proof == 0 for child in node.children]
        board[node.moves[won.index(True)]] = 1
        assert same(board, board_of(node.children[won.index(True)]))
        return
    left_out = []
    for cell in np.flatnonzero(board == 0).tolist():
        board[cell] = 2
        assert not completes(board, SIZE, cell, 2)
        if not any(same(board, board_of(child)) for child in node.children):
            left_out.append(cell)
        board[cell] = 0
    for cell in rng.sample(left_out, min(CHECKED, len(left_out))):
        board[cell] = 2
        assert_won(board, threats)
        board[cell] = 0


def test_every_answer_is_refuted_in_a_proof() -> None:
    prover, threats, rng = Prover(), ThreatSearch(native_game(RULES)), random.Random(1)
    root = prover.position(QUIET)
    assert root.proof
    prover.run(root, POSITIONS, time.process_time() + 600)
    assert root.proof == 0
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        assert node.proof == 0
        check(node, threats, rng)
        proven = [child for child in node.children or [] if child.proof == 0]
        assert node.black_moves or len(proven) == len(node.children or [])
        for child in proven:
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)
    assert prover.counts[1] >= len(seen)


def test_positions_that_are_the_same_up_to_symmetry_are_one() -> None:
    prover = Prover()
    assert prover.position([MIDDLE, 0, MIDDLE + 1]) is prover.position([MIDDLE, 14, MIDDLE + 15])
    assert prover.position([MIDDLE, 0, MIDDLE + 1]) is not prover.position([MIDDLE, 0, MIDDLE - 1])
    assert len(prover.answers(prover.position([MIDDLE]))) == 35


def test_a_position_in_which_white_wins_is_given_up() -> None:
    prover = Prover()
    root = prover.position([0, MIDDLE, 14, MIDDLE + 1, 210, MIDDLE + 2, 224])
    assert root.disproof == 0


def test_a_search_ends_in_time() -> None:
    prover = Prover()
    root = prover.position(QUIET)
    prover.run(root, POSITIONS, time.process_time())
    assert not root.decided
    assert prover.counts == (1, 0)
