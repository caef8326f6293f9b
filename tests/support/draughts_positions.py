"""Positions of English draughts for tests."""

from __future__ import annotations

import random

from ludens.games.checkers.rules.parameters import DOWN, UP
from ludens.games.checkers.rules.reference import Position


def random_position(pieces: int, rng: random.Random) -> Position:
    """A position with no men where they would be kings, and at least one piece of each side."""
    while True:
        squares = rng.sample(range(32), pieces)
        split = rng.randrange(1, pieces)
        up, down = squares[:split], squares[split:]
        kings = [s for s in squares if rng.random() < 0.4]
        if any(s >= 28 for s in set(up) - set(kings)) or any(s < 4 for s in set(down) - set(kings)):
            continue
        mine, yours, crowned = (sum(1 << s for s in group) for group in (up, down, kings))
        return Position(mine, yours, crowned, turn=rng.choice((UP, DOWN)))
