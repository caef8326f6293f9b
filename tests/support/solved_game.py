"""States of a game solved by brute force: all that can be reached from some, valued from the ends backwards.

For games of two roles that move in turn, in which no state comes twice; states are in arrays, so that there may be
many. `Minimax` (minimax.py) is for games of more roles, too. Shares nothing with searches or tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, JointMoves, Simulator, States
from ludens.propnet.network.propnet import Propnet
from tests.support.minimax import TooLargeError

_OPEN = -1


class SolvedGame:
    """`states[i]` is worth `values[i]`, a goal of the first role; `number` finds a state."""

    def __init__(self, net: Propnet, starts: States, most: int = 1 << 62) -> None:
        """Solves all that follows from `starts`, all different; raises TooLargeError beyond `most` states."""
        self._most = most
        self._simulator = Simulator(Game.from_propnet(net))
        self.number = {row.tobytes(): i for i, row in enumerate(starts)}
        self._explore(starts)
        self._solve()

    def _explore(self, states: States) -> None:
        known, edges, ends, movers = [states], [], [], []
        while len(states):
            first = len(self.number) - len(states)
            if first > self._most:
                raise TooLargeError
            over = self._simulator.terminal(states)
            ends.append(np.where(over, self._simulator.goals(states)[:, 0], _OPEN))
            legal = [side & ~over[:, None] for side in self._simulator.legal(states)]
            movers.append(legal[0].sum(1) <= 1)
            parents, moves = _joint_moves(legal)
            targets, fresh = self._enter(self._simulator.next(states[parents], moves))
            edges.append(np.stack([parents + first, targets], 1))
            states = np.array(fresh, np.uint64).reshape(-1, states.shape[1])
            known.append(states)
        self.states = np.concatenate(known)
        self._edges = np.concatenate(edges)
        self._ends = np.concatenate(ends)
        self._movers = np.concatenate(movers).astype(np.int64)  # the role that chooses

    def _enter(self, children: States) -> tuple[npt.NDArray[np.int64], list[States]]:
        """The numbers of the children, and those of them that are new."""
        fresh: list[States] = []
        targets = np.empty(len(children), np.int64)
        for i, child in enumerate(children):
            before = len(self.number)
            targets[i] = self.number.setdefault(child.tobytes(), before)
            if targets[i] == before:
                fresh.append(child)
        return targets, fresh

    def _solve(self) -> None:
        """As no state comes twice in a game, repeating the rule ends with the only solution."""
        order = np.argsort(self._edges[:, 0], kind="stable")
        parents, children = self._edges[order].T
        inner, begins = np.unique(parents, return_index=True)
        rises = self._movers[inner] == 0
        self.values = np.where(self._ends == _OPEN, 0, self._ends)
        while True:
            of_children = self.values[children]
            highest, lowest = np.maximum.reduceat(of_children, begins), np.minimum.reduceat(of_children, begins)
            renewed = np.where(rises, highest, lowest)
            if np.array_equal(self.values[inner], renewed):
                break
            self.values[inner] = renewed


def _joint_moves(legal: Sequence[npt.NDArray[np.bool_]]) -> tuple[npt.NDArray[np.int64], JointMoves]:
    """All joint moves, and the rows they belong to; one role of the two has one move at most."""
    parents, moves = [], []
    for chooser, waiter in ((0, 1), (1, 0)):
        rows, choice = np.nonzero(legal[chooser])
        free, waiting = legal[chooser].sum(1)[rows], legal[waiter].sum(1)[rows]
        assert np.all((free == 1) | (waiting == 1))
        chosen = (waiting == 1) & ((free > 1) | (chooser == 0))
        joint = np.empty((chosen.sum(), 2), np.int32)
        joint[:, chooser] = choice[chosen]
        joint[:, waiter] = legal[waiter][rows[chosen]].argmax(1)
        parents.append(rows[chosen])
        moves.append(joint)
    return np.concatenate(parents), np.concatenate(moves)
