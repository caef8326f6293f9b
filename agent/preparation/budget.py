"""The time that a player has to prepare, from which every stage of preparation draws."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class TimeBudget:
    """So many seconds of `clock` from now on; and the time of each move of the match to come."""

    seconds: float
    move_seconds: float
    seed: int = 0  # of all random choices
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False  # whether the first turn has come
    tell: Callable[[str], None] = lambda _text: None  # takes what users want to know, for the log
    explain: Callable[[str], None] = lambda _text: None  # takes what experts in search want to know besides
    end: float = field(init=False)

    def __post_init__(self) -> None:
        """Begins now."""
        self.end = self.clock() + self.seconds

    def left(self) -> float:
        """Returns the seconds that are left."""
        return max(0.0, self.end - self.clock())

    def is_over(self) -> bool:
        """Says whether nothing more should be begun."""
        return self.stopped() or self.left() <= 0

    def part(self, seconds: float, move_seconds: float) -> TimeBudget:
        """Returns a budget of `seconds` from now on, for moves of another length."""
        return replace(self, seconds=seconds, move_seconds=move_seconds)
