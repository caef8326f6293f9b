"""The gomoku family as parameters, and its games on the native bitboards.

>>> Simulator(native_game(GomokuRules(15, 15, 5))).playouts(10_000)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, States, pack_bits, unpack_bits

Bools = npt.NDArray[np.bool_]

FIRST_WINS, SECOND_WINS, DRAWN = 0, 1, 2
"""How a game ends: the side that moves first has a row, the other has, or the board is full."""


@dataclass(frozen=True, slots=True)
class GomokuRules:
    """So many stones in a row win on a board; cells are numbered row by row."""

    rows: int
    columns: int
    length: int
    exact: bool = False  # whether longer rows do not win
    first_role: int = 0
    goals: tuple[tuple[int, int], ...] = ((100, 0), (0, 100), (50, 50))  # of both roles, by how the game ends

    @property
    def cells(self) -> int:
        """The number of cells, which is the move by which a role waits as well."""
        return self.rows * self.columns

    @property
    def rows_win(self) -> bool:
        """Whether a row is worth more than a draw, a draw more than the other's row, and all goals sum to 100."""
        first, second, drawn = (self.goals[end] for end in (FIRST_WINS, SECOND_WINS, DRAWN))
        mover = self.first_role
        return {sum(each) for each in self.goals} == {100} and first[mover] > drawn[mover] > second[mover]

    def __str__(self) -> str:
        exactly = "exactly " if self.exact else ""
        return f"{exactly}{self.length} in a row on {self.rows} × {self.columns} cells"


def native_game(rules: GomokuRules, *, threat_playouts: bool = False, insight: bool = False) -> Game:
    """Makes the game; raises NativeError for sizes that the native core does not have.

    With `threat_playouts` random games complete rows, and answer those about to be completed. With `insight` tree
    searches are told of wins by threats, and which moves promise most.
    """
    return Game.from_gomoku(
        rules.rows,
        rules.columns,
        rules.length,
        exact=rules.exact,
        goals=rules.goals,
        first_role=rules.first_role,
        threat_playouts=threat_playouts,
        insight=insight,
    )


def pack(stones: Bools, turn: Bools) -> States:
    """Returns positions as native states: stones [n, 2, cells] of the first mover and the other, and who is to move.

    `turn` is bool[n], whether it is the other.
    """
    return pack_bits(np.concatenate((stones.reshape(len(stones), -1), turn[:, None]), axis=1))


def unpack(rules: GomokuRules, states: States) -> tuple[Bools, Bools]:
    """Returns native states as stones bool[n, 2, cells] and turns bool[n], as `pack` takes them."""
    bits = unpack_bits(states, 2 * rules.cells + 1)
    return bits[:, :-1].reshape(len(bits), 2, rules.cells), bits[:, -1]
