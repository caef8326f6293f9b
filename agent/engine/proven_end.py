"""Finds out how a proven line ends, and remembers it for the turns that follow.

A search that has proven what to play reports the line that proves it once. At the next turns it may know the result
from the start, and report no line; then the rest of the one before still holds, as long as all play it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludens.agent.playable.text_game import Numbers, TextGame
from ludens.agent.protocol.state_history import rest_of
from ludens.agent.protocol.wire import History, Joint
from ludens.native.core import JointMoves, States


class ProvenEnd:
    """The last line of a match that is known to lead to the end of the game."""

    def __init__(self, game: TextGame, role: int) -> None:
        """Knows of no end; goals are those of `role`."""
        self._game = game
        self._role = role
        self._history: History = ()  # where the line begins
        self._line: History = ()
        self._goal: float | None = None

    def line_of(
        self, history: History, state: States, legal: Sequence[Numbers], move: int, joints: JointMoves, goal: float
    ) -> tuple[History, int | None]:
        """Returns what is expected after a proven `move` of ours with this goal, and the turns to the end if known.

        `joints` is what the search expects, perhaps nothing.
        """
        if not len(joints) and all(len(moves) == 1 for role, moves in enumerate(legal) if role != self._role):
            joint = [move if role == self._role else int(moves[0]) for role, moves in enumerate(legal)]
            joints = np.array([joint], np.int32)
        line: tuple[Joint, ...] = tuple(self._game.line(state, joints))
        ending = self._game.ending(state, joints)
        if ending is not None and ending[1][self._role] == goal:
            self._history, self._line, self._goal = history, line[: ending[0]], goal
        rest = rest_of(self._history + self._line, history)
        if goal == self._goal and rest and rest[0][self._role] == self._game.move(self._role, move, state):
            return rest, len(rest)
        return line, None
