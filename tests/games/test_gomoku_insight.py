"""What threats tell tree searches of gomoku: nothing wrong, and much that they would not find in the same time."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.native.core import Evaluation, Game, Search
from scripts.strength.gomoku_problems import FILE, read
from tests.games.test_gomoku_search import RULES, board_of, random_board, state_of, value_after
from tests.support.evaluations import ignorant


def evaluation_for(strategy: str, game: Game) -> Evaluation | None:
    return ignorant(game) if strategy == "guided" else None


def searching(rules: GomokuRules, strategy: str, *, insight: bool = True, threat_playouts: bool = False) -> Search:
    game = native_game(rules, insight=insight, threat_playouts=threat_playouts)
    return Search(
        game, strategy=strategy, evaluation=evaluation_for(strategy, game), memory_bytes=1 << 20, seed=3, lanes=64
    )


@pytest.mark.parametrize("strategy", ["uct", "rave", "guided"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_proven_is_what_brute_force_finds(rules: GomokuRules, strategy: str) -> None:
    rng = np.random.default_rng(6)
    search, proven_moves = searching(rules, strategy, threat_playouts=strategy == "rave"), 0
    for _ in range(40):
        empty = int(rng.integers(3, 9))
        board = random_board(rules, empty, rng)
        if board is None:
            continue
        turn = (len(board.cells) - empty) % 2
        search.set_root(state_of(board))
        search.run(playouts=300)
        found = search.root_moves(turn)
        assert found.moves.tolist() == board.empty()
        for move, proven in zip(found.moves.tolist(), found.proven.tolist(), strict=True):
            assert proven in (-1, value_after(board, turn, move))
            proven_moves += proven >= 0
    assert proven_moves > 20


@pytest.mark.parametrize("strategy", ["uct", "rave", "guided"])
def test_wins_by_fours_are_seen_at_once(strategy: str) -> None:
    """With 200 visits, where the move that wins leads through up to a dozen fours."""
    problems = [each for each in read(FILE) if each.kind == "VCF"][::15]
    solved = {}
    for insight in (True, False):
        solved[insight] = 0
        for problem in problems:
            search = searching(GomokuRules(15, 15, 5), strategy, insight=insight)
            search.set_root(problem.state())
            search.run(playouts=200)
            solved[insight] += search.root_moves(problem.side - 1).proven.max() == 100
    assert solved == {True: len(problems), False: 0}


@pytest.mark.parametrize("strategy", ["uct", "rave", "guided"])
def test_a_root_whose_end_was_known_has_moves_all_the_same(strategy: str) -> None:
    """Black has an open three; after white's move elsewhere its own win is known, and white's move is known to lose."""
    rules = GomokuRules(15, 15, 5)
    threes, far = [7 * 15 + column for column in range(5, 8)], [0, 30, 60]
    search = searching(rules, strategy)
    search.set_root(state_of(board_of(rules, threes, far[:2])))  # white to move
    search.run(playouts=2_000)
    found = search.root_moves(1)
    assert len(found.moves) == 220
    assert found.proven[found.moves.tolist().index(224)] in (-1, 0)
    for _ in range(2):
        search.set_root(state_of(board_of(rules, threes, far)))  # black to move, and wins
        search.run(playouts=2_000)
        found = search.root_moves(0)
        assert len(found.moves) == 219
        assert found.proven[found.best] == 100
        assert int(found.moves[found.best]) in {7 * 15 + column for column in (3, 4, 8, 9)}


def test_where_rows_do_not_win_nothing_is_seen() -> None:
    """A row loses here, so that a proof by threats would be of the contrary."""
    rules = GomokuRules(3, 3, 3, goals=((0, 100), (100, 0), (50, 50)))
    plain, told = (Search(native_game(rules, insight=each), strategy="uct", seed=1) for each in (False, True))
    for search in (plain, told):
        search.run(playouts=200_000, seconds=60)
        assert search.stats().solved
    assert told.root_moves(0).proven.max() == plain.root_moves(0).proven.max()


def test_goals_and_roles_are_those_of_the_rules() -> None:
    rules = GomokuRules(15, 15, 5, first_role=1, goals=((10, 90), (80, 20), (50, 50)))
    four = [7 * 15 + column for column in range(4, 7)]
    search = searching(rules, "uct")
    search.set_root(state_of(board_of(rules, four, [0, 30, 60])))
    search.run(playouts=2_000)
    found = search.root_moves(1)
    assert found.proven[found.best] == 90


@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_search_finds_the_same_and_threads_work(threads: int) -> None:
    game = native_game(GomokuRules(15, 15, 5), insight=True)
    found = []
    for _ in range(2):
        search = Search(game, strategy="uct", memory_bytes=1 << 22, seed=3, threads=threads)
        search.run(playouts=5_000)
        found.append(search.root_moves(0).visits.tolist())
        assert sum(found[-1]) > 1_000
    assert threads > 1 or found[0] == found[1]
