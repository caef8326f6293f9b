"""How long a move may take under the limits that a Gomocup manager has told."""

from __future__ import annotations

from dataclasses import dataclass

_TURN_SECONDS = 5.0  # where the manager has told nothing
_MARGIN, _MARGIN_SHARE = 0.02, 0.05  # kept free for the answer to arrive: so much, and this share of the time
_MOST_MARGIN_SHARE = 0.3
_MOVES_LEFT = 20  # that the rest of the match has to do for
_UNLIMITED_MS = 2**31 - 1


@dataclass(slots=True)
class TimeControl:
    """The limits, in milliseconds."""

    turn: int = round(1000 * _TURN_SECONDS)
    match: int = 0  # 0: no limit
    left: int | None = None  # of the match; None: all of it

    def seconds(self) -> float:
        """Returns how long the next move may take; 0 if it is to be made at once."""
        limits = [self.turn / 1000]
        left = self._left()
        if left is not None:
            limits.append(left / 1000 / _MOVES_LEFT)
        limit = max(0.0, min(limits))
        return limit - min(_MARGIN + _MARGIN_SHARE * limit, _MOST_MARGIN_SHARE * limit)

    def _left(self) -> int | None:
        if self.left is not None and (self.match or self.left < _UNLIMITED_MS):
            return self.left
        return self.match or None
