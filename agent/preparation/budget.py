"""The time that a player has to prepare, from which every stage of preparation draws."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

LEARNING, FEATURES, CHOICE = "learning", "finding features", "choosing a search"
"""Names what time is spent on."""

_WORTH_TELLING = 0.1  # seconds


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
    spent: dict[str, float] = field(init=False, default_factory=dict)  # seconds by purpose

    def __post_init__(self) -> None:
        """Begins now."""
        self.end = self.clock() + self.seconds

    def left(self) -> float:
        """Returns the seconds that are left."""
        return max(0.0, self.end - self.clock())

    def is_over(self) -> bool:
        """Says whether nothing more should be begun."""
        return self.stopped() or self.left() <= 0

    @contextmanager
    def spending(self, purpose: str) -> Iterator[None]:
        """Counts as spent on some purpose what is done within, but for what that spends on another one."""
        began, before = self.clock(), sum(self.spent.values())
        try:
            yield
        finally:
            others = sum(self.spent.values()) - before
            self.spent[purpose] = self.spent.get(purpose, 0.0) + self.clock() - began - others

    def spent_in_words(self, *purposes: str) -> str:
        """Says how long these purposes took, such as `finding features took 2.1 s, choosing a search 5.8 s`.

        Says nothing of what took hardly any time.
        """
        known = [(purpose, self.spent.get(purpose, 0.0)) for purpose in purposes]
        told = [(purpose, seconds) for purpose, seconds in known if seconds >= _WORTH_TELLING]
        if not told:
            return ""
        (first, its_seconds), *others = told
        parts = [f"{first} took {its_seconds:.1f} s", *(f"{purpose} {seconds:.1f} s" for purpose, seconds in others)]
        return ", ".join(parts)

    def part(self, seconds: float, move_seconds: float) -> TimeBudget:
        """Returns a budget of `seconds` from now on, for moves of another length; it counts by itself what is spent."""
        return replace(self, seconds=seconds, move_seconds=move_seconds)
