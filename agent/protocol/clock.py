"""When an answer must leave.

A manager's clock starts when it connects, so for us no later than when its request has arrived. Managers
may sit across an ocean: a margin stays free for the way back, though never more than a quarter of the clock,
since on a short clock thinking is worth more. Clocks of zero and below occur; they ask for an instant player.
"""

from __future__ import annotations

from dataclasses import dataclass

_GRACE = 0.9  # seconds; both real managers wait a second beyond their clock


@dataclass(frozen=True, slots=True)
class Deadline:
    """Points in seconds after a request has arrived."""

    answer: float  # the best answer so far leaves
    give_up: float  # any answer leaves; only when there was none before does it come to this

    @property
    def check(self) -> float:
        """An engine that has nothing to say by now is looked after."""
        return self.give_up / 2


def deadline(clock: float, margin: float) -> Deadline:
    """The deadline of a request on a clock of `clock` seconds, of which `margin` should stay free."""
    if clock <= 0:
        return Deadline(0.0, _GRACE)
    margin = min(margin, clock / 4)
    return Deadline(clock - margin, clock - margin / 4)


def silence_limit(clock: float, patience: float) -> float:
    """Seconds without a message after which a match on this clock is dead."""
    return 2 * max(clock, 0.0) + patience
