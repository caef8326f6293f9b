"""Finds what the facts beside the board mean: whose turn it is, chains, counters of plies, numbers of pieces.

Each group must be one of these in all the random games seen. Values that these games do not reach are found by
asking the network: a counter is set to its last known value in some of their states, and one more move is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ludens.games.checkers.recognition.board import Board
from ludens.games.checkers.recognition.history import History
from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.recognition.term_shapes import TermGroup
from ludens.games.checkers.rules.parameters import DOWN, UP
from ludens.games.checkers.rules.positions import Bools, Ints
from ludens.native.core import Simulator, States, pack_bits, unpack_bits
from ludens.propnet.base.errors import NotRecognisedError

_PROBES = 48  # states in which a counter is tried

Bits = dict[int, int]  # from a value to the state bit that says so


@dataclass(slots=True)
class FactEncoding:
    """The state bits of everything but the board, by value."""

    turn: Bits = field(default_factory=dict)  # the side to move
    last: Bits = field(default_factory=dict)  # the side that has moved before
    chain: Bits = field(default_factory=dict)  # the square of the piece that goes on
    capture: Bits = field(default_factory=dict)  # where a capture ended just before
    step: Bits = field(default_factory=dict)  # plies so far
    idle: Bits = field(default_factory=dict)  # plies in a row without progress
    pieces: dict[int, list[Bits]] = field(default_factory=lambda: {UP: [], DOWN: []})  # of a side, by their number
    step_limit: int = 0
    idle_limit: int = 0


class FactInterpreter:
    """Finds the meaning of groups of facts, one by one."""

    def __init__(self, samples: SampledTransitions, board: Board, history: History, simulator: Simulator) -> None:
        """Takes the random games, and a simulator of the network for questions."""
        self._samples, self._board, self._history, self._simulator = samples, board, history, simulator
        self._rows = np.arange(len(samples.ply))
        self._pieces = np.bitwise_count(board.sets(samples.before)[:, :2]).astype(np.int64)
        self.facts = FactEncoding()

    def read(self, group: TermGroup) -> None:
        """Adds a group to `facts` by its meaning; raises NotRecognisedError if it has none in checkers."""
        for parts in _partitions(group):
            if all(self._read(part) for part in parts):
                return
        raise NotRecognisedError(f"what facts like {group.shape} say is unknown")

    def _read(self, part: TermGroup) -> bool:
        held = self._samples.before[:, part.members]
        if not held.any():
            return True  # nothing is said by what never holds; that it never does is part of the proof
        return self._read_side(part, held) or self._read_square(part, held) or self._read_number(part, held)

    def _read_side(self, part: TermGroup, held: Bools) -> bool:
        """Reads a group as one fact for each side: that it is to move, or that it moved before."""
        later = self._samples.ply > 0
        for bits, side, rows in (
            (self.facts.turn, self._board.turn, ...),
            (self.facts.last, self._history.last, later),
        ):
            found: Bits = {}
            for member, column in zip(part.members, held.T, strict=True):
                found |= {s: member for s in (UP, DOWN) if (column[rows] == (side[rows] == s)).all()}
            if len(found) == len(part.members) <= 2:
                bits.update(found)
                return True
        return False

    def _read_square(self, part: TermGroup, held: Bools) -> bool:
        """Reads a group as one fact for each square: that a piece goes on from there, or has just captured."""
        if part.arity != 2:
            return False
        asked = ((self.facts.chain, self._history.chain), (self.facts.capture, self._history.capture))
        for way in (1, -1):
            places = [(args[::way][0], args[::way][1]) for args in part.arguments]
            if not self._board.squares.keys() >= set(places):
                continue
            squares = [self._board.squares[place] for place in places]
            for bits, square in asked:
                if (held == (square[:, None] == np.array(squares))).all():
                    bits.update(zip(squares, part.members, strict=True))
                    return True
        return False

    def _read_number(self, part: TermGroup, held: Bools) -> bool:
        """Reads a group as a number, of which one fact holds: plies, plies without progress, or pieces of a side."""
        if (held.sum(axis=1) != 1).any():
            return False
        value = np.array(part.members)[held.argmax(axis=1)]
        facts, history = self.facts, self._history
        if _is_function(self._samples.ply, value):
            facts.step, facts.step_limit = self._follow(part, value, self._rows)
        elif _is_function(history.idle, value):
            facts.idle, facts.idle_limit = self._follow(part, value, np.flatnonzero(~history.progress))
        else:
            for side in (UP, DOWN):
                if _is_function(self._pieces[:, side], value):
                    facts.pieces[side].append(self._count_down(part, value, side))
                    return True
            return False
        return True

    def _follow(self, part: TermGroup, value: Ints, rows: Ints) -> tuple[Bits, int]:
        """Finds the bits of a counter that goes up with the moves of these rows, and the value that ends the game."""
        rows = _spread(rows)
        bits = {0: int(value[0])}
        while True:
            states = self._set(part, bits[len(bits) - 1], rows)
            over = self._simulator.terminal(states)
            if over.all():
                return bits, len(bits) - 1
            if over.any():
                raise NotRecognisedError(f"facts like {part.shape} end the game only sometimes")
            further = self._next(part, states, rows)
            if further in bits.values():
                raise NotRecognisedError(f"facts like {part.shape} never end the game")
            bits[len(bits)] = further

    def _count_down(self, part: TermGroup, value: Ints, side: int) -> Bits:
        """Finds the bits of the number of pieces of a side, which goes down with the captures of the other side."""
        rows = _spread(np.flatnonzero((self._board.victims == 1) & (self._board.turn != side)))
        start = int(self._pieces[0, side])
        bits = {start: int(value[0])}
        for number in range(start - 1, -1, -1):
            bits[number] = self._next(part, self._set(part, bits[number + 1], rows), rows)
        return bits

    def _set(self, part: TermGroup, bit: int, rows: Ints) -> States:
        """Returns the states of these rows with another bit of a group set."""
        states = self._samples.before[rows].copy()
        states[:, part.members] = False
        states[:, bit] = True
        return pack_bits(states)

    def _next(self, part: TermGroup, states: States, rows: Ints) -> int:
        """Returns the bit of a group that the moves of these rows lead to from these states."""
        after = unpack_bits(self._simulator.next(states, self._samples.joint[rows]), self._samples.before.shape[1])
        held = after[:, part.members]
        if (held.sum(axis=1) != 1).any() or (held != held[0]).any():
            raise NotRecognisedError(f"facts like {part.shape} do not follow from plies or pieces alone")
        return part.members[int(held[0].argmax())]


def _partitions(group: TermGroup) -> Iterator[list[TermGroup]]:
    """Yields a group as a whole, then divided by each of two arguments."""
    yield [group]
    if group.arity != 2:
        return
    for argument in (0, 1):
        parts = []
        for constant in sorted({args[argument] for args in group.arguments}):
            chosen = [i for i, args in enumerate(group.arguments) if args[argument] == constant]
            members = tuple(group.members[i] for i in chosen)
            parts.append(replace(group, arity=1, members=members, arguments=tuple(group.arguments[i] for i in chosen)))
        yield parts


def _is_function(cause: Ints, value: Ints) -> bool:
    """Says whether each cause has one value, and no two causes have the same."""
    pairs = set(zip(cause.tolist(), value.tolist(), strict=True))
    return len(pairs) == len({c for c, _ in pairs}) == len({v for _, v in pairs})


def _spread(rows: Ints) -> Ints:
    """Returns up to 48 of the rows, evenly spread; raises NotRecognisedError if there are none."""
    if not len(rows):
        raise NotRecognisedError("random games show too little of it")
    return rows[np.linspace(0, len(rows) - 1, min(_PROBES, len(rows))).astype(np.int64)]
