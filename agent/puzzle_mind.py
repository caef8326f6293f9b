"""The mind for puzzles: while the search looks for a way by playing, a planner looks for one by reasoning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agent.native_mind import Machine, NativeMind
from agent.options import AUTO, PlayerOptions
from agent.planning import Planning
from agent.wire import Joint, Position, Thought
from native.core import unpack_bits
from propnet.child import Limits
from propnet.network import Propnet

_FOREVER = 86_400.0  # seconds; a planning ends with the position, or with the player


class PuzzleMind(NativeMind):
    """Plays a game of one role; a better plan than the search has is told to it."""

    uses_start_clock = True  # a wrong first move may spoil everything

    def __init__(
        self, net: Propnet, machine: Machine, role: str, options: PlayerOptions, tell: Callable[[str], None]
    ) -> None:
        """`net` is what the machine plays; the rest as for `NativeMind`."""
        super().__init__(machine, role, options, tell)
        self._net = net
        self._limits = Limits(_FOREVER, options.grounding_mb)
        self._planning: Planning | None = None

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`."""
        position = super().go_to(history)
        if self._planning is not None:
            self._planning.cancel()
        state = unpack_bits(np.atleast_2d(self._path.follow(history)), self._net.state_bits)[0]
        self._planning = Planning(self._net, state, self._limits) if self.can_search else None
        return position

    def think(self, seconds: float) -> Thought:
        """See `Mind`."""
        if self._planning is not None and self._planning.found is not None:
            assert self._search is not None
            self._search.suggest(np.array([self._planning.found.moves], np.int32).T)
            self._planning = None
        thought = super().think(seconds)
        if self._planning is not None and not self.can_search:
            self._planning.cancel()
            self._planning = None
        return thought


def network_mind(
    net: Propnet, machine: Machine, role: str, options: PlayerOptions, tell: Callable[[str], None]
) -> NativeMind:
    """The mind that suits a network and the strategy asked for."""
    plans = len(net.roles) == 1 and options.strategy in (AUTO, "puzzle")
    return PuzzleMind(net, machine, role, options, tell) if plans else NativeMind(machine, role, options, tell)
