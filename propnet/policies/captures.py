"""Captures first, as a playout policy: a role that can take a piece of another takes one.

A move captures where, of the others' pieces (`boards`), one that stands somewhere before it does not after it: for
each move composed from the network (`lookahead`). Exchanges then come to their end within a random game, and what
hangs is taken. Where the rules force captures, as in draughts, or every move brings some, as in reversi, there is
nothing to prefer, and such games are refused.

The general players galvanise and Sancho play games of pieces with random games that capture first, and so do
programs for single games (R. Lorentz, T. Horey, "Programming Breakthrough", 2013).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludens.propnet.analysis.boards import Transitions, pieces
from ludens.propnet.analysis.composition import Composition
from ludens.propnet.analysis.lookahead import Lookahead, PolicyError, idle_moves, movers
from ludens.propnet.base.arrays import BoolArray, Int32Array
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_steps

_LOOKS = 100  # states of random games whose moves are all tried


def captures_first(net: Propnet, composition: Composition, seconds: float) -> list[int]:
    """The playable moves of all roles: those that capture where there are any, else all that were playable.

    Gates are added to `composition`, which starts with `net`; a quarter of `seconds` goes into random games. Raises
    `CompositionError`.
    """
    sample = _SampledGames(net, seconds / 4)
    if not sample.capture_by_choice():
        raise PolicyError("in random games no role had a choice between captures and other moves")
    ahead = _CaptureLookahead(composition, sample.idle, sample.pieces)
    return [move for role in range(len(net.roles)) for move in ahead.captures_first(role)]


class _CaptureLookahead(Lookahead):
    def __init__(self, composition: Composition, idle: Sequence[int | None], owned: Sequence[Sequence[int]]) -> None:
        super().__init__(composition, idle)
        self._pieces = [[2 * (1 + p) for p in mine] for mine in owned]  # literals

    def captures_first(self, role: int) -> Sequence[int]:
        """The playable moves of a role that capture, where there are any."""
        moves = self.playable[role]
        theirs = [piece for q in self.others(role) for piece in self._pieces[q]]
        if role not in self.able or not theirs or not self.assume(role):
            return moves
        composition = self.composition
        taken = [
            composition.any(
                composition.both(piece, left ^ 1) for piece, left in zip(theirs, after, strict=True) if left != piece
            )
            for after in self.after(role, theirs)
        ]
        composition.forget()
        return self.preferred([self.guarded(role, m, t) for m, t in zip(moves, taken, strict=True)], moves)


class _SampledGames:
    """States of random games, and what they show of the game's pieces."""

    def __init__(self, net: Propnet, seconds: float) -> None:
        self._net = net
        steps = sample_steps(net, seconds=seconds)
        self._states, self._legal, following = (np.concatenate(rows) for rows in zip(*steps, strict=True))
        if not len(self._states):
            raise PolicyError("no game can begin: the first state is terminal, or a role has no legal move in it")
        mover = movers(net, self._legal)
        self._mover = mover.tolist()  # the role that alone chooses, or -1
        self.pieces = pieces(net, Transitions(self._states, following, mover))  # for each role its propositions
        self.idle = idle_moves(net, self._legal)  # the move that each role waits with

    def capture_by_choice(self) -> bool:
        """Whether there are states in which some legal moves capture and others do not."""
        owner = np.full(self._net.state_bits, -1)
        for role, mine in enumerate(self.pieces):
            owner[mine] = role
        evaluator = Evaluator(self._net)
        for i in np.linspace(0, len(self._states) - 1, _LOOKS).astype(int):
            joint = self._moves(self._legal[i], self._mover[i])
            if len(joint) < 2:
                continue
            before = np.repeat(self._states[i][None], len(joint), axis=0)
            theirs = (owner >= 0) & (owner != self._mover[i])
            takes = (before & ~evaluator.next(before, joint))[:, theirs].any(axis=1)
            if takes.any() and not takes.all():
                return True
        return False

    def _moves(self, legal: BoolArray, mover: int) -> Int32Array:
        """The joint moves [n, R] of a state in which a role alone chooses; none where none does."""
        moves = [mine.nonzero()[0] for mine in self._net.by_role(legal)]
        if mover < 0:
            return np.empty((0, len(moves)), np.int32)
        joint = np.array([[m[0] for m in moves]] * len(moves[mover]), np.int32)
        joint[:, mover] = moves[mover]
        return joint
