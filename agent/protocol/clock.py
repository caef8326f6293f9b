"""Computes by when an answer must be sent.

A manager's clock starts when it connects, so for us no later than when its request has arrived. Managers
may sit across an ocean: a margin stays free for the way back, though never more than a quarter of the clock,
since on a short clock thinking is worth more. Clocks of zero and below occur; they ask for an instant player.
"""

from __future__ import annotations

from dataclasses import dataclass

_GRACE = 0.9  # seconds; both real managers wait a second beyond their clock


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to answer a request, in seconds after its arrival."""

    answer: float  # the best answer so far leaves
    give_up: float  # any answer leaves; only when there was none before does it come to this

    @property
    def check(self) -> float:
        """When to check the health of an engine that has told no position yet."""
        return self.give_up / 2


def deadline(clock: float, margin: float) -> Deadline:
    """Returns the deadline on a clock of `clock` seconds, of which `margin` should stay free."""
    if clock <= 0:
        return Deadline(0.0, _GRACE)
    margin = min(margin, clock / 4)
    return Deadline(clock - margin, clock - margin / 4)


def silence_limit(clock: float, patience: float) -> float:
    """Returns the seconds without a message after which a match on this clock is given up."""
    return 2 * max(clock, 0.0) + patience
