"""A network laid out for the device: rows of gates over slots, each slot holding 32 games.

A *slot* is one 32-bit word, bit n of which is game n. A *row* is what the threads of a block evaluate at once: one gate
each, all of whose operands are known when the row begins. Rows are filled by list scheduling, gates with the longest
way to go first (Hu, "Parallel sequencing and assembly line problems", 1961), so that there are hardly more of them than
the network is deep.

Slots whose value is needed for good come first: the constant false, state bits, moves, feedback inputs, and what
`step`, `goals` or the host read of the world. The rest are given out row by row and taken back after their last reader
(linear-scan register allocation: Poletto and Sarkar, 1999), so that the working set is what is alive at once, not the
whole network: it has to fit into the memory that the threads of a block share.

An *operand* is twice a slot, plus one if it is negated. A gate is the conjunction of two operands.

Gates come in three segments, as in native/src/network/program.hpp:
  world  what legality and the end depend on; after every change of state
  step   what else the next state depends on; once the moves are chosen
  goals  what else than `world` the goals depend on; when games are over
Each is a run of *pieces*; a piece with feedback is repeated until it is settled.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np

from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet

MOST_WORDS = 12 << 10  # of 48 KiB that a block may share
MOVES = 32  # of a word: legal moves of a role are filled up to so many
GAMES = 32  # of a block: the bits of a word
MOST_ROLES = 64  # that have random numbers of their own

_FALSE = 0  # the slot that is always false


@dataclass(frozen=True, slots=True, eq=False)
class DeviceProgram:
    """What the kernels read. Integer arrays; slots and operands as in the module docstring."""

    slots: int
    rows: Int32Array  # [rows + 1, threads, 3] two operands, slot of their conjunction; the last row is not evaluated
    pieces: Int32Array  # [P, 4] first and past-last row, first and past-last line of `feedback`
    segments: Int32Array  # [3, 2] first and past-last piece of world, step, goals
    feedback: Int32Array  # [F, 2] slot of the input, operand that drives it
    updates: Int32Array  # [U, 2] slot of a state bit, slot of its next value
    legal: Int32Array  # slots of playable moves, role after role, those of each filled up by false
    roles: Int32Array  # [R, 5] first of `legal`, its words, slot of the first move, first and past-last of `goals`
    goals: Int32Array  # [K, 2] value, slot; sorted by role, no value of a role twice
    terminal: int  # slot
    moves: int  # of all roles

    @property
    def words(self) -> int:
        """How many words a block needs: slots, two masks of games, and counts and words of legal moves."""
        return self.slots + 2 + GAMES * len(self.roles) + max(MOVES, len(self.legal))


def lay_out(net: Propnet, threads: int) -> DeviceProgram:
    """The network as blocks of so many threads read it; NativeError if it has too many words or roles for that."""
    if not 1 <= len(net.roles) <= MOST_ROLES:
        raise NativeError(f"the network has {len(net.roles)} roles, and the device plays from 1 to {MOST_ROLES}")
    return _Layout(net, threads).program()


@dataclass(slots=True)
class _Gate:
    """A gate between the network and its place; literals of the network as extended by `_Layout`."""

    variable: int
    operands: tuple[int, int]

    @property
    def variables(self) -> tuple[int, int]:
        """What it reads."""
        return self.operands[0] >> 1, self.operands[1] >> 1


@dataclass(slots=True)
class _Piece:
    gates: list[_Gate] = field(default_factory=list)
    inputs: range = field(default_factory=lambda: range(0))  # feedback inputs of a loop
    rows: list[list[_Gate]] = field(default_factory=list)  # the gates as they are scheduled


class _Layout:
    """Splits the network into segments, schedules their gates, then gives every variable a slot.

    New variables, beyond those of the network, stand for outputs that are no plain variable.
    """

    def __init__(self, net: Propnet, threads: int) -> None:
        self._net, self._threads = net, threads
        self._variables = net.first_gate + len(net.gates)
        self._loop_of = {gate: loop for loop, row in enumerate(net.loops.tolist()) for gate in range(row[0], row[1])}
        self._world: set[int] = set()  # its gates
        self._kept = {variable: variable for variable in range(net.first_gate)}  # slots

    def program(self) -> DeviceProgram:
        net = self._net
        world = self._segment([*net.choices.tolist(), net.terminal])
        self._world = {gate.variable - net.first_gate for piece in world for gate in piece.gates}
        legal = [self._plain(world, literal) for literal in net.choices.tolist()]
        terminal = self._plain(world, net.terminal)
        step = self._segment(net.next.tolist())
        updates = list(self._updates(step))
        goals = self._segment(net.goal_literal.tolist())
        values = list(self._goal_values(goals))
        segments = world, step, goals
        for piece in (piece for segment in segments for piece in segment):
            piece.rows = _schedule(piece.gates, self._threads)

        results = {value for _, value in updates}, {variable for _, _, variable in values}
        read_later = {variable for piece in step + goals for gate in piece.gates for variable in gate.variables}
        drivers = {literal >> 1 for literal in net.feedback.tolist()}
        for variable in sorted(_variables(world) & {*legal, terminal}.union(read_later, drivers, *results)):
            self._kept[variable] = len(self._kept)
        slots = [self._allocate(*each) for each in zip(segments, (set(), *results), strict=True)]
        used = 1 + max(slot for given in slots for slot in given.values())
        code = _Code(net, self._threads, spare=used)
        program = DeviceProgram(
            slots=used + 1,
            segments=_ints([code.append(*each) for each in zip(segments, slots, strict=True)], 2),
            rows=code.rows(),
            pieces=_ints(code.pieces, 4),
            feedback=_ints(code.feedback, 2),
            updates=_ints([(state, slots[1][value]) for state, value in updates], 2),
            legal=np.fromiter(self._filled_up([self._kept[variable] for variable in legal]), np.int32),
            roles=_ints(list(self._roles([role for role, _, _ in values])), 5),
            goals=_ints([(value, slots[2][variable]) for _, value, variable in values], 2),
            terminal=self._kept[terminal],
            moves=net.move_count,
        )
        if program.words > MOST_WORDS:
            raise NativeError(f"the network needs {program.words:,} words for 32 games, too many for the device")
        return program

    def _filled_up(self, legal: list[int]) -> Iterator[int]:
        """The slots of moves, those of each role followed by false."""
        slots = iter(legal)
        for moves in map(len, self._net.moves):
            yield from islice(slots, moves)
            yield from (_FALSE for _ in range(-moves % MOVES))

    def _segment(self, roots: list[int]) -> list[_Piece]:
        """The gates that the roots depend on, but for those of the world if it is there, in the network's order."""
        net = self._net
        needed = sorted(self._cone(roots))
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
                if gate in needed or gate in self._world:
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

    def _allocate(self, segment: list[_Piece], results: set[int]) -> dict[int, int]:
        """The slots of all variables that the segment reads or writes; its own are behind those that are kept.

        One is taken back after the row that reads its variable for the last time, unless it is among the results.
        """
        dying = self._dying(segment)
        slots, free, first = dict(self._kept), list[int](), len(self._kept)
        end = first
        for at, row in enumerate(row for piece in segment for row in piece.rows):
            for gate in row:
                if gate.variable not in slots:
                    if not free:
                        free.append(end)
                        end += 1
                    slots[gate.variable] = free.pop()
            dead = (slots[variable] for variable in dying[at] if variable not in results)
            free += [slot for slot in dead if slot >= first]
        return slots

    def _dying(self, segment: list[_Piece]) -> list[list[int]]:
        """For each row of the segment the segment's variables that nothing reads after it.

        A loop runs several times: what it reads from outside, and what drives it, lives as long as the loop.
        """
        last: dict[int, int] = {}
        start = 0
        for piece in segment:
            inside = {gate.variable for gate in piece.gates}
            end = start + len(piece.rows) - 1
            for at, row in enumerate(piece.rows, start):
                for gate in row:
                    last[gate.variable] = max(at, last.get(gate.variable, at))
                    for variable in gate.variables:
                        last[variable] = end if piece.inputs and variable not in inside else at
            last.update((int(self._net.feedback[number]) >> 1, end) for number in piece.inputs)
            start = end + 1
        dying: list[list[int]] = [[] for _ in range(start)]
        for variable in _variables(segment):
            dying[last[variable]].append(variable)
        return dying

    def _roles(self, roles_of_goals: list[int]) -> Iterator[list[int]]:
        """The lines of `roles`."""
        first_legal, first_move = 0, 1 + self._net.state_bits
        for role, moves in enumerate(map(len, self._net.moves)):
            bounds = bisect_left(roles_of_goals, role), bisect_right(roles_of_goals, role)
            words = -(-moves // MOVES)
            yield [first_legal, words, first_move, *bounds]
            first_legal, first_move = first_legal + MOVES * words, first_move + moves


class _Code:
    """Rows and pieces, appended segment by segment."""

    def __init__(self, net: Propnet, threads: int, spare: int) -> None:
        """What a thread without a gate computes goes to the slot `spare`."""
        self.pieces: list[tuple[int, int, int, int]] = []
        self.feedback: list[tuple[int, int]] = []
        self._rows: list[list[tuple[int, int, int]]] = []
        self._threads, self._spare = threads, spare
        self._drivers = net.feedback.tolist()
        self._first_feedback = 1 + net.state_bits + net.move_count

    def append(self, segment: list[_Piece], slots: dict[int, int]) -> tuple[int, int]:
        """First and past-last piece of the segment."""
        first = len(self.pieces)

        def operand(literal: int) -> int:
            return 2 * slots[literal >> 1] + (literal & 1)

        for piece in segment:
            row, feedback = len(self._rows), len(self.feedback)
            for gates in piece.rows:
                self._rows.append(
                    [(operand(gate.operands[0]), operand(gate.operands[1]), slots[gate.variable]) for gate in gates]
                )
            self.feedback += [(self._first_feedback + i, operand(self._drivers[i])) for i in piece.inputs]
            self.pieces.append((row, len(self._rows), feedback, len(self.feedback)))
        return first, len(self.pieces)

    def rows(self) -> Int32Array:
        """The rows, filled up for threads without a gate, and an empty one."""
        rows = np.zeros((len(self._rows) + 1, self._threads, 3), np.int32)
        rows[:, :, 2] = self._spare
        for row, gates in zip(rows, self._rows, strict=False):
            row[: len(gates)] = gates
        return rows


def _schedule(gates: list[_Gate], width: int) -> list[list[_Gate]]:
    """The gates, given in an order in which they can be evaluated, as rows of at most `width`."""
    place = {gate.variable: n for n, gate in enumerate(gates)}
    reads = [{place[variable] for variable in gate.variables if variable in place} for gate in gates]
    readers: list[list[int]] = [[] for _ in gates]
    for n, read in enumerate(reads):
        for other in read:
            readers[other].append(n)
    height = [0] * len(gates)  # the longest way to a gate that none reads
    for n in reversed(range(len(gates))):
        height[n] = max((height[reader] + 1 for reader in readers[n]), default=0)
    missing = list(map(len, reads))
    ready = [(-height[n], n) for n, count in enumerate(missing) if not count]
    heapify(ready)
    rows = []
    while ready:
        row = [heappop(ready)[1] for _ in range(min(width, len(ready)))]
        for reader in (reader for n in row for reader in readers[n]):
            missing[reader] -= 1
            if not missing[reader]:
                heappush(ready, (-height[reader], reader))
        rows.append([gates[n] for n in row])
    return rows


def _variables(segment: list[_Piece]) -> set[int]:
    return {gate.variable for piece in segment for gate in piece.gates}


def _ints(lines: Sequence[Sequence[int]], columns: int) -> Int32Array:
    return np.array(lines, np.int32).reshape(-1, columns)
