"""A network laid out for the device: a list of gates over slots, each slot holding 32 games of every thread.

A *slot* is one 32-bit word of every thread. Slots whose value is needed for good come first: the constant
false, state bits, moves, feedback inputs, and what `step`, `goals` or the host read of the world. The rest are
given out gate by gate and taken back after their last reader (linear-scan register allocation: Poletto and
Sarkar, 1999), so that the working set of a thread is what is alive at once, not the whole network.

An *operand* is twice a slot, plus one if it is negated. A gate is the conjunction of two operands.

Gates come in three segments, as in native/src/network/program.hpp:
  world  what legality and the end depend on; after every change of state
  step   what else the next state depends on; once the moves are chosen
  goals  what else the goals depend on; when games are over
Each is a run of *pieces*; a piece with feedback is repeated until it is settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet

_MOST_SLOTS = 1 << 20  # so that 32 bits hold where a slot lies in a block of a thousand threads
BLOCK_MOVES = 8  # moves that are counted together in a leaf of the tree of choice.hpp
SPARE_DIGITS = 10  # random digits beyond those of the largest count of moves, as in choice.hpp

_FALSE = 0  # the slot that is always false


@dataclass(frozen=True, slots=True, eq=False)
class DeviceProgram:
    """What the kernels read. Integer arrays; slots and operands as in the module docstring."""

    slots: int
    gates: Int32Array  # [G, 3] two operands, slot of their conjunction
    pieces: Int32Array  # [P, 4] first and past-last gate, first and past-last row of `feedback`
    segments: Int32Array  # [3, 2] first and past-last piece of world, step, goals
    feedback: Int32Array  # [F, 2] slot of the input, operand that drives it
    updates: Int32Array  # [U, 2] slot of a state bit, slot of its next value
    legal: Int32Array  # slots of playable moves, role after role, each padded with false to whole blocks of BLOCK_MOVES
    roles: Int32Array  # [R, 6] first of `legal`, moves, slot of the first move, first and past-last level, digits
    levels: Int32Array  # [L, 4] nodes, digits, slot of the first count, slot of the first mark of being active
    terminal: int  # slot
    goals: Int32Array  # [K, 3] role, value, slot; sorted, no (role, value) twice


def lay_out(net: Propnet) -> DeviceProgram:
    """The network as the kernels read it; NativeError if it needs too many slots."""
    return _Layout(net).program()


@dataclass(slots=True)
class _Gate:
    """A gate between the network and its place; literals of the network as extended by `_Layout`."""

    variable: int
    operands: tuple[int, int]


@dataclass(slots=True)
class _Piece:
    gates: list[_Gate] = field(default_factory=list)
    inputs: range = field(default_factory=lambda: range(0))  # feedback inputs of a loop


class _Layout:
    """Splits the network into segments, then gives every variable a slot.

    New variables, beyond those of the network, stand for outputs that are no plain variable.
    """

    def __init__(self, net: Propnet) -> None:
        self._net = net
        self._variables = net.first_gate + len(net.gates)
        self._loop_of = {gate: loop for loop, row in enumerate(net.loops.tolist()) for gate in range(row[0], row[1])}
        self._taken: set[int] = set()  # gates that a segment has
        self._slots = {variable: variable for variable in range(net.first_gate)}

    def program(self) -> DeviceProgram:
        net = self._net
        world = self._segment([*net.choices.tolist(), net.terminal])
        legal = [self._plain(world, literal) for literal in net.choices.tolist()]
        terminal = self._plain(world, net.terminal)
        step = self._segment(net.next.tolist())
        updates = list(self._updates(step))
        goals = self._segment(net.goal_literal.tolist())
        values = list(self._goal_values(goals))

        results = {value for _, value in updates}, {variable for _, _, variable in values}
        read_later = {literal >> 1 for piece in step + goals for gate in piece.gates for literal in gate.operands}
        drivers = {literal >> 1 for literal in net.feedback.tolist()}
        for variable in sorted(_variables(world) & {*legal, terminal}.union(read_later, drivers, *results)):
            self._slots[variable] = len(self._slots)
        temporary = len(self._slots)
        roles, levels, scratch = self._choices(temporary)
        ends = map(self._allocate, (world, step, goals), 3 * (temporary,), (set(), *results))
        slots = max(scratch, *ends)
        if slots > _MOST_SLOTS:
            raise NativeError(f"the network needs {slots:,} words a thread, too many for the device")

        slots_of_moves = iter([self._slots[variable] for variable in legal])
        padded: list[int] = []
        for moves in map(len, net.moves):
            padded += [*islice(slots_of_moves, moves), *[_FALSE] * (-moves % BLOCK_MOVES)]
        code = _Code(self._slots, net)
        return DeviceProgram(
            slots=slots,
            segments=_ints([code.append(segment) for segment in (world, step, goals)], 2),
            gates=_ints(code.gates, 3),
            pieces=_ints(code.pieces, 4),
            feedback=_ints(code.feedback, 2),
            updates=_ints([(state, self._slots[value]) for state, value in updates], 2),
            legal=np.array(padded, np.int32),
            roles=_ints(roles, 6),
            levels=_ints(levels, 4),
            terminal=self._slots[terminal],
            goals=_ints([(role, value, self._slots[variable]) for role, value, variable in values], 3),
        )

    def _segment(self, roots: list[int]) -> list[_Piece]:
        """The gates that the roots depend on and no segment has yet, in the order of the network."""
        net = self._net
        needed = sorted(self._cone(roots))
        self._taken.update(needed)
        pieces, loop = [_Piece()], None
        for gate in needed:
            if self._loop_of.get(gate) != loop:
                loop = self._loop_of.get(gate)
                inputs = range(0) if loop is None else range(int(net.loops[loop, 2]), int(net.loops[loop, 3]))
                pieces.append(_Piece(inputs=inputs))
            pieces[-1].gates.append(_Gate(net.first_gate + gate, tuple(net.gates[gate].tolist())))
        if loop is not None:
            pieces.append(_Piece())
        return pieces

    def _cone(self, roots: list[int]) -> set[int]:
        net, needed, loops = self._net, set[int](), set[int]()
        first = 1 + net.state_bits + net.move_count  # feedback input
        inputs = {first + i: loop for loop, row in enumerate(net.loops.tolist()) for i in range(row[2], row[3])}
        gates, stack = net.gates.tolist(), list(roots)
        while stack:
            variable = stack.pop() >> 1
            gate = variable - net.first_gate
            if gate >= 0:
                if gate in needed or gate in self._taken:
                    continue
                needed.add(gate)
                stack += gates[gate]
                loop = self._loop_of.get(gate)
            else:
                loop = inputs.get(variable)
            if loop is not None and loop not in loops:
                loops.add(loop)
                stack += net.feedback[net.loops[loop, 2] : net.loops[loop, 3]].tolist()
        return needed

    def _plain(self, segment: list[_Piece], literal: int) -> int:
        """A variable that equals the literal: its own, or that of a gate at the end of the segment."""
        return literal >> 1 if not literal & 1 else self._add(segment, literal, 1)

    def _add(self, segment: list[_Piece], left: int, right: int) -> int:
        if segment[-1].inputs:
            segment.append(_Piece())
        self._variables += 1
        segment[-1].gates.append(_Gate(self._variables - 1, (left, right)))
        return self._variables - 1

    def _updates(self, step: list[_Piece]) -> Iterator[tuple[int, int]]:
        """(slot of a state bit, variable of its next value), where it may change.

        A value that stands in the slot of another state bit is copied: that may be overwritten first.
        """
        for bit, literal in enumerate(self._net.next.tolist()):
            state, value = 1 + bit, literal >> 1
            if literal == 2 * state:
                continue
            copied = literal & 1 or 0 < value <= self._net.state_bits
            yield state, self._add(step, literal, 1) if copied else value

    def _goal_values(self, goals: list[_Piece]) -> Iterator[tuple[int, int, int]]:
        """(role, value, variable) without repetitions: literals of the same goal are joined."""
        net = self._net
        literals: dict[tuple[int, int], int] = {}
        for goal in zip(net.goal_role.tolist(), net.goal_value.tolist(), net.goal_literal.tolist(), strict=True):
            role, value, literal = goal
            known = literals.get((role, value))
            literals[role, value] = literal if known is None else 2 * self._add(goals, known ^ 1, literal ^ 1) + 1
        for (role, value), literal in sorted(literals.items()):
            yield role, value, self._plain(goals, literal)

    def _allocate(self, segment: list[_Piece], first: int, results: set[int]) -> int:
        """Gives the gates of a segment that have none slots from `first` on; returns how far it got.

        A slot is taken back when its variable has been read for the last time, unless it is among the results.
        """
        dying = self._dying(segment)
        free: list[int] = []
        end = first
        for at, gate in enumerate(gate for piece in segment for gate in piece.gates):
            if gate.variable not in self._slots:
                if not free:
                    free.append(end)
                    end += 1
                self._slots[gate.variable] = free.pop()
            dead = (self._slots[variable] for variable in dying[at] if variable not in results)
            free += [slot for slot in dead if slot >= first]
        return end

    def _dying(self, segment: list[_Piece]) -> list[list[int]]:
        """For each gate of the segment the segment's variables that nothing reads after it.

        A loop runs several times: what it reads from outside, and what drives it, lives as long as the loop.
        """
        last: dict[int, int] = {}
        start = 0
        for piece in segment:
            inside = {gate.variable for gate in piece.gates}
            end = start + len(piece.gates) - 1
            for at, gate in enumerate(piece.gates, start):
                last[gate.variable] = at
                for variable in (literal >> 1 for literal in gate.operands):
                    last[variable] = end if piece.inputs and variable not in inside else at
            last.update((int(self._net.feedback[number]) >> 1, end) for number in piece.inputs)
            start = end + 1
        dying: list[list[int]] = [[] for _ in range(start)]
        for variable in _variables(segment):
            dying[last[variable]].append(variable)
        return dying

    def _choices(self, scratch: int) -> tuple[list[list[int]], list[list[int]], int]:
        """The rows of `roles` and `levels`, and how many slots the largest choice needs.

        Between world and step no temporary slot is in use: choice counts there, one role after the other.
        """
        roles: list[list[int]] = []
        levels: list[list[int]] = []
        first_legal, first_move, most = 0, 1 + self._net.state_bits, scratch
        for moves in map(len, self._net.moves):
            blocks = -(-moves // BLOCK_MOVES)
            tree, slot = _tree(blocks, scratch)
            bounds = len(levels), len(levels) + len(tree)
            roles.append([first_legal, moves, first_move, *bounds, moves.bit_length()])
            levels += tree
            first_legal += blocks * BLOCK_MOVES
            first_move += moves
            most = max(most, slot)
        return roles, levels, most


class _Code:
    """Gates and pieces, appended segment by segment."""

    def __init__(self, slots: dict[int, int], net: Propnet) -> None:
        self.gates: list[tuple[int, int, int]] = []
        self.pieces: list[tuple[int, int, int, int]] = []
        self.feedback: list[tuple[int, int]] = []
        self._slots = slots
        self._drivers = net.feedback.tolist()
        self._first_feedback = 1 + net.state_bits + net.move_count

    def append(self, segment: list[_Piece]) -> tuple[int, int]:
        """First and past-last piece of the segment."""
        first = len(self.pieces)
        for piece in segment:
            gate, feedback = len(self.gates), len(self.feedback)
            for place in piece.gates:
                left, right = map(self._operand, place.operands)
                self.gates.append((left, right, self._slots[place.variable]))
            self.feedback += [(self._first_feedback + i, self._operand(self._drivers[i])) for i in piece.inputs]
            self.pieces.append((gate, len(self.gates), feedback, len(self.feedback)))
        return first, len(self.pieces)

    def _operand(self, literal: int) -> int:
        return 2 * self._slots[literal >> 1] + (literal & 1)


def _variables(segment: list[_Piece]) -> set[int]:
    return {gate.variable for piece in segment for gate in piece.gates}


def _tree(blocks: int, slot: int) -> tuple[list[list[int]], int]:
    """The levels of a tree over blocks of moves, leaves first, their scratch from `slot` on; and its end.

    A node has a count of `digits` binary digits, and a mark of whether the descent is there.
    """
    levels = []
    digits = BLOCK_MOVES.bit_length()
    while blocks:
        marks = slot + blocks * digits
        levels.append([blocks, digits, slot, marks])
        slot = marks + blocks
        if blocks == 1:
            break
        blocks, digits = -(-blocks // 2), digits + 1
    return levels, slot


def _ints(rows: Sequence[Sequence[int]], columns: int) -> Int32Array:
    return np.array(rows, np.int32).reshape(-1, columns)
