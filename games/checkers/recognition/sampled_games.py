"""Plays random games of a network and keeps every state, as data for the recognition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.positions import Bools, Ints
from ludens.native.core import Game, JointMoves, Simulator, States, unpack_bits
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.network.propnet import Propnet

_GAMES = 160  # enough to see every piece move from everywhere it goes


@dataclass(frozen=True, slots=True, eq=False)
class SampledTransitions:
    """The transitions of random games of two roles in turn: rows [n], game after game, ply after ply."""

    before: Bools  # [n, state bits]
    after: Bools  # [n, state bits]
    joint: npt.NDArray[np.int32]  # [n, 2]
    legal: tuple[Bools, Bools]  # [n, moves of the role]
    ply: Ints  # [n]
    mover: Ints  # [n] the role whose turn it is
    waiting: tuple[int, int]  # the move by which each role waits


def sample_transitions(net: Propnet, game: Game, simulator: Simulator) -> SampledTransitions:
    """Plays random games from the first state; raises NotRecognisedError if two roles do not take turns."""
    if len(net.roles) != 2:
        raise NotRecognisedError(f"it has {len(net.roles)} roles, not two")
    records: list[JointMoves] = []
    while len(records) < _GAMES:
        records += simulator.record()
    records = sorted(records[:_GAMES], key=len, reverse=True)
    lengths = np.array([len(record) for record in records])
    if not lengths.all():
        raise NotRecognisedError("it is over before it begins")
    steps: list[tuple[States, States, JointMoves, Bools, Bools, Ints, Ints]] = []
    states = np.tile(game.initial, (len(records), 1))
    for ply in range(int(lengths.max())):
        alive = int((lengths > ply).sum())  # the longer games come first
        states = states[:alive]
        joint = np.stack([record[ply] for record in records[:alive]])
        after = simulator.next(states, joint)
        first, second = simulator.legal(states)
        steps.append((states, after, joint, first, second, np.full(alive, ply), np.arange(alive)))
        states = after
    before, after, joint, first, second, plies, number = (np.concatenate(column) for column in zip(*steps, strict=True))
    order = np.lexsort((plies, number))
    before, after, joint, first, second = before[order], after[order], joint[order], first[order], second[order]
    mover, waiting = _turns(first, second)
    return SampledTransitions(
        before=unpack_bits(before, net.state_bits),
        after=unpack_bits(after, net.state_bits),
        joint=joint,
        legal=(first, second),
        ply=plies[order],
        mover=mover,
        waiting=waiting,
    )


def _turns(*legal: Bools) -> tuple[Ints, tuple[int, int]]:
    """Returns who moves in each row, and the move with which each role waits."""
    waiting = int(legal[0].sum(axis=0).argmax()), int(legal[1].sum(axis=0).argmax())
    waits = np.stack([moves[:, wait] for moves, wait in zip(legal, waiting, strict=True)])
    alone = np.stack([moves.sum(axis=1) == 1 for moves in legal])
    if (waits.sum(axis=0) != 1).any() or (waits & ~alone).any():
        raise NotRecognisedError("the two roles do not take turns")
    return waits.argmin(axis=0), waiting
