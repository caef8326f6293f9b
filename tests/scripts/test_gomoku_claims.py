"""The solver that checks claims of gomoku wins: against plain boards, and with proofs that are wrong."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("numba")

from ludens.games.gomoku.policies.policy import RandomPolicy
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.games.gomoku.state import GomokuState
from ludens.native.core import ProofNode, Simulator, Threats, ThreatSearch
from ludens.propnet.base.errors import LudensError
from scripts.common.gomoku_rows import completes, fives, refutation, wins_by_fours, wins_by_threes
from scripts.verify import gomoku_claims, gomoku_games
from tests.support import gomoku_proofs

SIZE = 9


def boards(seed: int, count: int) -> list[tuple[np.ndarray, gomoku_proofs.Board, int]]:
    """Random boards without a row, for both implementations, and who is to move."""
    rng, found = random.Random(seed), list[tuple[np.ndarray, gomoku_proofs.Board, int]]()
    while len(found) < count:
        board, plain, side = np.zeros(SIZE * SIZE, np.int8), gomoku_proofs.Board(SIZE, SIZE, 5), 0
        for cell in rng.sample(range(SIZE * SIZE), rng.randrange(10, 44)):
            if not plain.wins(cell, side):
                plain.cells[cell], board[cell] = side, side + 1
                side = 1 - side
        found.append((board, plain, side))
    return found


def test_rows_are_completed_as_on_plain_boards() -> None:
    for board, plain, _ in boards(1, 30):
        for side in (0, 1):
            for cell in plain.empty():
                assert completes(board, SIZE, cell, side + 1) == plain.wins(cell, side)
            found = np.empty(SIZE * SIZE, np.int64)
            count = fives(board, SIZE, side + 1, found)
            assert found[:count].tolist() == plain.fives(side)


def test_wins_by_fours_are_found_as_by_trying_everything() -> None:
    results = []
    for board, plain, side in boards(2, 36):
        before = board.copy()
        results.append(wins_by_fours(board, SIZE, side + 1, np.array([10_000])))
        assert results[-1] == gomoku_proofs.wins_by_fours(plain, side)
        assert (board == before).all()
    assert min(results.count(0), results.count(1)) > 5


def test_a_budget_that_is_spent_decides_nothing() -> None:
    board, _, side = boards(2, 1)[0]
    assert wins_by_fours(board, SIZE, side + 1, np.array([0])) == -1
    assert wins_by_threes(board, SIZE, side + 1, 2, np.array([0])) == -1


def proofs(seed: int, count: int) -> list[tuple[np.ndarray, gomoku_proofs.Board, int, ProofNode]]:
    """Positions that the native search wins, with its proofs."""
    threats = ThreatSearch(native_game(GomokuRules(SIZE, SIZE, 5)))
    found: list[tuple[np.ndarray, gomoku_proofs.Board, int, ProofNode]] = []
    for board, plain, side in boards(seed, 20 * count):
        state = pack(np.stack((board == 1, board == 2))[None], np.array([side == 1]))[0]
        proof = threats.run(state, most_positions=20_000).proof
        if proof is not None and proof.line and len(found) < count:
            found.append((board, plain, side, proof))
    return found


def test_proofs_are_judged_as_by_the_checker_of_the_tests() -> None:
    right = wrong = 0
    for board, plain, side, proof in proofs(3, 30):
        others = [move for move in plain.empty() if move != proof.move]
        variants = [proof, replace(proof, move=others[0]), replace(proof, move=proof.line[0])]
        variants += [replace(proof, line=proof.line[1:]), replace(proof, line=(), answers={})]
        for answer in proof.answers:
            variants.append(replace(proof, answers={a: n for a, n in proof.answers.items() if a != answer}))
        for variant in variants:
            judged = refutation(board, SIZE, variant, side + 1) == ""
            assert judged == (gomoku_proofs.refutation(plain, variant, side) == "")
            right += judged
            wrong += not judged
    assert min(right, wrong) > 20


def test_wins_by_threes_are_those_that_threat_search_finds() -> None:
    agreed = 0
    for board, _, side, _proof in proofs(4, 12):
        result = wins_by_threes(board, SIZE, side + 1, 1, np.array([300]))
        agreed += result == 1
    assert agreed > 5


def test_claims_about_a_random_game_are_checked() -> None:
    checked = gomoku_claims.Checked()
    rng, threats = random.Random(1), ThreatSearch(native_game(GomokuRules(15, 15, 5)))
    while not (checked.wins and checked.none):
        gomoku_claims.random_game(rng, threats, checked)
    assert checked.claims == checked.wins + checked.none


def test_a_claim_that_is_false_is_told() -> None:
    class Liar:
        def run(self, state: object, *, threes: bool, most_positions: int) -> Threats:
            return Threats("won", ProofNode(0, (), {}), 1)

    with pytest.raises(LudensError, match="nothing is said of"):
        gomoku_claims.check(GomokuState.blank().perform((7, 7)), Liar(), gomoku_claims.Checked())  # type: ignore[arg-type]


@pytest.mark.parametrize("avoid", [False, True])
def test_games_of_the_reference_are_those_of_the_core(avoid: bool) -> None:
    states = list(gomoku_games.play(GomokuState.blank(5, 4), [RandomPolicy()], random.Random(2), avoid=avoid))
    assert states[-1].is_game_over
    gomoku_games.compare(states, Simulator(native_game(GomokuRules(5, 5, 4)), lanes=64))
    with pytest.raises(LudensError, match="differ in the game that ends with"):
        gomoku_games.compare(states, Simulator(native_game(GomokuRules(5, 5, 3)), lanes=64))
