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


class WaitingClock:
    """Counts the seconds that work in the background can expect while a match is on.

    All while the player waits or a processor is to spare, and a few while it thinks on all of them, since then such
    work gets what is left over. One thread at a time may note whether the player waits; any may ask.
    """

    _SHARE = 0.1  # of a processor that somebody else keeps busy, about, for a thread of niceness 10 on Linux

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begins at 0, with a player that thinks."""
        self._now = now
        self.spare = False  # whether there is a processor on which the player never thinks
        self._last = 0.0, now(), False  # the seconds when that was noted last, the time, and whether the player waits

    @property
    def waiting(self) -> bool:
        """Whether the player waits."""
        return self._last[2]

    @property
    def at_leisure(self) -> bool:
        """Whether work in the background has a processor of its own now."""
        return self.spare or self.waiting

    def set_waiting(self, waiting: bool) -> None:
        """Notes whether the player waits from now on."""
        self._last = self(), self._now(), waiting

    def __call__(self) -> float:
        """Returns the seconds up to now."""
        seconds, since, waiting = self._last
        return seconds + (self._now() - since) * (1.0 if waiting or self.spare else self._SHARE)
