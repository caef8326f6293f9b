"""Whole games that end with two roads at once or at the limit of plies, which random games hardly ever do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, cycle, islice, zip_longest

from ludens.games.tak.rules.parameters import DIRECTIONS, Kind, Move, Placement, Spread, TakRules


def rare_ends(rules: TakRules) -> Iterator[list[Move]]:
    """Yields all these games by their moves."""
    yield from double_roads(rules)
    if rules.ply_limit:
        yield from uneven_ends(rules)


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
    yield [*first, *_in_turn(cover, [spare[0], *ranks[1]])]
    yield [*first[::-1], *_in_turn([spare[0], *ranks[1], spare[1]], cover)]


def uneven_ends(rules: TakRules) -> Iterator[list[Move]]:
    """Yields two games to the limit of plies by their moves: first one player, and then the other, has a flat more."""
    for player in (0, 1):
        yield list(islice(back_and_forth(rules, player), rules.ply_limit))


def back_and_forth(rules: TakRules, richer: int | None = None) -> Iterator[Move]:
    """Yields moves without end, six different ones: two flats in opposite corners leave them and come back.

    Before, the `richer` player places a flat in another corner.
    """
    size, first, last = rules.size, 0, rules.squares - 1
    yield _flat(first)  # of the other player each
    yield _flat(last)
    moves = [_to_and_fro(last, last - size, "-+"), _to_and_fro(first, first + size, "+-")]
    if richer is not None:
        moves[richer] = chain([_flat(size - 1)], moves[richer])
    yield from _in_turn(*moves)


def _to_and_fro(here: int, there: int, ways: str) -> Iterator[Move]:
    leave, come_back = map(DIRECTIONS.index, ways)
    return cycle([Spread(here, leave, (1,)), Spread(there, come_back, (1,))])


def _flat(square: int) -> Placement:
    return Placement(square, Kind.FLAT)


def _in_turn(one: Iterable[Move], other: Iterable[Move]) -> Iterator[Move]:
    return (move for pair in zip_longest(one, other) for move in pair if move)
