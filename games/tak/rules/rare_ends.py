"""Whole games that end with two roads at once, which random games hardly ever do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ludens.games.tak.rules.parameters import DIRECTIONS, Kind, Move, Placement, Spread, TakRules


def double_roads(rules: TakRules) -> Iterator[list[Move]]:
    """Yields two games by their moves: the first player, and then the second one, ends it with a road of both.

    The first two ranks are full but for a1. On a2 a stack of who is to move hides a flat of the other player; its top
    goes to a1, and completes both ranks.
    """
    size = rules.size
    up, down = (DIRECTIONS.index(way) for way in "+-")
    corner, stack = 0, size
    ranks = [[_flat(rank * size + file) for file in range(1, size)] for rank in (0, 1)]
    cover: list[Move] = [_flat(corner), Spread(corner, up, (1,)), *ranks[0][1:], Spread(stack, down, (1,))]
    spare = [_flat(size * size - 1), _flat(size * size - size)]
    first: list[Move] = [_flat(stack), ranks[0][0]]  # of the other player each
    yield first + _in_turn(cover, [spare[0], *ranks[1]])
    yield first[::-1] + _in_turn([spare[0], *ranks[1], spare[1]], cover)


def _flat(square: int) -> Placement:
    return Placement(square, Kind.FLAT)


def _in_turn(one: list[Move], other: list[Move]) -> list[Move]:
    return [move for pair in zip_longest(one, other) for move in pair if move]
