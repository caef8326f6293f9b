"""Computes by when an answer must be sent.

A manager's clock starts when it connects. How long that was before its request arrived, and how long an answer takes
to it, across an ocean perhaps, is told by the connection (`server/round_trip.py`). A margin stays free besides, though
never more than a quarter of the clock, since on a short clock thinking is worth more. Clocks of zero and below occur;
they ask for an instant player.

On a busy machine no legal move may be known by then. Any other answer would be a guess, and illegal more often than
not, so the guess waits for most of the second that all real managers allow beyond their clock.
"""

from __future__ import annotations

from dataclasses import dataclass

UNHURRIED_CLOCK = 86_400.0
"""Seconds that players have for a move whose moves do not depend on the time that they have."""

_GRACE = 0.8  # seconds; both real managers wait a second beyond their clock


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to answer a request, in seconds of its clock."""

    answer: float  # the best legal move so far leaves
    give_up: float  # a guess leaves; only when no legal move was known before does it come to this

    @property
    def check(self) -> float:
        """When to check the health of an engine that has told no position yet: no later than another one answers."""
        return min(self.answer, self.give_up / 2)


def deadline(clock: float, margin: float) -> Deadline:
    """Returns the deadline on a clock of `clock` seconds, of which `margin` should stay free."""
    clock = max(clock, 0.0)
    return Deadline(clock - min(margin, clock / 4), clock + _GRACE)


def clock_text(seconds: float) -> str:
    """Returns a clock as managers send it: whole seconds without a fraction, since many programs read only those.

    >>> clock_text(10.0), clock_text(0.25)
    ('10', '0.25')
    """
    return str(int(seconds) if seconds == int(seconds) else seconds)


def silence_limit(clock: float, patience: float) -> float:
    """Returns the seconds without a message after which a match on this clock is given up."""
    return 2 * max(clock, 0.0) + patience
