"""The evaluation of Tak: against a slow one on the readable rules, and under symmetries and exchanged sides."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.notation.tps import read_tps
from ludens.games.tak.rules.parameters import Kind, TakRules
from ludens.games.tak.rules.reference import EMPTY, Position, Stack, first_position, flat_lead, legal_moves, made
from ludens.native.core import tak_estimates
from scripts.strength.tak_weights import UNIT, read_weights

KINDS = (Kind.FLAT, Kind.WALL, Kind.CAPSTONE)
CLASSES, LENGTHS, NUMBERS, STAGES = 10, 10, 4, (2, 5, 9, 15)
CAPTIVES = 3 * CLASSES
SUPPORT = CAPTIVES + 6
FLATS_LEFT = SUPPORT + 3
PAIRS, LIBERTIES, ATTACKS, CAPTURES, SPANS = range(FLATS_LEFT + 1, FLATS_LEFT + 6)
FLAT_LEAD = SPANS + 1
NEAREST = FLAT_LEAD + len(STAGES)
ACROSS = NEAREST + 2 * LENGTHS
PLACES = ACROSS + 2 * LENGTHS
SPREADS_TO = PLACES + 2 * NUMBERS
TEMPO = SPREADS_TO + 2 * NUMBERS
TPS = (
    "x2,2,22,1/x,2212S,1,1,2/2,12C,21,1C,x/1S,x,1,12,2/x,2,1,x2 1 15",
    "1,1,1,1,x/2,2,12S,2,x/x,21C,2,1,1/2,2,2,2,x/1,1212,x,112C,2 2 20",
    "x,1,1,x/2,2,1112S,2/1,x,21,12/x2,1,2 1 12",
)


def positions(size: int, count: int, half_komi: int = 0) -> list[Position]:
    """Returns positions of random games that have not ended, of every age."""
    rng = random.Random(size)
    found: list[Position] = []
    position = first_position(TakRules(size, half_komi))
    while len(found) < count:
        moves = legal_moves(position)
        if not moves:
            position = first_position(position.rules)
            continue
        found.append(position)
        position = made(position, rng.choice(moves))
    return found


def terms_of(position: Position) -> dict[int, int]:
    """Returns the terms that are not 0, by number."""
    found: Counter[int] = Counter()
    for place, player in enumerate((position.turn, 1 - position.turn)):
        sign = 1 - 2 * place
        for term, count in one_side(position, player).items():
            found[term] += sign * count
        found.update(roads_of(position, player, place))
    empty = sum(not stack.owners for stack in position.board)
    plies = min(empty, *(2 * sum(reserve) for reserve in position.reserves))
    stage = next((i for i, most in enumerate(STAGES) if plies <= most), None)
    if stage is not None:
        found[FLAT_LEAD + stage] += flat_lead(position) * (1 - 2 * position.turn)
    found[TEMPO] += 1
    return {term: count for term, count in found.items() if count}


def neighbours(position: Position, square: int) -> list[int]:
    """Returns the squares beside one."""
    return [line[0] for line in position.rules.lines[square] if line]


def class_of(position: Position, square: int) -> int:
    """Returns the number of all squares that turns and reflections make this one."""
    size = position.rules.size
    low, high = sorted(min(at, size - 1 - at) for at in divmod(square, size))
    return high * (high + 1) // 2 + low


def one_side(position: Position, player: int) -> Counter[int]:
    """Returns the terms of a player that are counted alike for both."""
    found: Counter[int] = Counter()
    board, size = position.board, position.rules.size
    other = 1 - player
    own = {square for square, stack in enumerate(board) if stack.controller == player}
    road = {square for square in own if board[square].top != Kind.WALL}
    for square in own:
        stack = board[square]
        kind = KINDS.index(stack.top)
        found[kind * CLASSES + class_of(position, square)] += 1
        beneath = stack.owners[:-1]
        found[CAPTIVES + 2 * kind] += beneath.count(player)
        found[CAPTIVES + 2 * kind + 1] += beneath.count(other)
        found[SUPPORT + kind] += beneath[-1:] == (player,)
    found[FLATS_LEFT] = position.reserves[player][0]
    found[PAIRS] = sum(near in road for square in road for near in neighbours(position, square)) // 2
    beside_road, beside_own, beside_capstones = (
        {near for square in squares for near in neighbours(position, square)}
        for squares in (road, own, {square for square in own if board[square].top == Kind.CAPSTONE})
    )
    found[LIBERTIES] = sum(board[square] == EMPTY for square in beside_road)
    found[ATTACKS] = sum(board[s].controller == other and board[s].top == Kind.FLAT for s in beside_own)
    found[CAPTURES] = sum(board[s].controller == other and board[s].top == Kind.WALL for s in beside_capstones)
    found[SPANS] = len({square // size for square in road}) + len({square % size for square in road})
    return found


def edges(size: int) -> tuple[tuple[set[int], set[int]], tuple[set[int], set[int]]]:
    """Returns the squares of the lowest and the highest rank, and of the first and the last file."""
    last = size - 1
    return (
        (set(range(size)), {last * size + i for i in range(size)}),
        ({i * size for i in range(size)}, {i * size + last for i in range(size)}),
    )


def lacking(position: Position, player: int, ends: tuple[set[int], set[int]]) -> dict[int, int]:
    """Returns how many squares a player lacks to a road from the first edge to each square that can be part of it."""
    board = position.board

    def cost(square: int) -> int | None:
        stack = board[square]
        if stack.is_road_of(player):
            return 0
        return None if stack.top == Kind.WALL or (stack.owners and stack.top == Kind.CAPSTONE) else 1

    least: dict[int, int] = {}
    edge = [(cost(square), square) for square in ends[0]]
    rest = sorted((price, square) for price, square in edge if price is not None)
    while rest:
        price, square = rest.pop(0)
        if square in least:
            continue
        least[square] = price
        for near in neighbours(position, square):
            step = cost(near)
            if step is not None and near not in least:
                rest = sorted([*rest, (price + step, near)])
    return least


def roads_of(position: Position, player: int, place: int) -> Counter[int]:
    """Returns the terms of how near a player is to a road; `place` is 0 for the mover."""
    found: Counter[int] = Counter()
    size, board = position.rules.size, position.board
    distances = []
    for ends in edges(size):
        least = lacking(position, player, ends)
        distances.append(min([least[square] for square in ends[1] if square in least] + [size + 1]))
    found[NEAREST + place * LENGTHS + min(distances)] += 1
    found[ACROSS + place * LENGTHS + max(distances)] += 1
    if min(distances) > 1:
        return found
    own_road = {square for square, stack in enumerate(board) if stack.is_road_of(player)}
    joining = {s for s in range(size * size) for ends in edges(size) if joins(position, own_road | {s}, ends)}
    at_edges = {s for pair in edges(size) for edge in pair for s in reached(position, own_road, edge)}
    spare = {
        square
        for square, stack in enumerate(board)
        if stack.controller == player and (stack.height > 1 or square not in at_edges)
    }
    places = sum(board[square] == EMPTY for square in joining)
    spreads_to = sum(
        board[square].top == Kind.FLAT
        and square not in own_road
        and any(near in spare for near in neighbours(position, square))
        for square in joining
    )
    for term, number in ((PLACES, places), (SPREADS_TO, spreads_to)):
        if number:
            found[term + place * NUMBERS + min(number, NUMBERS - 1)] += 1
    return found


def reached(position: Position, squares: set[int], start: set[int]) -> set[int]:
    """Returns the squares of a set that are connected to some of it."""
    found, rest = set(), list(squares & start)
    while rest:
        square = rest.pop()
        if square not in found:
            found.add(square)
            rest += [near for near in neighbours(position, square) if near in squares]
    return found


def joins(position: Position, squares: set[int], ends: tuple[set[int], set[int]]) -> bool:
    """Says whether a set of squares connects two edges."""
    return bool(reached(position, squares, ends[0]) & ends[1])


def estimates(all_of_them: list[Position]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the terms and the values of positions by the same rules."""
    return tak_estimates(native_game(all_of_them[0].rules), np.stack([pack(position) for position in all_of_them]))


