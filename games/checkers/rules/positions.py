"""Many positions of a checkers game side by side, and what is asked of a game core that plays them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.parameters import DOWN, UP, CheckersRules, MoveTable
from ludens.games.checkers.rules.reference import Position, Reference

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions as arrays [n], one for each field of `reference.Position`; a chain of -1 is none."""

    up: Ints
    down: Ints
    kings: Ints
    turn: Ints
    chain: Ints
    step: Ints
    idle: Ints

    def __len__(self) -> int:
        return len(self.up)

    def __getitem__(self, rows: Ints | Bools | slice) -> Positions:
        return Positions(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def of(cls, positions: Sequence[Position]) -> Positions:
        """Returns the arrays of single positions."""
        named = [field.name for field in fields(cls)]
        rows = [replace(p, chain=-1 if p.chain is None else p.chain) for p in positions]
        return cls(*(np.array([getattr(row, name) for row in rows], np.int64) for name in named))

    def one(self, row: int) -> Position:
        """Returns a single position."""
        values = [int(getattr(self, field.name)[row]) for field in fields(self)]
        position = Position(*values)
        return replace(position, chain=None) if position.chain == -1 else position

    def pieces(self, side: int) -> Ints:
        """Returns the numbers of pieces of a side, [n]."""
        return np.bitwise_count((self.up, self.down)[side]).astype(np.int64)


class GameCore(Protocol):
    """A game core that plays many positions at once; moves are numbers of `MoveTable`."""

    def initial(self, count: int) -> Positions:
        """Returns the first position, `count` times."""

    def legal(self, positions: Positions) -> Bools:
        """Returns which moves are legal for the side to move, [n, moves]."""

    def next(self, positions: Positions, moves: Ints) -> Positions:
        """Returns the positions after these moves [n] of the sides to move."""

    def terminal(self, positions: Positions) -> Bools:
        """Returns which games are over, [n]."""

    def goals(self, positions: Positions) -> Ints:
        """Returns the goals of UP and DOWN, [n, 2]."""


class ReferenceCore:
    """Plays many positions by the reference, slowly."""

    def __init__(self, rules: CheckersRules) -> None:
        """Plays by these rules."""
        self._game = Reference(rules)
        self._table = MoveTable(rules)

    def initial(self, count: int) -> Positions:
        """See `GameCore`."""
        return Positions.of([self._game.initial()] * count)

    def legal(self, positions: Positions) -> Bools:
        """See `GameCore`."""
        out = np.zeros((len(positions), self._table.count), np.bool_)
        for row, position in enumerate(map(positions.one, range(len(positions)))):
            for path in self._game.legal(position, position.turn):
                out[row, self._table.numbers[path]] = True
        return out

    def next(self, positions: Positions, moves: Ints) -> Positions:
        """See `GameCore`."""
        after = []
        for row, number in enumerate(moves.tolist()):
            path = self._table.paths[number]
            assert path is not None
            after.append(self._game.next(positions.one(row), path))
        return Positions.of(after)

    def terminal(self, positions: Positions) -> Bools:
        """See `GameCore`."""
        return np.array([self._game.terminal(positions.one(row)) for row in range(len(positions))], np.bool_)

    def goals(self, positions: Positions) -> Ints:
        """See `GameCore`."""
        return np.array([self._game.goals(positions.one(row)) for row in range(len(positions))], np.int64)


def random_positions(rules: CheckersRules, count: int, rng: np.random.Generator) -> Positions:
    """Makes positions with few and many pieces, near the limits and far from them, none within a chain."""
    most = [bits.bit_count() for bits in rules.initial[:2]]
    up, down = (1 + rng.integers(0, rng.integers(1, limit + 1, count)) for limit in most)
    step, idle = (random_counts(limit, count, rng) for limit in (rules.step_limit, rules.idle_limit))
    return replace(random_boards(rules, up, down, rng), step=step, idle=idle)


def random_boards(rules: CheckersRules, up: Ints, down: Ints, rng: np.random.Generator) -> Positions:
    """Puts so many pieces [n] of each side in random places; no man stands where it would be crowned."""
    count, squares = len(up), np.arange(rules.squares)
    order = rng.permuted(np.tile(squares, (count, 1)), axis=1)
    masks = [squares < up[:, None], (squares >= up[:, None]) & (squares < (up + down)[:, None])]
    sets = [np.where(mask, 1 << order, 0).sum(axis=1) for mask in masks]
    kings = np.zeros(count, np.int64)
    if rules.kings:
        royal = rng.random(count)[:, None] ** 2 > rng.random((count, rules.squares))
        kings = np.where(royal & (masks[UP] | masks[DOWN]), 1 << order, 0).sum(axis=1)
        for side in (UP, DOWN):
            kings |= sets[side] & ((1 << rules.row) - 1) << rules.row * rules.crown_row(side)
    none = np.zeros(count, np.int64)
    return Positions(sets[UP], sets[DOWN], kings, rng.integers(0, 2, count), none - 1, none, none)


def random_counts(limit: int, count: int, rng: np.random.Generator) -> Ints:
    """Draws counters up to their limit, which one of eight reaches."""
    if not limit:
        return np.zeros(count, np.int64)
    return np.where(rng.random(count) < 0.125, limit, rng.integers(0, limit, count))
