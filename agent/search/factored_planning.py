"""Plans for puzzles that fall into factors: explores each factor alone and combines the results.

A puzzle of n factors with k positions each has k^n positions, but what the end and the goal say of a factor is
told by its concepts alone. So a *node* of this search is a set of positions for each factor: all those that can
be reached by the same decisions, to which factors to move in, and with the same concepts after every step. A
step is a box of moves (see `propnet.analysis.factors.boxes`): in each factor all moves of a set are made from all
positions of a set, and the positions that follow are parted by their concepts. Every combination of parts is a
node again, of which the concepts say whether it is an end and what goal it earns. Nothing is lost by this: from
each position of one factor's set there is a way back, whatever is chosen in the others. When all nodes are
done, no plan earns more.

Nodes whose plan stays long in the same factor come first, so that factors that are played one after the other,
their plans being strung together, cost their sum and not their product.

Sources: M. Günther, S. Schiffel, M. Thielscher, "Factorisation General Games", 2009 (plans of sub-games, with their
signatures, combined); M. Rabin, D. Scott, "Finite Automata and Their Decision Problems", 1959 (subsets).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.agent.search.planning import Plan
from ludens.native.core import Game, Simulator, States, pack_bits
from ludens.propnet.analysis.factors import Box, Factorisation, boxes
from ludens.propnet.analysis.subgames import Extraction, Outcome, SubGame
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_MOST_POSITIONS = 4_000_000  # of all sets together
_MOST_SUCCESSORS = 250_000  # of one set, by the moves of one box
_MOST_NODES = 200_000
_MOST_COMBINATIONS = 100_000  # at one step
_LANES = 64


class TooLargeError(LudensError):
    """There are more positions or nodes than are kept, or than there is memory for."""


class FactoredPlanner:
    """Looks for the best plan from a state, a little at a time."""

    def __init__(self, net: Propnet, factoring: Factorisation, state: BoolArray) -> None:
        """`state` is bool[S] of `net`, a game of one role whose factors are given."""
        outcome = Outcome(factoring)
        self.found: Plan | None = None
        self.done = False
        """Whether nothing earns more than what was found."""
        self._net, self._factoring, self._outcome, self._start = net, factoring, outcome, state
        self._most = int(net.goal_value.max(initial=0))
        places = range(len(factoring.factors) + bool(outcome.concepts[-1]))
        self._parts = [_Part(Extraction(factoring, outcome, place).observed()) for place in places]
        self._boxes: dict[int, list[tuple[Box, dict[tuple[int, ...], int]]]] = {}
        self._seen: set[tuple[int, ...]] = set()
        self._queue: list[tuple[int, int, int, _Node]] = []
        self._steps = self._explore()
        control = [bool(state[p]) for p in factoring.control.propositions]
        phase = factoring.control.states.index(tuple(control))
        sets = tuple(part.enter(part.position(state)) for part in self._parts)
        self._push(_Node(sets, phase, 0, 0))

    def run(self, seconds: float) -> None:
        """Goes on for about `seconds`, a step at least, until `done`.

        Raises `TooLargeError`; then it is of no further use, but for what it has found.
        """
        deadline = time.monotonic() + seconds
        try:
            while not self.done:
                next(self._steps, None)
                if time.monotonic() > deadline:
                    break
        except MemoryError as error:
            raise TooLargeError("the factors of this puzzle take more memory than there is") from error

    def _explore(self) -> Iterator[None]:
        """Opens all nodes, one step at a time."""
        while self._queue:
            node = heappop(self._queue)[-1]
            for number in range(len(self._boxes_of(node.phase))):
                self._step(node, number)
                yield
        self.done = True

    def _push(self, node: _Node) -> None:
        key = (node.phase, *node.sets)
        if key in self._seen:
            return
        self._seen.add(key)
        if len(self._seen) > _MOST_NODES:
            raise TooLargeError("the factors of this puzzle have too many positions together")
        heappush(self._queue, (node.switches, node.depth, len(self._seen), node))

    def _step(self, node: _Node, number: int) -> None:
        """Makes the moves of one box from a node."""
        groups = self._after(node, self._boxes_of(node.phase)[number][0])
        count = prod(map(len, groups))
        if count > _MOST_COMBINATIONS:
            raise TooLargeError("this puzzle's factors can be combined in too many ways")
        if not count:
            return
        joint = [*product(*groups)]
        rows = [np.array([row[i].concepts for row in joint], np.bool_) for i in range(len(groups))]
        rows += [np.empty((count, 0), np.bool_)] * (len(self._outcome.concepts) - len(rows))
        terminal, goals = self._outcome.read(rows)
        following = self._factoring.control.follow(node.phase)
        switches = node.switches + (node.step is not None and node.step != number)
        for combined, over, goal in zip(joint, terminal, goals[:, 0], strict=True):
            sets = tuple(group.number for group in combined)
            child = _Node(sets, following, switches, node.depth + 1, node, number)
            if not over:
                self._push(child)
            elif goal > (self.found.goal if self.found else -1):
                self.found = self._verified(self._moves(child), int(goal))
                self.done = self.found.goal == self._most

    def _after(self, node: _Node, box: Box) -> list[list[_Group]]:
        """Returns what follows in each part from a node."""
        groups = []
        for i, (part, held) in enumerate(self._held(node)):
            room = min(_MOST_SUCCESSORS, _MOST_POSITIONS - sum(each.held for each in self._parts))
            groups.append(part.after(held, box[i : i + 1], room))
        return groups

    def _held(self, node: _Node) -> Iterator[tuple[_Part, int]]:
        return zip(self._parts, node.sets, strict=True)

    def _boxes_of(self, phase: int) -> list[tuple[Box, dict[tuple[int, ...], int]]]:
        """Returns what can be done in a phase, and the move of the whole game for every vector."""
        if phase not in self._boxes:
            [role] = self._factoring.roles()
            vectors = self._factoring.vectors(phase, role)
            self._boxes[phase] = [(box, vectors) for box in boxes(vectors)]
        return self._boxes[phase]

    # ---- Plans -------------------------------------------------------------------------------------------------

    def _moves(self, node: _Node) -> tuple[int, ...]:
        """Returns the moves of the whole game that lead to a node."""
        goals = [part.some(held) for part, held in self._held(node)]
        moves: list[int] = []
        while node.parent is not None and node.step is not None:
            before = node.parent
            box, vectors = self._boxes_of(before.phase)[node.step]
            steps = [
                part.before(goal, held, box[i : i + 1])
                for i, (goal, (part, held)) in enumerate(zip(goals, self._held(before), strict=True))
            ]
            moves.append(vectors[tuple(move for _, move in steps[: len(box)])])
            goals, node = [position for position, _ in steps], before
        return tuple(reversed(moves))

    def _verified(self, moves: Sequence[int], goal: int) -> Plan:
        """Plays the moves on the whole network; returns them as a plan."""
        simulator = Simulator(Game.from_propnet(self._net), _LANES)
        state = pack_bits(self._start)
        for move in moves:
            if simulator.terminal(state)[0] or not simulator.legal(state)[0][0, move]:
                raise LudensError("the combined plan of the factors cannot be played")
            state = simulator.next(state, np.array([[move]], np.int32))[0]
        if not simulator.terminal(state)[0] or simulator.goals(state)[0, 0] != goal:
            raise LudensError("the combined plan of the factors does not reach its goal")
        return Plan(tuple(moves), goal)


@dataclass(frozen=True, slots=True)
class _Node:
    """What can be reached by the same decisions; numbers of sets of positions, one for each part."""

    sets: tuple[int, ...]
    phase: int
    switches: int  # steps whose box is not that of the step before
    depth: int
    parent: _Node | None = None
    step: int | None = None  # number of the box that led here


@dataclass(frozen=True, slots=True)
class _Group:
    """A set of positions that have the same concepts."""

    concepts: tuple[bool, ...]
    number: int


class _Part:
    """One factor, or control: its sets of positions, and what follows from them."""

    def __init__(self, sub: SubGame) -> None:
        self._sub = sub
        self._simulator = Simulator(Game.from_propnet(sub.net), _LANES)
        self._place = {int(move): i for i, move in enumerate(sub.moves[: len(sub.net.moves[0])])}
        self._sets: list[States] = []
        self._numbers: dict[bytes, int] = {}
        self._after: dict[tuple[int, Box], list[_Group]] = {}
        self.held = 0  # positions in all sets

    def position(self, state: BoolArray) -> States:
        """Returns the set of the one position of the factor in a state of the whole game."""
        return pack_bits(state[self._sub.propositions][None])

    def enter(self, positions: States) -> int:
        """Returns the number of a set of positions, a new one if need be."""
        number = self._numbers.setdefault(positions.tobytes(), len(self._sets))
        if number == len(self._sets):
            self._sets.append(positions)
            self.held += len(positions)
        return number

    def some(self, number: int) -> States:
        """Returns one position of a set."""
        position: States = self._sets[number][0]
        return position

    def after(self, number: int, box: Box, room: int) -> list[_Group]:
        """Returns what follows from a set by the moves of a box, or from control by itself, parted by concepts.

        Raises `TooLargeError` where more than `room` positions would have to be made.
        """
        key = (number, box)
        if key not in self._after:
            choices = self._choices(number, box)
            if sum(int(able.sum()) for _, able in choices) > room:
                raise TooLargeError("a factor of this puzzle has too many positions")
            steps = [self._following(number, *choice) for choice in choices]
            self._after[key] = [*self._parted(_distinct(np.concatenate(steps)))] if steps else []
        return self._after[key]

    def before(self, goal: States, number: int, box: Box) -> tuple[States, int]:
        """Returns a position of a set from which one of the moves leads to `goal`, and that move."""
        for move, able in self._choices(number, box):
            found = np.flatnonzero((self._following(number, move, able) == goal).all(axis=1))
            if len(found):
                origin: States = self._sets[number][able][found[0]]
                return origin, move
        raise LudensError("a position of a factor has no predecessor")

    def _choices(self, number: int, box: Box) -> list[tuple[int, BoolArray]]:
        """Returns each move of a box that is legal in some positions of a set, and in which."""
        legal = self._simulator.legal(self._sets[number])[0]
        moves = [move for move in (box[0] if box else (-1,)) if move in self._place]
        columns = [(move, legal[:, self._place[move]]) for move in moves]
        return [(move, able) for move, able in columns if able.any()]

    def _following(self, number: int, move: int, able: BoolArray) -> States:
        """Returns what follows by a move from those positions of a set in which it is legal."""
        positions = self._sets[number][able]
        joint = np.zeros((len(positions), len(self._sub.net.roles)), np.int32)
        joint[:, 0] = self._place[move]
        return self._simulator.next(positions, joint)

    def _parted(self, positions: States) -> Iterator[_Group]:
        concepts: npt.NDArray[np.bool_] = self._simulator.goals(positions)[:, 1:] == 100
        order, begins = _side_by_side(concepts)
        for group in np.split(order, begins[1:]):
            yield _Group(tuple(concepts[group[0]].tolist()), self.enter(positions[group]))


def _distinct(rows: States) -> States:
    order, begins = _side_by_side(rows)
    return rows[order[begins]]


def _side_by_side(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Returns an order in which equal rows stand side by side, and where in it others than before begin.

    Unlike `np.unique` this lets other threads run meanwhile.
    """
    order = np.lexsort((np.zeros(len(rows), np.bool_), *rows.T[::-1]))
    ordered = rows[order]
    others = np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))
    return order, np.flatnonzero(others)
