"""A plain evaluator of networks with numpy: any number of states at once, level by level.

It is slow and short, and made for tests and tools; playing is done by the native core.

    evaluator = Evaluator(net)
    state = net.initial
    moves = [legal.nonzero()[0][0] for legal in evaluator.legal_by_role(state)]
    state = evaluator.next(state, moves)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.arrays import BoolArray, Int32Array
from ludens.propnet.network.propnet import Propnet


class Evaluator:
    """Evaluates states, given as bools [..., S]; moves are indices within the role, ints [..., R]."""

    def __init__(self, net: Propnet) -> None:
        """Sorts the gates of the network by level."""
        self._net = net
        self._first_move = 1 + net.state_bits
        self._first_feedback = self._first_move + net.move_count
        self._role_starts = np.cumsum([0, *map(len, net.moves)])
        self._stages: list[tuple[list[_Level], tuple[int, int] | None]] = []
        done = 0
        for first, last, first_input, last_input in net.loops:
            self._stages.append((self._levels(done, first), None))
            self._stages.append((self._levels(first, last), (first_input, last_input)))
            done = last
        self._stages.append((self._levels(done, len(net.gates)), None))

    def legal(self, states: BoolArray) -> BoolArray:
        """[..., M] which moves are legal, role after role."""
        return self._read(self._evaluate(states, None), self._net.legal, states)

    def playable(self, states: BoolArray) -> BoolArray:
        """[..., M] which moves random play may choose, role after role."""
        return self._read(self._evaluate(states, None), self._net.choices, states)

    def features(self, states: BoolArray) -> BoolArray:
        """[..., F] what evaluations see besides the propositions."""
        return self._read(self._evaluate(states, None), self._net.features, states)

    def legal_by_role(self, states: BoolArray) -> list[BoolArray]:
        """For each role [..., moves of the role] which are legal."""
        return self._net.by_role(self.legal(states))

    def next(self, states: BoolArray, moves: Sequence[int] | Int32Array) -> BoolArray:
        """[..., S] the states that follow."""
        return self._read(self._evaluate(states, np.asarray(moves)), self._net.next, states)

    def terminal(self, states: BoolArray) -> BoolArray:
        """[...] whether the game is over."""
        literal = np.array([self._net.terminal], dtype=np.int32)
        return self._read(self._evaluate(states, None), literal, states)[..., 0]

    def legal_and_terminal(self, states: BoolArray) -> tuple[BoolArray, BoolArray]:
        """[..., M] which moves are legal, and [...] whether the game is over, in half the time of asking for both."""
        read = self._read(self._evaluate(states, None), np.append(self._net.legal, self._net.terminal), states)
        return read[..., :-1], read[..., -1]

    def goals(self, states: BoolArray) -> npt.NDArray[np.int64]:
        """[..., R] the goal of each role; -1 where none holds, or several of different value."""
        net = self._net
        holds = self._read(self._evaluate(states, None), net.goal_literal, states)
        goals = np.full((*states.shape[:-1], len(net.roles)), -1)
        for role in range(len(net.roles)):
            mine = net.goal_role == role
            values = net.goal_value[mine]
            low = np.where(holds[..., mine], values, 101).min(axis=-1, initial=101)
            high = np.where(holds[..., mine], values, -1).max(axis=-1, initial=-1)
            goals[..., role] = np.where(low == high, high, -1)
        return goals

    def _levels(self, first: int, last: int) -> list[_Level]:
        """Gates first … last - 1 in groups that do not depend on one another."""
        start = self._net.first_gate
        depth = [0] * (last - first)
        for gate, literals in enumerate(self._net.gates[first:last].tolist()):
            fan_in = [(literal >> 1) - start - first for literal in literals]
            depth[gate] = 1 + max((depth[i] for i in fan_in if i >= 0), default=0)
        by_depth = np.argsort(depth, kind="stable")
        ends = np.cumsum(np.bincount(depth, minlength=1))
        groups = filter(len, np.split(by_depth + first, ends[:-1]))
        gates = self._net.gates
        return [(group + start, _reader(gates[group, 0]), _reader(gates[group, 1])) for group in groups]

    def _evaluate(self, states: BoolArray, moves: npt.NDArray[np.int_] | None) -> BoolArray:
        """[variables, batch] the value of every variable."""
        net = self._net
        flat = states.reshape(math.prod(states.shape[:-1]), net.state_bits)
        values = np.zeros((net.first_gate + len(net.gates), len(flat)), dtype=np.bool_)
        values[1 : self._first_move] = flat.T
        if moves is not None:
            chosen = (self._first_move + self._role_starts[:-1] + moves).reshape(len(flat), -1)
            values[chosen, np.arange(len(flat))[:, None]] = True
        for levels, inputs in self._stages:
            _run(values, levels)
            while inputs is not None and self._feed_back(values, *inputs):
                _run(values, levels)
        return values

    def _feed_back(self, values: BoolArray, first: int, last: int) -> bool:
        """Copies the drivers of feedback inputs first … last - 1 to them; returns whether any changed."""
        new = _literals(values, _reader(self._net.feedback[first:last]))
        target = values[self._first_feedback + first : self._first_feedback + last]
        changed = not np.array_equal(new, target)
        target[:] = new
        return changed

    def _read(self, values: BoolArray, literals: Int32Array, states: BoolArray) -> BoolArray:
        read: BoolArray = _literals(values, _reader(literals)).T.reshape(*states.shape[:-1], len(literals))
        return read


_Reader = tuple[npt.NDArray[np.int_], BoolArray]  # the variables of literals, and [n, 1] which are negated
_Level = tuple[npt.NDArray[np.int_], _Reader, _Reader]  # variables, the two literals of each


def _reader(literals: Int32Array) -> _Reader:
    return (literals >> 1).astype(np.int_), (literals & 1).astype(np.bool_)[:, None]


def _literals(values: BoolArray, reader: _Reader) -> BoolArray:
    variables, negated = reader
    read: BoolArray = values[variables]
    read ^= negated
    return read


def _run(values: BoolArray, levels: list[_Level]) -> None:
    for variables, left, right in levels:
        both = _literals(values, left)
        both &= _literals(values, right)
        values[variables] = both