@pytest.mark.parametrize(("size", "half_komi"), [(3, 0), (4, 0), (5, 4), (6, 0), (7, 1), (8, 0)])
def test_terms_and_values_are_those_of_the_readable_rules(size: int, half_komi: int) -> None:
    known = positions(size, 60 * size, half_komi)
    known += [replace(p, rules=known[0].rules) for text in TPS if (p := read_tps(text)).rules.size == size]
    terms, values = estimates(known)
    for position, row in zip(known, terms, strict=True):
        assert {int(term): int(row[term]) for term in np.flatnonzero(row)} == terms_of(position)
    odds = terms @ read_weights(size) / (2 * UNIT)
    assert values == pytest.approx(odds / np.sqrt(1 + odds**2), abs=1e-5)
    assert np.ptp(values) > 0.5


def turned(position: Position, symmetry: tuple[bool, ...]) -> Position:
    """Returns the image of a position: ranks and files exchanged, ranks reversed, files reversed."""
    exchanged, down, across = symmetry
    size = position.rules.size
    board = [EMPTY] * (size * size)
    for square, stack in enumerate(position.board):
        rank, file = divmod(square, size)
        if exchanged:
            rank, file = file, rank
        rank, file = size - 1 - rank if down else rank, size - 1 - file if across else file
        board[rank * size + file] = stack
    return replace(position, board=tuple(board))


def exchanged_sides(position: Position) -> Position:
    """Returns the position in which each player has what the other one had, a ply later."""
    board = tuple(Stack(tuple(1 - owner for owner in stack.owners), stack.top) for stack in position.board)
    return replace(position, board=board, reserves=position.reserves[::-1], ply=position.ply + 1)


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_turns_reflections_and_exchanged_sides_have_the_same_value(size: int) -> None:
    known = positions(size, 200)
    terms, _ = estimates(known)
    images = [[turned(p, symmetry) for p in known] for symmetry in product((False, True), repeat=3)]
    for image in (*images, [exchanged_sides(p) for p in known]):
        assert np.array_equal(estimates(image)[0], terms)
    assert len(np.unique(terms, axis=0)) > 100
