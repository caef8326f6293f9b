"""The native generator of English draughts against published counts and against the game played by the book."""

from __future__ import annotations

import random

import pytest

from games.checkers.family import ENGLISH
from games.checkers.reference import Position, Reference
from native.core import checkers_perft
from propnet.errors import NativeError
from scripts.checkers_perft import KNOWN

BY_THE_BOOK = Reference(ENGLISH)


def test_perft_of_english_draughts_to_depth_11() -> None:
    assert [checkers_perft(depth) for depth in range(12)] == [1, *KNOWN[:11]]


def board(position: Position) -> tuple[int, int, int, int]:
    return position.up, position.down, position.kings, position.turn


def count_by_the_book(position: Position, depth: int) -> int:
    moves = BY_THE_BOOK.legal(position, position.turn)
    if depth == 1:
        return len(moves)
    return sum(count_by_the_book(BY_THE_BOOK.next(position, move), depth - 1) for move in moves)


def scattered(rng: random.Random) -> Position:
    """Pieces anywhere, men not on the rank where they would have been crowned."""
    squares = rng.sample(range(32), rng.randint(2, 20))
    split = rng.randint(1, len(squares) - 1)
    up, down = (sum(1 << s for s in part) for part in (squares[:split], squares[split:]))
    kings = sum(1 << s for s in squares if rng.random() < 0.4) | up & 0xF000_0000 | down & 0x0000_000F
    return Position(up, down, kings, turn=rng.randint(0, 1))


@pytest.mark.parametrize("seed", range(4))
def test_scattered_pieces_have_as_many_moves_as_by_the_book(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        position = scattered(rng)
        for depth in (1, 2):
            assert checkers_perft(depth, board(position)) == count_by_the_book(position, depth), position


@pytest.mark.parametrize(
    ("depth", "position"),
    [(-1, (1, 2, 0, 0)), (1, (3, 2, 0, 0)), (1, (1, 2, 4, 0))],
    ids=["depth", "twice", "no piece"],
)
def test_what_is_no_position_is_refused(depth: int, position: tuple[int, int, int, int]) -> None:
    with pytest.raises(NativeError):
        checkers_perft(depth, position)
