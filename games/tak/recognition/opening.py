"""Finds the squares of a board of Tak in a network, by what the first moves do.

In the first position each move of the first role is a square. A reply is the same square if that move, and no other,
forbids it. The stack of a role is on a square if it has moves there wherever the other stack is, and each of these
leads to a neighbour, which is no longer free. Neighbours make the grid, which fits the board in eight ways. Any will
do; the one that is taken has files and ranks as people call them where a sheet has words for both, in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from ludens.games.tak.rules.parameters import Kind, Placement, Spread, TakRules
from ludens.native.core import Simulator, States
from ludens.propnet.base.errors import NotRecognisedError

Ints = npt.NDArray[np.int64]


def read_opening(network: Simulator, rules: TakRules) -> Ints:
    """Returns the network's moves that its first plies tell, by role and `TakRules.number`, -1 for others: [2, moves].

    These are waiting, the flats of both roles, and the first role's spreads of a single piece. Raises
    NotRecognisedError.
    """
    opening = _Opening(network, rules)
    moves = np.full((2, rules.move_count), -1)
    moves[:, rules.waiting] = opening.waiting
    squares = _squares(rules, opening.neighbours)
    for place, square in enumerate(squares):
        moves[:, rules.number(Placement(square, Kind.FLAT))] = opening.flats[:, place]
        for step, neighbour in opening.neighbours[place].items():
            direction = [line[0] if line else -1 for line in rules.lines[square]].index(squares[neighbour])
            moves[0, rules.number(Spread(square, direction, (1,)))] = step
    return moves


class _Opening:
    """The places of a network, S of them in the order of its first moves, and what its moves do there."""

    def __init__(self, network: Simulator, rules: TakRules) -> None:
        self._network, self._places = network, rules.squares
        initial = network.game.initial
        legal = [np.flatnonzero(rows[0]) for rows in network.legal(initial)]
        if [len(moves) for moves in legal] != [self._places, 1]:
            raise NotRecognisedError(f"the first role does not choose among {self._places} squares")
        once = np.array([[move, legal[1][0]] for move in legal[0]], np.int32)
        first = network.next(np.tile(initial, (self._places, 1)), once)
        waits, replies = network.legal(first)
        if (waits.sum(axis=1) != 1).any() or len(set(waits.argmax(axis=1).tolist())) != 1:
            raise NotRecognisedError("the first role does not wait for the reply")
        self.waiting = np.array([waits[0].argmax(), legal[1][0]])
        self.flats = np.stack((legal[0], self._replies(replies)))  # [2, S]
        self.neighbours = self._neighbours(first)  # of each place, by the move that leads there

    def _replies(self, legal: npt.NDArray[np.bool_]) -> Ints:
        """Returns the second role's move to each place, of its legal moves [S, moves] after each first move."""
        moves = np.flatnonzero(legal.any(axis=0))
        taken = ~legal[:, moves]
        if len(moves) != self._places or (taken.sum(axis=0) != 1).any() or (taken.sum(axis=1) != 1).any():
            raise NotRecognisedError("the second role does not choose among the squares that are left")
        replies: Ints = moves[taken.argmax(axis=1)]
        return replies

    def _neighbours(self, first: States) -> list[dict[int, int]]:
        """Returns where the stack of the first role can go from each place, of the states after the first move."""
        places = np.array(list(permutations(range(self._places), 2)))  # of the first move, and of the reply
        joint = np.stack((np.full(len(places), self.waiting[0]), self.flats[1][places[:, 1]]), axis=1)
        states = self._network.next(first[places[:, 0]], joint.astype(np.int32))
        legal = self._network.legal(states)[0]
        found = []
        for place in range(self._places):
            here = places[:, 1] == place
            steps = np.flatnonzero(legal[here].all(axis=0))
            found.append({int(step): self._reached(states[here], int(step)) for step in steps})
        return found

    def _reached(self, states: States, step: int) -> int:
        """Returns the place that a move of the first role takes in all of these states."""
        after = self._network.next(states, np.tile(np.array([step, self.waiting[1]], np.int32), (len(states), 1)))
        taken = np.flatnonzero(~self._network.legal(after)[1][:, self.flats[1]].any(axis=0))
        if len(taken) != 1:
            raise NotRecognisedError("a single piece does not move to one square")
        return int(taken[0])


def _squares(rules: TakRules, neighbours: Sequence[dict[int, int]]) -> list[int]:
    """Returns the square of each place; raises NotRecognisedError if they are not the squares of a board."""
    last = rules.size - 1
    corners = [place for place, near in enumerate(neighbours) if len(near) == 2]
    wrong = NotRecognisedError(f"the squares are not those of a board of {rules.size} x {rules.size}")
    if not corners:
        raise wrong
    from_corner = _distances(neighbours, corners[0])
    beside = [place for place in corners if from_corner[place] == last]
    if not beside:
        raise wrong
    squares = []
    for near, far in zip(from_corner, _distances(neighbours, beside[-1]), strict=True):
        (file, odd), rank = divmod(near - far + last, 2), near + far - last
        squares.append(rank // 2 * rules.size + file if not odd else -1)
    if sorted(squares) != list(range(rules.squares)):
        raise wrong
    for place, square in enumerate(squares):
        if sorted(squares[near] for near in neighbours[place].values()) != sorted(
            line[0] for line in rules.lines[square] if line
        ):
            raise wrong
    return squares


def _distances(neighbours: Sequence[dict[int, int]], start: int) -> list[int]:
    """Returns how many steps it takes to each place."""
    found, reached = {start: 0}, [start]
    for place in reached:
        for near in neighbours[place].values():
            if near not in found:
                found[near] = found[place] + 1
                reached.append(near)
    return [found.get(place, len(neighbours)) for place in range(len(neighbours))]
