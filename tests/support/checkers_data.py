"""Checkers data: their options, and positions that a network learns in no time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ludens.agent.checkers.reader import Examples


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
    policy = np.zeros((count, 128), np.float32)
    policy[np.arange(count), 4 * np.bitwise_count(own - 1 & ~own)] = 1
    return Examples(words, np.arange(count), np.sign(worth), worth, worth, policy, np.ones((count, 128), np.bool_))
