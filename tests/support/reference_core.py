"""The reference of checkers in the form of the native core: many positions at once, slowly."""

from __future__ import annotations

import numpy as np

from ludens.games.checkers.rules.parameters import CheckersRules, MoveTable
from ludens.games.checkers.rules.positions import Bools, Ints, Positions
from ludens.games.checkers.rules.reference import Reference


class ReferenceCore:
    """Plays many positions by the reference, slowly."""

    def __init__(self, rules: CheckersRules) -> None:
        self._game = Reference(rules)
        self._table = MoveTable(rules)

    def initial(self, count: int) -> Positions:
        return Positions.of([self._game.initial()] * count)

    def legal(self, positions: Positions) -> Bools:
        out = np.zeros((len(positions), self._table.count), np.bool_)
        for row, position in enumerate(map(positions.one, range(len(positions)))):
            for path in self._game.legal(position, position.turn):
                out[row, self._table.numbers[path]] = True
        return out

    def next(self, positions: Positions, moves: Ints) -> Positions:
        after = []
        for row, number in enumerate(moves.tolist()):
            path = self._table.paths[number]
            assert path is not None
            after.append(self._game.next(positions.one(row), path))
        return Positions.of(after)

    def terminal(self, positions: Positions) -> Bools:
        return np.array([self._game.terminal(positions.one(row)) for row in range(len(positions))], np.bool_)

    def goals(self, positions: Positions) -> Ints:
        return np.array([self._game.goals(positions.one(row)) for row in range(len(positions))], np.int64)
