"""Positions from the mover's side: three words, in which the side to move goes up the board.

English draughts have one symmetry: turning the board and changing the colours. A position in which DOWN is to move is
the same game as its turned image, in which UP is. So positions are kept turned to the mover: (own pieces, the other
side's, kings), each a set of the 32 squares of `games/checkers/rules/parameters.py`. A move is 4 * square + direction,
which says a step or a jump, never both: what is beside the piece is empty or not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.bitboards.native_game import pack, unpack
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps, goal_table
from ludens.games.checkers.rules.positions import Positions
from ludens.native.core import States

Words = npt.NDArray[np.uint32]  # [n, 3]: own pieces, the other side's, kings
MOVES = 128  # 4 * square + direction
_GOLDEN_RATIO, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def counted_rules(idle: int, cap: int) -> CheckersRules:
    """Returns English draughts that always ends: games of `cap` plies, and cycles, are decided by the pieces.

    A cycle has no capture and no move of a man, so `idle` plies in a row without one end the game. Who has more pieces
    then has won.
    """
    goals = goal_table(lambda up, down: (100, 0) if up > down else (0, 100) if down > up else (50, 50))
    return CheckersRules(jumps=Jumps.BY_PLIES, goals=goals, idle_limit=idle, step_limit=cap)


def words_of(states: States) -> Words:
    """Returns native states [n, 2], none within a chain of captures, as the mover sees them."""
    p = unpack(states)
    up, down, kings = (getattr(p, name).astype(np.uint32) for name in ("up", "down", "kings"))
    upright = p.turn == 0
    return np.stack(
        (
            np.where(upright, up, turned(down)),
            np.where(upright, down, turned(up)),
            np.where(upright, kings, turned(kings)),
        ),
        axis=1,
    )


def states_of(words: Words) -> States:
    """Returns the native states [n, 2] of positions, with UP to move and all counters at 0."""
    own, others, kings = words.astype(np.int64).T
    none = np.zeros(len(words), np.int64)
    return pack(Positions(own, others, kings, none, none - 1, none, none))


def seen_moves(numbers: npt.NDArray[np.integer], turns: npt.NDArray[np.integer]) -> npt.NDArray[np.uint8]:
    """Returns moves, numbers of `MoveTable`, as the side of `turns` that makes them sees them."""
    plain = numbers % MOVES
    seen: npt.NDArray[np.uint8] = np.where(turns == 0, plain, MOVES - 1 - plain).astype(np.uint8)
    return seen


def turned(sets: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Returns sets of squares as they lie once the board is turned: square s becomes 31 - s."""
    for by, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        sets = (sets >> np.uint32(by)) & np.uint32(mask) | (sets & np.uint32(mask)) << np.uint32(by)
    return sets >> np.uint32(16) | sets << np.uint32(16)


def hashes(words: Words) -> npt.NDArray[np.uint64]:
    """Returns a hash of each position, by splitmix64 word after word."""
    found = np.zeros(len(words), np.uint64)
    for column in words.T:
        found = found + _GOLDEN_RATIO + column
        found = (found ^ (found >> np.uint64(30))) * _FIRST
        found = (found ^ (found >> np.uint64(27))) * _SECOND
        found ^= found >> np.uint64(31)
    return found
