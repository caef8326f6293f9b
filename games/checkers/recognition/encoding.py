"""Positions of the family as states of a network, and moves as its moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludens.games.checkers.recognition.board import KING, MAN, Board
from ludens.games.checkers.recognition.facts import Bits, FactEncoding
from ludens.games.checkers.recognition.moves import MoveEncoding
from ludens.games.checkers.rules.parameters import DOWN, UP, CheckersRules
from ludens.games.checkers.rules.positions import Bools, Ints, Positions
from ludens.native.core import JointMoves


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """How one network represents positions and moves."""

    rules: CheckersRules
    state_bits: int
    board: Board
    facts: FactEncoding
    moves: MoveEncoding
    waiting: tuple[int, int]  # the move by which each role waits

    def encode(self, positions: Positions, last: Ints, capture: Ints) -> Bools:
        """Returns the states [n, state bits] of positions.

        Some sheets remember more than matters: `last` is the side that moved before, [n], and `capture` the square
        on which it ended a capture, [n], -1 for none.
        """
        n = len(positions)
        out = np.zeros((n, self.state_bits + 1), np.bool_)  # the last column takes what has no bit
        squares = np.arange(self.rules.squares)
        owned = [sets[:, None] >> squares & 1 != 0 for sets in (positions.up, positions.down)]
        royal = positions.kings[:, None] >> squares & 1 != 0
        for side in (UP, DOWN):
            out[:, self.board.piece_bits[side, MAN]] = owned[side] & ~royal
            out[:, self.board.piece_bits[side, KING]] = owned[side] & royal
        out[:, self.board.empty_bits] = ~(owned[UP] | owned[DOWN])
        facts = self.facts
        for bits, values in (
            (facts.turn, positions.turn),
            (facts.last, last),
            (facts.chain, positions.chain),
            (facts.capture, capture),
            (facts.step, positions.step),
            (facts.idle, positions.idle),
            *((bits, positions.pieces(side)) for side in (UP, DOWN) for bits in facts.pieces[side]),
        ):
            _set(out, bits, values)
        return out[:, :-1]

    def network_moves(self, positions: Positions, numbers: Ints) -> Ints:
        """Returns the network's numbers of moves [n] of the table in these positions; -1 where it has no such move."""
        role = positions.turn ^ self.rules.first_role
        moves: Ints = self.moves.network[role, self.royal(positions, numbers), numbers]
        return moves

    def royal(self, positions: Positions, numbers: Ints) -> Ints:
        """Returns whether men or kings make moves [n] of the table in these positions, as MAN or KING."""
        kings: Ints = positions.kings >> self.moves.ends[0, numbers] & 1
        return kings

    def joint(self, positions: Positions, numbers: Ints) -> JointMoves:
        """Returns the joint moves [n, 2] of the network when the sides to move make moves [n] of the table."""
        joint = np.tile(np.array(self.waiting, np.int32), (len(positions), 1))
        role = positions.turn ^ self.rules.first_role
        joint[np.arange(len(positions)), role] = self.network_moves(positions, numbers)
        return joint

    def captures(self, positions: Positions, numbers: Ints) -> Ints:
        """Returns the squares where moves [n] of the table end a capture; -1 where none does, or a man is crowned."""
        landing = self.moves.ends[1, numbers]
        man = self.royal(positions, numbers) == MAN
        far = np.where(positions.turn == UP, self.rules.crown_row(UP), self.rules.crown_row(DOWN))
        crowned = self.rules.kings & man & (landing // self.rules.row == far)
        return np.where((numbers >= self.moves.table.first_jump) & ~crowned, landing, -1)


def _set(out: Bools, bits: Bits, values: Ints) -> None:
    """Sets in each row the bit that stands for its value, if there is one."""
    if bits:
        bit = np.full(max(*bits, int(values.max())) + 2, -1)  # the last one is that of -1
        bit[list(bits)] = list(bits.values())
        out[np.arange(len(out)), bit[values]] = True
