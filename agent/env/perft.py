"""Perft: the number of lines of play of a length, by which programs that know the rules of a game are compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.agent.api.game import Game, State, a_game
from ludens.agent.api.numbers import whole
from ludens.native.core import JointMoves, Simulator, States

_MOST_STATES = 1 << 16  # whose successors are looked at together
_MOST_LEGAL = 1 << 12  # states whose legal moves are
_MOST_AT_ONCE = 1 << 18  # joint moves

Numbers = npt.NDArray[np.object_]  # as large as one likes


def perft(game: Game, depth: int, state: State | None = None, *, count_ended: bool = False) -> int:
    """Returns in how many ways `depth` joint moves can follow each other from a state, by default the initial one.

    Lines that end earlier are counted if `count_ended` says so. Positions that several lines lead to are looked at
    once, as far as there is memory. Raises `BudgetError` for a depth that is none, and `StateError` for a state of
    another game.
    """
    whole("depth", depth)
    simulator = Simulator(a_game(game).native)
    states = np.atleast_2d((game.initial if state is None else game.own(state)).words)
    if depth == 0:
        return 1
    found, waiting = 0, [(states, np.ones(1, object), depth)]
    while waiting:
        states, lines, left = waiting.pop()
        if len(states) > _MOST_STATES:
            waiting.append((states[_MOST_STATES:], lines[_MOST_STATES:], left))
            states, lines = states[:_MOST_STATES], lines[:_MOST_STATES]
        over = simulator.terminal(states)
        if count_ended:
            found += int(lines[over].sum())
        states, lines = states[~over], lines[~over]
        if left == 1:
            found += int((lines * _choices(simulator, states)).sum())
        elif parts := _successors(simulator, states, lines):
            merged = _merged(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
            waiting.append((*merged, left - 1))
    return found


def _choices(simulator: Simulator, states: States) -> Numbers:
    """Returns how many joint moves each state has."""
    counts = np.ones(len(states), object)
    for part in _parts(len(states), _MOST_LEGAL):
        for legal in simulator.legal(states[part]):
            counts[part] *= legal.sum(axis=1)
    return counts


def _successors(simulator: Simulator, states: States, lines: Numbers) -> list[tuple[States, Numbers]]:
    """Returns the states that follow, in parts, with the lines that lead to them."""
    found = []
    for few in _parts(len(states), _MOST_LEGAL):
        of, moves = _joint_moves(simulator, states[few])
        found += [
            _merged(simulator.next(states[few][of[part]], moves[part]), lines[few][of[part]])
            for part in _parts(len(of), _MOST_AT_ONCE)
        ]
    return found


def _parts(count: int, most: int) -> list[slice]:
    """Returns so many in parts of which each has at most so many."""
    return [slice(first, first + most) for first in range(0, count, most)]


def _joint_moves(simulator: Simulator, states: States) -> tuple[npt.NDArray[np.int64], JointMoves]:
    """Returns all joint moves, role after role, and the number of the state that each belongs to."""
    of = np.arange(len(states))
    moves = np.empty((len(states), 0), np.int32)
    for legal in simulator.legal(states):
        row, move = np.nonzero(legal[of])
        of, moves = of[row], np.column_stack([moves[row], move]).astype(np.int32)
    return of, moves


def _merged(states: States, lines: Numbers) -> tuple[States, Numbers]:
    """Returns each state once, with the lines that lead to it."""
    unique, where = np.unique(states, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), object)
    np.add.at(sums, where.reshape(-1), lines)
    return unique, sums
