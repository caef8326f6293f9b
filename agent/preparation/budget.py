"""The time that a player has to prepare, from which every stage of preparation draws."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """Time until `end`, in seconds of `clock`; and the time of each move of the match to come."""

    end: float
    move_seconds: float
    seed: int = 0  # of all random choices
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False  # whether the first turn has come
    tell: Callable[[str], None] = lambda _text: None  # takes what is found, for the log

    @classmethod
    def of_seconds(
        cls,
        seconds: float,
        move_seconds: float,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] = lambda _text: None,
    ) -> TimeBudget:
        """Returns a budget of so many seconds from now on."""
        return cls(clock() + seconds, move_seconds, seed, clock, stopped, tell)

    def left(self) -> float:
        """Returns the seconds that are left."""
        return max(0.0, self.end - self.clock())

    def is_over(self) -> bool:
        """Says whether nothing more should be begun."""
        return self.stopped() or self.left() <= 0

    def part(self, seconds: float, move_seconds: float) -> TimeBudget:
        """Returns a budget of `seconds` from now on, for moves of another length."""
        return replace(self, end=self.clock() + seconds, move_seconds=move_seconds)
