"""How quickly a match at the page goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """The clocks of a match, and how long it waits from move to move; in seconds."""

    start_clock: float = 0.0
    play_clock: float = 0.0  # of each player for a move; 0: none
    delay: float = 0.0  # at least, from one move of engines to the next
    think: float = 2.0  # of an engine without a clock

    @property
    def clocks_of_players(self) -> tuple[float, float]:
        """Start clock and play clock as players are told them."""
        return self.start_clock, self.play_clock or self.think

    @property
    def clocks_elsewhere(self) -> tuple[float, float]:
        """Those of players elsewhere, who are never asked for more haste than Game Managers ask for."""
        start, play = self.clocks_of_players
        return max(1.0, start), max(1.0, play)
