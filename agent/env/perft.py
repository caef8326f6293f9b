"""Perft: the number of lines of play of a length, by which programs that know the rules of a game are compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.agent.api.game import Game, State, a_game
from ludens.agent.api.numbers import whole
from ludens.native.core import JointMoves, Simulator, States

_MOST_AT_ONCE = 1 << 18  # joint moves


def perft(game: Game, depth: int, state: State | None = None, *, count_ended: bool = False) -> int:
    """Returns in how many ways `depth` joint moves can follow each other from a state, by default the initial one.

    Lines that end earlier are counted if `count_ended` says so. Positions that several lines lead to are looked at
    once. Raises `BudgetError` for a depth that is none, and `StateError` for a state of another game.
    """
    whole("depth", depth)
    simulator = Simulator(a_game(game).native)
    states = np.atleast_2d((game.initial if state is None else game.own(state)).words)
    lines = np.ones(1, object)  # as many as one likes
    ended = 0
    for _ in range(depth):
        over = simulator.terminal(states)
        ended += int(lines[over].sum())
        states, lines = states[~over], lines[~over]
        parts = []
        for part in np.array_split(np.arange(len(states)), max(1, -(-len(states) // 4096))):
            parts += _successors(simulator, states[part], lines[part])
        if not parts:
            return ended if count_ended else 0
        states, lines = _merged(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))
    return int(lines.sum()) + (ended if count_ended else 0)


def _successors(
    simulator: Simulator, states: States, lines: npt.NDArray[np.object_]
) -> list[tuple[States, npt.NDArray[np.object_]]]:
    if not len(states):
        return []
    of, moves = _joint_moves(simulator, states)
    found = []
    for first in range(0, len(of), _MOST_AT_ONCE):
        part = slice(first, first + _MOST_AT_ONCE)
        found.append(_merged(simulator.next(states[of[part]], moves[part]), lines[of[part]]))
    return found


def _joint_moves(simulator: Simulator, states: States) -> tuple[npt.NDArray[np.int64], JointMoves]:
    """Returns all joint moves, role after role, and the number of the state that each belongs to."""
    of = np.arange(len(states))
    moves = np.empty((len(states), 0), np.int32)
    for legal in simulator.legal(states):
        row, move = np.nonzero(legal[of])
        of, moves = of[row], np.column_stack([moves[row], move]).astype(np.int32)
    return of, moves


def _merged(states: States, lines: npt.NDArray[np.object_]) -> tuple[States, npt.NDArray[np.object_]]:
    """Returns each state once, with the lines that lead to it."""
    unique, where = np.unique(states, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), object)
    np.add.at(sums, where.reshape(-1), lines)
    return unique, sums
