"""Checkers data: their options, and positions that a network learns in no time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ludens.agent.checkers.reader import Examples, MoveTargets
from ludens.agent.checkers.views import MOVES


def of_method(method: str, options: Mapping[str, int | str]) -> dict[str, int | str]:
    """Returns the same options for a method, without random games for moves where it judges none."""
    kept = {name: value for name, value in options.items() if method != "outcome" or name != "playouts"}
    return kept | {"method": method}


def counted_pieces(count: int) -> Examples:
    """Positions that are worth what the pieces say, in which the first mover's lowest square is to be moved from."""
    rng = np.random.default_rng(3)
    own, others = (rng.integers(1, 1 << 32, count, dtype=np.uint32) for _ in range(2))
    own &= ~others
    words = np.stack((own, others & ~own, np.zeros(count, np.uint32)), axis=1)
    worth = np.tanh((np.bitwise_count(own).astype(np.float32) - np.bitwise_count(others)) / 6).astype(np.float32)
    rows, numbers = np.indices((count, MOVES)).reshape(2, -1)
    target = 4 * np.bitwise_count(own - 1 & ~own)
    moves = MoveTargets.of_rows(count, rows, numbers.astype(np.uint8), numbers == target[rows])
    return Examples(words, np.arange(count), np.sign(worth), worth, worth, moves)
