"""The perfect player of connect four that strength is measured by says what plain minimax says."""

from __future__ import annotations

import random
from argparse import Namespace
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("numba")

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.learning import Learner
from ludens.games.rules import find_rules
from ludens.native.core import Game
from ludens.propnet.base.errors import LudensError
from scripts.strength import connect_four_perfect
from scripts.strength.connect_four_perfect import GAME, Played, answers, keeps, kept_digest, values_of
from scripts.strength.connect_four_solver import Board, Solver
from scripts.strength.match import network

Stones = tuple[tuple[bool, ...], ...]  # of each column from below, whether of the first player


def _line(board: Stones, height: int) -> bool:
    """Whether there are four in a row."""

    def at(column: int, row: int) -> bool | None:
        inside = 0 <= column < len(board) and 0 <= row < len(board[column])
        return board[column][row] if inside else None

    return any(
        at(c, r) is not None and len({at(c + i * dc, r + i * dr) for i in range(4)}) == 1
        for c in range(len(board))
        for r in range(height)
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


@cache
def _minimax(board: Stones, height: int) -> int:
    """The value for the player to move: by the definition, without any of the solver's means."""
    if _line(board, height):
        return -1
    mover = sum(map(len, board)) % 2 == 0
    return max(
        (
            -_minimax((*board[:c], (*stones, mover), *board[c + 1 :]), height)
            for c, stones in enumerate(board)
            if len(stones) < height
        ),
        default=0,
    )


def _random_moves(solver: Solver, stones: int, rng: random.Random) -> list[int]:
    """A game of so many moves that is not over."""
    while True:
        board, moves = Board(), list[int]()
        while len(moves) < stones and not solver.over(board):
            moves.append(rng.choice(solver.columns(board)))
            board = solver.drop(board, moves[-1])
        if not solver.over(board):
            return moves


@pytest.mark.parametrize(
    ("width", "height", "least_stones", "count"),
    [(4, 4, 5, 40), (5, 4, 12, 30), (4, 5, 12, 30), (5, 5, 17, 30), (7, 6, 35, 30)],
)
def test_values_are_those_of_minimax(width: int, height: int, least_stones: int, count: int) -> None:
    solver = Solver(width, height)
    rng, values = random.Random(width * height), list[int]()
    for _ in range(count):
        moves = _random_moves(solver, rng.randint(least_stones, width * height - 3), rng)
        columns = [tuple(i % 2 == 0 for i, m in enumerate(moves) if m == c) for c in range(width)]
        board = solver.after(moves)
        value = _minimax(tuple(columns), height)
        assert solver.value(board) == value, moves
        for c in solver.columns(board):
            grown = (*columns[:c], (*columns[c], len(moves) % 2 == 0), *columns[c + 1 :])
            assert solver.keeps(board, c, value) == (-_minimax(grown, height) == value), (moves, c)
        values.append(value)
    _minimax.cache_clear()
    assert set(values) == {-1, 0, 1}


def test_what_took_long_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.strength.connect_four_solver._WORTH_KEEPING", -1.0)
    first = Solver(4, 4, tmp_path / "values")
    board = first.after([1, 2])
    value = first.value(board)
    with (tmp_path / "values").open("a") as file:
        file.write('{"position')  # cut short
    second = Solver(4, 4, tmp_path / "values")
    assert second.value(board) == value
    mirrored = second.after([2, 1])
    assert second.value(mirrored) == value
    assert first.positions > 0
    assert second.positions == 0


# ---- A player held to the value ----


class Known:
    """A solver of positions that are told apart by their stones, which counts what it is asked."""

    def __init__(self, values: dict[int, int]) -> None:
        self.values, self.asked = values, list[int]()

    def value(self, board: Board) -> int:
        self.asked.append(board.both)
        return self.values[board.both]

    def keeps(self, board: Board, _column: int, value: int) -> bool:
        return self.value(board) == value and board.both != 3


@pytest.mark.parametrize(
    ("later", "values", "kept", "asked"),
    [
        ([1, 1], [1, 1, 1, 1], [True, True, True], [4, 5]),  # still won, so nothing earlier was given away
        ([0, 0], [1, 1, 0, 0], [True, False, True], [4, 5, 3]),  # given away by the second move
    ],
)
def test_first_moves_are_looked_at_only_where_the_win_is_gone(
    later: list[int], values: list[int], kept: list[bool], asked: list[int]
) -> None:
    boards = [Board(0, both) for both in (2, 3, 4, 5)]
    solver = Known({2: 1, 3: 1, 4: later[0], 5: later[1]})
    assert values_of(solver, boards, 2) == values  # type: ignore[arg-type]
    assert solver.asked == asked
    assert [keeps(solver, boards, values, n, 0) for n in range(3)] == kept  # type: ignore[arg-type]


def test_replies_that_keep_the_value_are_counted() -> None:
    solver = Solver()
    threat = solver.after(int(c) - 1 for c in "112233")  # the first player wins in the fourth column
    assert answers(solver, threat) == 1
    assert answers(solver, solver.drop(threat, 3)) == solver.width  # which ends the game


def test_a_match_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def play(_solver: Solver, _args: Namespace, seed: int, seat: int, key: str) -> Played:
        played.append(seed)
        return Played(key, seat, "4", (1,), (True,), 1.0)

    def run(games: int) -> list[int]:
        played.clear()
        args = Namespace(player=f"guided:network={file}", seconds=1.0, seed=1, opening_moves=0, seat="first")
        args.kept, args.games, args.out = False, games, out
        assert len(connect_four_perfect.run(args, Solver(4, 4))) == games
        return list(played)

    monkeypatch.setattr(connect_four_perfect, "play", play)
    out, file = tmp_path / "games.jsonl", tmp_path / "some.weights"
    file.write_text("some")
    assert run(2) == [1, 2]
    assert run(3) == [3]
    out.write_bytes(out.read_bytes()[:-5])
    assert run(3) == [3]
    file.write_text("others")
    assert run(3) == [1, 2, 3]


def keep(seconds: float, bias: float) -> Path:
    """Keeps an evaluation of the game that was learned for so long; returns its file."""
    game = Game.from_propnet(network(GAME))
    weights = Learner(game, seed=1).learned().weights
    cache = EvaluationCache.of_sheet(find_rules(GAME).sheet(), "all")
    cache.entry(network(GAME)).write(TrainedWeights(weights._replace(linear=weights.linear + bias), 1, seconds=seconds))
    return cache.path


def test_what_is_kept_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    digests = []
    for bias in (0, 1):
        keep(seconds=480.0, bias=bias)
        digests.append(kept_digest("auto:learn=24"))
    assert len(set(digests)) == 2
    assert kept_digest("guided:learn=24") == digests[1]


def test_a_player_that_would_not_use_what_is_kept_as_it_is_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(LudensError, match="`ludens learn connect_four` learns it"):
        kept_digest("auto:learn=24")
    file = keep(seconds=470.0, bias=0)
    with pytest.raises(LudensError, match="learned in 8 min: it needs a smaller learn="):
        kept_digest("auto:learn=24")
    with pytest.raises(LudensError, match="leave recall=off out"):
        kept_digest("auto:learn=1,recall=off")
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LudensError, match="nothing is kept"):
        kept_digest("auto:learn=1")
