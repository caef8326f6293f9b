"""What every policy does: it chooses an action in a position, within a time."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from ludens.games.gomoku.state import Action, GomokuState


class Policy(Protocol):
    """Chooses actions for either player."""

    @property
    def name(self) -> str:
        """What matches call it, such as `Minimax`."""

    def choose(self, state: GomokuState, seconds: float) -> Action:
        """Returns an action in a position that is not over, about within so many seconds."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which a search has to end."""

    moment: float  # of time.perf_counter

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Returns the moment so many seconds from now."""
        return cls(time.perf_counter() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether the moment has passed."""
        return time.perf_counter() >= self.moment


@dataclass(slots=True)
class RandomPolicy:
    """Chooses among all valid actions alike."""

    name: ClassVar[str] = "Random"

    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def choose(self, state: GomokuState, seconds: float) -> Action:
        """See `Policy`."""
        return self._random.choice(state.valid_actions)
