"""The native generator of English draughts, and alpha-beta on it, against published counts and the book."""

from __future__ import annotations

import random

import pytest

from ludens.games.checkers.bitboards.native_game import native_game, pack
from ludens.games.checkers.rules.parameters import ENGLISH, CheckersRules, Jumps, MoveTable
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import checkers_baseline_move, checkers_perft
from ludens.propnet.base.errors import NativeError
from scripts.verify.checkers_perft import KNOWN

BY_THE_BOOK = Reference(ENGLISH)


def test_perft_of_english_draughts_to_depth_11() -> None:
    assert [checkers_perft(depth) for depth in range(12)] == [1, *KNOWN[:11]]


def test_every_instruction_set_counts_alike(instruction_set: str) -> None:
    assert checkers_perft(9, instruction_set=instruction_set) == KNOWN[8]


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
def test_scattered_pieces_have_as_many_moves_as_by_the_book(seed: int, instruction_set: str) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        position = scattered(rng)
        for depth in (1, 2):
            found = checkers_perft(depth, board(position), instruction_set)
            assert found == count_by_the_book(position, depth), position


def material(position: Position) -> int:
    """For the side to move: men count 2, kings 3."""
    sides = (position.up, position.down)
    worth = [2 * s.bit_count() + (s & position.kings).bit_count() for s in sides]
    return worth[position.turn] - worth[1 - position.turn]


def minimax(position: Position, depth: int, ply: int) -> int:
    """As the baseline, without cut-offs, by the book."""
    moves = BY_THE_BOOK.legal(position, position.turn)
    captures = any(abs(path[0] // 4 - path[1] // 4) == 2 for path in moves)
    if depth <= 0 and not captures:
        return material(position)
    return max([-minimax(BY_THE_BOOK.next(position, m), depth - 1, ply + 1) for m in moves], default=ply - 1000)


def test_the_baseline_plays_as_minimax() -> None:
    rng = random.Random(7)
    rules = CheckersRules(jumps=Jumps.BY_PLIES)
    game, table = native_game(rules), MoveTable(rules)
    compared = 0
    while compared < 60:
        position = scattered(rng)
        moves = BY_THE_BOOK.legal(position, position.turn)
        if len({path[:2] for path in moves}) < 2 or max(position.pieces(0), position.pieces(1)) > 12:
            continue
        worth = {path: -minimax(BY_THE_BOOK.next(position, path), 1, 1) for path in moves}
        state = pack(Positions.of([position]))[0]
        chosen = table.paths[checkers_baseline_move(game, state, 2, seed=compared)]
        assert chosen in {path[:2] for path in moves if worth[path] == max(worth.values())}, position
        compared += 1


def test_the_baseline_knows_what_it_can_play() -> None:
    rules = CheckersRules(jumps=Jumps.BY_PLIES)
    game = native_game(rules)
    with pytest.raises(NativeError, match="depth"):
        checkers_baseline_move(game, game.initial, 0)
    with pytest.raises(NativeError, match="no move"):
        checkers_baseline_move(game, pack(Positions.of([Position(0, 1 << 31, 0)]))[0], 3)
    for others in (CheckersRules(jumps=Jumps.ONE), CheckersRules(jumps=Jumps.BY_PLIES, stuck_either=True)):
        other = native_game(others)
        with pytest.raises(NativeError, match="baseline"):
            checkers_baseline_move(other, other.initial, 3)


@pytest.mark.parametrize(
    ("depth", "position"),
    [(-1, (1, 2, 0, 0)), (1, (3, 2, 0, 0)), (1, (1, 2, 4, 0))],
    ids=["depth", "twice", "no piece"],
)
def test_what_is_no_position_is_refused(depth: int, position: tuple[int, int, int, int]) -> None:
    with pytest.raises(NativeError):
        checkers_perft(depth, position)
