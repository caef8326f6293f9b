"""Makes positions that random games hardly reach and in which a different rule would show, for the proof by play.

Every way in which a man or a king of either side can move is made possible once more than once: the piece stands
where it starts, what it jumps over and lands on is as it must be, and all else is random. So no chain of captures,
no square and no crowning is left to chance. Others are positions in which the side to move is stuck, in many of them
just when a limit of plies is reached.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.recognition.board import KING, MAN
from ludens.games.checkers.rules.parameters import DOWN, FORWARD, UP, CheckersRules, MoveTable, Path
from ludens.games.checkers.rules.positions import Ints, Positions, random_boards, random_counts


def possible_moves(rules: CheckersRules, table: MoveTable) -> Ints:
    """Returns all moves that are legal in some position, as (number in the table, side, MAN or KING), [n, 3]."""
    found: list[tuple[int, int, int]] = []
    for number, path in enumerate(table.paths):
        if not path or len(set(path)) < len(path):
            continue
        ways = table.ways[number]
        for side in (UP, DOWN):
            if path[0] // rules.row != rules.crown_row(side) and set(ways) <= set(FORWARD[side]):
                found.append((number, side, MAN))
            if rules.kings:
                found.append((number, side, KING))
    return np.array(found)


def positions_for(rules: CheckersRules, table: MoveTable, moves: Ints, rng: np.random.Generator) -> Positions:
    """Makes for each of moves [n, 3] of `possible_moves` a position in which the piece can go that way."""
    count, (numbers, side, kind) = len(moves), moves.T
    starts, victims, empty = (row[numbers] for row in _paths(rules, table))
    taken = np.bitwise_count(victims).astype(np.int64)
    most = np.array([bits.bit_count() for bits in rules.initial[:2]])
    own, others = _few(np.maximum(most[side] - 1, 0), rng), _few(np.maximum(most[1 - side] - taken, 0), rng)
    others = np.maximum(others, taken == 0)  # a side that has lost all is to move, and not able to
    squares = np.arange(rules.squares)
    free = (starts | victims | empty)[:, None] >> squares & 1 == 0
    order = np.argsort(rng.random((count, rules.squares)) + ~free, axis=1)
    own = np.minimum(own, free.sum(axis=1) - 1)
    others = np.minimum(others, free.sum(axis=1) - own)
    mine = _union(order, squares < own[:, None], free)
    theirs = _union(order, (squares >= own[:, None]) & (squares < (own + others)[:, None]), free)
    sets = [starts | mine, victims | theirs]
    up, down = (np.where(side == who, *sets) for who in (UP, DOWN))
    kings = np.zeros(count, np.int64)
    if rules.kings:
        random_bits = rng.integers(0, 1 << rules.squares, (2, count))
        royal = np.where(rng.random(count) < 0.5, random_bits[0], random_bits[0] & random_bits[1])
        kings = (up | down) & royal & ~starts | np.where(kind == KING, starts, 0)
        kings |= up & rules.crown_squares(UP) | down & rules.crown_squares(DOWN)
    step, idle = (random_counts(limit, count, rng) for limit in (rules.step_limit, rules.idle_limit))
    return Positions(up, down, kings, side, np.full(count, -1), step, idle)


def stuck_positions(rules: CheckersRules, core: NativeCore, tries: int, rng: np.random.Generator) -> Positions:
    """Makes `tries` random boards, where few pieces are to move among many, and returns those that are over at once.

    In about half of them a counter of plies is at its limit, so that they are over for two reasons.
    """
    most = [bits.bit_count() for bits in rules.initial[:2]]
    turn = rng.integers(0, 2, tries)
    few, many = (1 + _few(np.full(tries, 3), rng), 12 - _few(np.full(tries, 6), rng))
    up, down = (np.minimum(np.where(turn == side, few, many), most[side]) for side in (UP, DOWN))
    positions = replace(random_boards(rules, up, down, rng), turn=turn)
    stuck = positions[core.terminal(positions)]
    limits = rules.step_limit, rules.idle_limit
    step, idle = (random_counts(limit, len(stuck), rng, at_limit=0.5) for limit in limits)
    return replace(stuck, step=step, idle=idle)


def _paths(rules: CheckersRules, table: MoveTable) -> Ints:
    """Returns for each move of the table the sets of squares where it starts, captures, and needs empty: [3, moves]."""
    sets = np.zeros((3, table.count), np.int64)
    for number, path in enumerate(table.paths):
        if not path:
            continue
        sets[0, number] = 1 << path[0]
        for square in path[1:]:
            sets[2, number] |= 1 << square
        if number >= table.first_jump:
            for square in _between(rules, path, table.ways[number]):
                sets[1, number] |= 1 << square
    return sets


def _between(rules: CheckersRules, path: Path, ways: tuple[int, ...]) -> list[int]:
    """Returns the squares that jumps go over."""
    return [over for square, way in zip(path, ways, strict=False) if (over := rules.neighbour(square, way)) is not None]


def _few(limit: Ints, rng: np.random.Generator) -> Ints:
    """Draws numbers from 0 to a limit [n], small ones more often."""
    numbers: Ints = rng.integers(0, rng.integers(1, limit + 2))
    return numbers


def _union(order: Ints, chosen: np.ndarray, free: np.ndarray) -> Ints:
    """Returns the set of those squares, in an order [n, squares], that are both chosen and free."""
    usable = chosen & np.take_along_axis(free, order, 1)
    union: Ints = np.where(usable, np.left_shift(1, order), 0).sum(axis=1)
    return union
