"""The numpy reference of gomoku against boards that are read line by line, at all sizes and to full boards."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ludens.games.gomoku.state import DIRECTIONS, EMPTY, MAX, MIN, Action, GomokuState
from ludens.propnet.base.errors import LudensError
from tests.support.rows import has_row


def written(state: GomokuState) -> list[str]:
    return str(state).replace(" ", "").split("\n")


def counted(state: GomokuState) -> np.ndarray:
    """The correlations, counted anew cell by cell."""
    size = state.board_size
    padded = np.zeros((3, size + 2 * state.win_size, size + 2 * state.win_size), np.int64)
    inner = slice(state.win_size, state.win_size + size)
    padded[:, inner, inner] = state.board
    total = np.zeros((len(DIRECTIONS), 3, size, size), np.int64)
    for direction, (down, right) in enumerate(DIRECTIONS):
        for step in range(state.win_size):
            rows, columns = state.win_size + step * down, state.win_size + step * right
            total[direction] += padded[:, rows : rows + size, columns : columns + size]
    return total


def check(state: GomokuState) -> None:
    board, size = written(state), state.win_size
    winners = [player for player, mark in ((MAX, "x"), (MIN, "o")) if has_row(board, mark, size)]
    assert ([state.winner] if state.winner else []) == winners
    empty = sum(row.count(".") for row in board)
    assert state.empty_cells == empty
    assert state.current_score == (empty + 1) * (winners == [MAX]) - (empty + 1) * (winners == [MIN])
    assert state.is_game_over == (bool(winners) or not empty)
    free = {(r, c) for r, row in enumerate(board) for c, mark in enumerate(row) if mark == "."}
    assert set(state.valid_actions) == (set() if winners else free)
    assert (state.board.sum(axis=0) == 1).all()


@pytest.mark.parametrize("win_size", range(3, 8))
@pytest.mark.parametrize("board_size", range(3, 23))
def test_random_games_to_the_end_at_every_size(board_size: int, win_size: int) -> None:
    rng = random.Random(100 * board_size + win_size)
    state = GomokuState.blank(board_size, win_size)
    players = [MAX, MIN]
    actions = list(state.valid_actions)
    rng.shuffle(actions)
    for ply, action in enumerate(actions):
        assert state.current_player == players[ply % 2]
        state = state.perform(action)
        if state.is_game_over:
            break
        if ply % 37 == 0:
            check(state)
    check(state)
    assert (state.correlations == counted(state)).all()
    assert state.is_game_over


def test_thousands_of_small_games_to_the_end() -> None:
    rng = random.Random(1)
    full = 0
    for game in range(2000):
        state = GomokuState.blank(3 + game % 3, 3 + game % 2)
        actions = list(state.valid_actions)
        rng.shuffle(actions)
        for action in actions:
            if not state.is_game_over:
                state = state.perform(action)
        check(state)
        full += state.empty_cells == 0
    assert full > 100


def rows_of(size: int, length: int) -> list[list[Action]]:
    """Every row of so many cells, in the middle, along the edges and into the corners."""
    found = []
    for down, right in DIRECTIONS:
        for row in range(size):
            for column in range(size):
                cells = [(row + i * down, column + i * right) for i in range(length)]
                if all(0 <= r < size and 0 <= c < size for r, c in cells):
                    found.append(cells)
    return found


@pytest.mark.parametrize(("board_size", "win_size"), [(3, 3), (7, 5), (9, 4), (22, 7)])
@pytest.mark.parametrize("player", [MAX, MIN])
def test_a_row_wins_wherever_it_is(board_size: int, win_size: int, player: int) -> None:
    rows = rows_of(board_size, win_size)
    rng = random.Random(win_size)
    for row in rows if len(rows) < 200 else rng.sample(rows, 200):
        others = [cell for cell in np.ndindex(board_size, board_size) if cell not in row]
        while True:
            rng.shuffle(others)
            quiet = others[: win_size if player == MIN else win_size - 1]
            last = rng.sample(row, win_size)
            pairs = zip(quiet, last, strict=True) if player == MIN else zip(last, [*quiet, None], strict=True)
            actions = [cell for pair in pairs for cell in pair if cell is not None]
            before = GomokuState.blank(board_size, win_size)
            try:
                before = before.play_seq(actions[:-1])
            except LudensError:
                continue  # the others had a row by chance
            if not before.is_game_over:
                break
        assert before.current_player == player
        after = before.perform(actions[-1])
        assert after.winner == player
        check(after)


def test_states_never_change() -> None:
    state = GomokuState.blank(5, 3).perform((1, 1))
    copy, text = state.copy(), str(state)
    state.perform((0, 0))
    assert str(state) == str(copy) == text
    assert copy.board is not state.board
    with pytest.raises(ValueError, match="read-only"):
        state.board[EMPTY, 0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        state.correlations[0, 0, 0, 0] = 9


def test_sequences_begin_on_the_blank_board_or_in_midgame() -> None:
    state = GomokuState.blank(4, 3).play_seq([(0, 0), (1, 1)])
    assert written(state.play_seq([(2, 2)])) == ["....", "....", "..x.", "...."]
    assert written(state.play_seq([(2, 2)], midgame=True)) == ["x...", ".o..", "..x.", "...."]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([(0, 4)], "row 0, column 4 is not on a board of size 4"),
        ([(-1, 0)], "row -1, column 0 is not on a board of size 4"),
        ([(1, 1), (1, 1)], "there is a stone at row 1, column 1 already"),
        ([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (3, 3)], "no move at row 3, column 3: the game is over"),
    ],
)
def test_actions_that_are_not_valid_are_refused(actions: list[Action], message: str) -> None:
    with pytest.raises(LudensError, match=message):
        GomokuState.blank(4, 3).play_seq(actions)


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(LudensError, match="both must be at least 1"):
        GomokuState.blank(0, 5)
