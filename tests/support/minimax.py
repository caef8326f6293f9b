"""Computes minimax values of all states that can be reached, to check the solver in the search.

It knows nothing of the search: states are stepped by the simulator, values are worked out in Python. For any number of
roles, and with all outcomes where several moves are as good; `SolvedGame` (solved_game.py) is for games of two roles
alone, but with many more states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludens.native.core import Simulator, States

Goals = tuple[int, ...]
Joint = tuple[int, ...]


class TooLargeError(Exception):
    """More states than were to be solved."""


@dataclass
class Position:
    """A state in the graph of a game."""

    goals: Goals | None  # of a terminal one
    mover: int  # the role that has a choice, 0 if none has
    children: dict[Joint, bytes]


class Minimax:
    """Every state from `root` on, and its values. Games where one role at a time has a choice; no cycles.

    Raises `TooLargeError` where there are more than `limit` states.
    """

    def __init__(self, simulator: Simulator, root: States, limit: int = 20_000) -> None:
        self._simulator = simulator
        self._limit = limit
        self._known: dict[bytes, Position] = {}
        self._values: dict[bytes, frozenset[Goals]] = {}
        layer = root.reshape(1, -1)
        while len(layer):
            layer = self._explore(layer)

    def __len__(self) -> int:
        return len(self._known)

    def _explore(self, layer: States) -> States:
        """Adds the states of a layer; those after them that are new."""
        legal = self._simulator.legal(layer)
        goals = self._simulator.goals(layer)
        terminal = self._simulator.terminal(layer)
        froms: list[int] = []
        joints: list[Joint] = []
        for i, state in enumerate(layer):
            position = Position(None, 0, {})
            self._known[state.tobytes()] = position
            if terminal[i]:
                position.goals = tuple(int(g) for g in goals[i])
                continue
            moves = [np.flatnonzero(role[i]).tolist() for role in legal]
            position.mover = int(np.argmax([len(m) for m in moves]))
            assert sum(len(m) > 1 for m in moves) <= 1
            for move in moves[position.mover]:
                froms.append(i)
                joints.append(tuple(move if r == position.mover else m[0] for r, m in enumerate(moves)))
        if not froms:
            return layer[:0]
        if len(self._known) + len(froms) > self._limit:
            raise TooLargeError
        after = self._simulator.next(layer[froms], np.array(joints, np.int32))
        fresh: dict[bytes, States] = {}
        for i, joint, state in zip(froms, joints, after, strict=True):
            key = state.tobytes()
            self._known[layer[i].tobytes()].children[joint] = key
            if key not in self._known:
                fresh[key] = state
        return np.array(list(fresh.values()), np.uint64).reshape(len(fresh), layer.shape[1])

    def values(self, state: bytes) -> frozenset[Goals]:
        """The outcomes that perfect play may have: several where a role is indifferent between moves."""
        if state not in self._values:
            position = self._known[state]
            if position.goals is not None:
                self._values[state] = frozenset([position.goals])
            else:
                below = [self.values(child) for child in position.children.values()]
                sure = max(min(v[position.mover] for v in values) for values in below)
                kept = [values for values in below if max(v[position.mover] for v in values) >= sure]
                self._values[state] = frozenset().union(*kept)
        return self._values[state]

    def children(self, state: bytes) -> tuple[int, dict[int, bytes]]:
        """Who moves, and where each of its moves leads."""
        position = self._known[state]
        return position.mover, {joint[position.mover]: child for joint, child in position.children.items()}
