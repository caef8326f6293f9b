"""What the network sees of a position of Tak, from the view of who is to move.

In this order, for a board of n × n squares:

    n × n   the top piece of each square: 1 a wall, 2 a flat, 3 a capstone, negative if it is the opponent's, 0 if empty
    n × n   the height of each stack
    n × n   the share of each stack's pieces that is one's own, from -1 (none) to 1 (all); 0 if empty
    4       flats and capstones that are left: one's own, then the opponent's
    1       the share of the squares that are taken
    1       the plies so far, divided by 100
    1       control: 1 for each stack that a flat or capstone of one's own leads, -1 for each of the opponent's
    2       path power: pairs of neighbours that are both flats or capstones of one's own; the same of the opponent
    n       path power along each rank: the sum over its squares of 1 for one's own flat, -1 for a wall, 2 for a
            capstone, and of -1, -2, -3 for the opponent's
    n       the same along each file
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.games.tak.rules.parameters import Kind, TakRules
from ludens.games.tak.rules.reference import Position, Stack

Floats = npt.NDArray[np.float32]

_TOP = {Kind.WALL: 1, Kind.FLAT: 2, Kind.CAPSTONE: 3}
_ALONG = ({Kind.FLAT: 1, Kind.WALL: -1, Kind.CAPSTONE: 2}, {Kind.FLAT: -1, Kind.WALL: -2, Kind.CAPSTONE: -3})


def input_count(rules: TakRules) -> int:
    """Returns the number of inputs."""
    return 3 * rules.squares + 9 + 2 * rules.size


def inputs(position: Position, viewer: int | None = None) -> Floats:
    """Returns the inputs of a position, float32[input_count]; `viewer` is who sees it, if not who is to move."""
    rules, board = position.rules, position.board
    turn = position.turn if viewer is None else viewer
    size = rules.size
    along = np.array([_along(stack, turn) for stack in board]).reshape(size, size)
    reserves = [*position.reserves[turn], *position.reserves[1 - turn]]
    taken = sum(stack.height > 0 for stack in board) / rules.squares
    control = sum(_sign(stack, turn) for stack in board if stack.top != Kind.WALL)
    return np.array(
        [
            *(_sign(stack, turn) * _TOP[stack.top] for stack in board),
            *(stack.height for stack in board),
            *(_share(stack, turn) for stack in board),
            *reserves,
            taken,
            position.ply / 100,
            control,
            _connected_pairs(position, turn),
            _connected_pairs(position, 1 - turn),
            *along.sum(axis=1),
            *along.sum(axis=0),
        ],
        np.float32,
    )


def _sign(stack: Stack, turn: int) -> int:
    """Returns 1 for a stack that is one's own, -1 for the opponent's, 0 for none."""
    return 0 if stack.controller is None else 1 if stack.controller == turn else -1


def _share(stack: Stack, turn: int) -> float:
    return 2 * stack.owners.count(turn) / stack.height - 1 if stack.height else 0.0


def _along(stack: Stack, turn: int) -> int:
    return 0 if stack.controller is None else _ALONG[stack.controller != turn][stack.top]


def _connected_pairs(position: Position, player: int) -> int:
    road = [stack.is_road_of(player) for stack in position.board]
    up_and_right = (0, 3)  # directions, so that each pair counts once
    return sum(
        road[square] and road[line[0]]
        for square, lines in enumerate(position.rules.lines)
        for line in (lines[way] for way in up_and_right)
        if line
    )
