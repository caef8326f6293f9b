"""Many positions of a checkers game side by side, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.parameters import DOWN, UP, CheckersRules
from ludens.games.checkers.rules.reference import Position

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
            kings |= sets[side] & rules.crown_squares(side)
    none = np.zeros(count, np.int64)
    return Positions(sets[UP], sets[DOWN], kings, rng.integers(0, 2, count), none - 1, none, none)


def random_counts(limit: int, count: int, rng: np.random.Generator, at_limit: float = 0.125) -> Ints:
    """Draws counters up to their limit, which this share of them reaches."""
    if not limit:
        return np.zeros(count, np.int64)
    return np.where(rng.random(count) < at_limit, limit, rng.integers(0, limit, count))
