"""Finds which moves of a network are which moves of Tak, by playing both side by side.

Random games go by moves that are known. In each position the legal moves that are not known yet are made, in the
network and in the game core, and what follows is noted: whether the game is over, and which known replies are legal.
Over many positions a move of the network has the same notes as the move of Tak that it is, and as no other one. What is
found leads to further positions, with higher stacks, until all are known. Every other round begins where in the last
one moves were not known, or else where there were most moves.
"""

from __future__ import annotations

import time
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.games.tak.recognition.opening import Ints
from ludens.games.tak.rules.parameters import Kind, Placement, TakRules
from ludens.native.core import Simulator, States
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError

Words = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]

_SIDE_BY_SIDE = 256
_AT_ONCE = 512  # moves that are noted in one ply
_RICH = 1.5  # times as many legal moves as the others are many
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio, which mixes the bits of words
_GREED = 0.6  # at most, for moving many pieces together


def possible_moves(rules: TakRules) -> Ints:
    """Returns the numbers of the moves that games of this size can have, without waiting."""
    capstones = rules.reserve[1] > 0
    moves = [rules.move(number) for number in range(rules.move_count)]
    never = [move is None or (move == Placement(move.square, Kind.CAPSTONE) and not capstones) for move in moves]
    return np.flatnonzero(~np.array(never))


def count_possible_moves(rules: TakRules) -> int:
    """Returns how many `possible_moves` there are, without listing them."""
    kinds = 3 if rules.reserve[1] > 0 else 2
    reaches = [len(line) for lines in rules.lines for line in lines]
    ways = sum(
        comb(taken - 1, parts - 1)
        for far in reaches
        for taken in range(1, rules.size + 1)
        for parts in range(1, far + 1)
    )
    return kinds * rules.squares + ways


def most_dropped(rules: TakRules) -> Ints:
    """Returns how many pieces each move leaves on one square at most, 0 for placements and waiting: [moves]."""
    moves = (rules.move(number) for number in range(rules.move_count))
    return np.array([0 if move is None or isinstance(move, Placement) else max(move.drops) for move in moves])


class Start(NamedTuple):
    """Where games begin: S positions of the core, the same as states of the network, and the role to move."""

    positions: States
    states: States
    role: int = 0

    def rows(self, rows: Ints | Bools) -> Start:
        """Returns some of the positions."""
        return Start(self.positions[rows], self.states[rows], self.role)


def first_positions(network: Simulator, core: Simulator, count: int) -> Start:
    """Returns so many times the first position."""
    return Start(np.tile(core.game.initial, (count, 1)), np.tile(network.game.initial, (count, 1)))


class SideBySide:
    """Games of a network and of the core, played by the same moves: S positions in which the same role is to move."""

    def __init__(self, network: Simulator, core: Simulator, moves: Ints, start: Start) -> None:
        """Begins at some positions; `moves` are the network's moves of each role, as `read_opening` returns them."""
        self._network, self._core, self._moves = network, core, moves
        self.positions, self.states, self.role = start
        self.games = np.arange(len(self.positions))  # the number of each game that goes on

    @property
    def here(self) -> Start:
        """Where the games are."""
        return Start(self.positions, self.states, self.role)

    def keep(self, which: Bools) -> None:
        """Goes on with some of the games alone."""
        self.positions, self.states, self.games = self.positions[which], self.states[which], self.games[which]

    def legal(self) -> tuple[Bools, Bools]:
        """Returns the legal moves of the core [S, moves], and of the network, of the role to move.

        Raises NotRecognisedError if those that are known differ.
        """
        mine, theirs = self._core.legal(self.positions), self._network.legal(self.states)
        for role in (0, 1):
            known = np.flatnonzero(self._moves[role] >= 0)
            same(mine[role][:, known] == theirs[role][:, self._moves[role][known]], "legal moves")
            same(mine[role].sum(axis=1) == theirs[role].sum(axis=1), "numbers of legal moves")
        return mine[self.role], theirs[self.role]

    def play(self, rows: Ints, numbers: Ints) -> tuple[States, States]:
        """Returns the positions, and the network's states, after known moves of the core, in these rows."""
        return self.next_positions(rows, numbers), self.next_states(rows, self._moves[self.role][numbers])

    def next_positions(self, rows: Ints, numbers: Ints) -> States:
        """Returns the positions after moves of the core, in these rows."""
        waiting = self._moves.shape[1] - 1
        return self._core.next(self.positions[rows], self._joint(numbers, waiting))

    def next_states(self, rows: Ints, moves: Ints) -> States:
        """Returns the states after moves of the network, in these rows."""
        return self._network.next(self.states[rows], self._joint(moves, int(self._moves[1 - self.role, -1])))

    def go_on(self, positions: States, states: States) -> Bools:
        """Goes on where each game has come to; returns which of them, [S] before, are over.

        Raises NotRecognisedError if they are not over in both.
        """
        over = self._core.terminal(positions)
        same(over == self._network.terminal(states), "whether a game is over")
        self.positions, self.states, self.role = positions, states, 1 - self.role
        self.keep(~over)
        return over

    def _joint(self, moves: Ints, waiting: int) -> npt.NDArray[np.int32]:
        joint = np.full((len(moves), 2), waiting, np.int32)
        joint[:, self.role] = moves
        return joint


def same(equal: Bools, what: str) -> None:
    """Raises NotRecognisedError unless all is equal."""
    if not equal.all():
        rows = (~equal).reshape(len(equal), -1).any(axis=1).sum()
        raise NotRecognisedError(f"{what} differ in {rows} of {len(equal)} positions")


def choose(legal: Bools, dropped: Ints, greed: npt.NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Returns a legal move for each row [S, moves]; that pieces stay together counts by the greed of its game [S]."""
    weights = rng.random(legal.shape) + greed[:, None] * dropped
    chosen: Ints = np.where(legal, weights, -1).argmax(axis=1)
    return chosen


def match_moves(
    network: Simulator, core: Simulator, rules: TakRules, moves: Ints, wanted: Ints, plies: int, seed: int, until: float
) -> Ints:
    """Returns the network's number of moves, by role and number of the core, from those known: [2, moves].

    Plays games of so many plies, until both roles' moves of the `wanted` numbers are known. Raises NotRecognisedError
    if one has none, and UnprovenError where some have not been seen by a time (`time.monotonic`).
    """
    matcher = _Matcher(network, core, rules, moves.copy(), plies, seed)
    while unknown := int((matcher.moves[:, wanted] < 0).sum()):
        if time.monotonic() > until:
            raise UnprovenError(f"{unknown:,} moves could not be told apart in time")
        matcher.round()
    return matcher.moves


class _Matcher:
    """Moves of the network, of which more and more are known."""

    def __init__(
        self, network: Simulator, core: Simulator, rules: TakRules, moves: Ints, plies: int, seed: int
    ) -> None:
        self.moves, self._plies = moves, plies
        self._network, self._core = network, core
        self._dropped = most_dropped(rules)
        self._rng = np.random.default_rng(seed)
        self._unclear: list[Start] = []  # where moves were not known in the last round
        self._rich: list[Start] = []  # where there were most moves
        self._again = False  # whether the last round began in the midst of games

    def round(self) -> None:
        """Plays some games, and finds moves by what they do in them."""
        self._weights = self._rng.integers(0, 1 << 64, self.moves.shape, np.uint64)
        self._notes = np.zeros(self.moves.shape, np.uint64)
        self._network_notes = [np.zeros(count, np.uint64) for count in self._network.game.moves]
        pair = SideBySide(self._network, self._core, self.moves, self._start())
        greed = self._rng.random(_SIDE_BY_SIDE) * _GREED
        for _ in range(self._plies):
            if not len(pair.positions):
                break
            legal, network_legal = pair.legal()
            known = self.moves[pair.role] >= 0
            new = (legal & ~known).sum(axis=1)
            if new.any():
                noted = np.cumsum(new) <= _AT_ONCE
                self._make(pair, legal & ~known & noted[:, None], network_legal & noted[:, None])
            choices = legal.sum(axis=1)
            self._unclear.append(pair.here.rows(new > 0))
            self._rich.append(pair.here.rows(choices > _RICH * choices.mean()))
            legal &= known
            chosen, going = choose(legal, self._dropped, greed[pair.games], self._rng), np.asarray(legal.any(axis=1))
            pair.keep(going)
            pair.go_on(*pair.play(np.arange(going.sum()), chosen[going]))
        for role in (0, 1):
            self._match(role)

    def _make(self, pair: SideBySide, new: Bools, legal: Bools) -> None:
        """Notes what new moves of the core do, and what those do that are not known of legal moves of the network."""
        role, other = pair.role, 1 - pair.role
        mark = self._rng.integers(0, 1 << 64, len(new), np.uint64)
        rows, numbers = new.nonzero()
        after = pair.next_positions(rows, numbers)
        note = self._note(mark[rows], self._core.terminal(after), self._core.legal(after)[other], other)
        np.add.at(self._notes[role], numbers, note)
        rows, moves = (legal & ~np.isin(np.arange(legal.shape[1]), self.moves[role])).nonzero()
        after = pair.next_states(rows, moves)
        replies = self._network.legal(after)[other][:, self.moves[other]]
        np.add.at(
            self._network_notes[role], moves, self._note(mark[rows], self._network.terminal(after), replies, other)
        )

    def _note(self, mark: Words, over: Bools, replies: Bools, role: int) -> Words:
        """Returns a word for what follows from moves in positions that have a mark: the end, and known replies."""
        going = (replies & (self.moves[role] >= 0) & ~over[:, None]).astype(np.uint64)
        note = (going @ self._weights[role] + over) ^ mark
        note *= _MULTIPLIER
        return np.asarray(note ^ note >> np.uint64(29))

    def _match(self, role: int) -> None:
        """Takes over which moves have the same notes, and no other ones have them."""
        mine, theirs = self._notes[role], self._network_notes[role]
        notes, counts = np.unique(mine[mine != 0], return_counts=True)
        network_notes, network_counts = np.unique(theirs[theirs != 0], return_counts=True)
        if not np.array_equal(notes, network_notes) or not np.array_equal(counts, network_counts):
            raise NotRecognisedError("some moves do not do what moves of Tak do")
        for note in notes[counts == 1]:
            self.moves[role, np.flatnonzero(mine == note)] = np.flatnonzero(theirs == note)

    def _start(self) -> Start:
        """Returns where a round begins: at the first position, or in the midst of the games of the last round."""
        before = [start for start in self._unclear if len(start.positions)] or self._rich
        self._unclear, self._rich = [], []
        self._again = not self._again and bool(before)
        if not self._again:
            return first_positions(self._network, self._core, _SIDE_BY_SIDE)
        role = int(self._rng.choice([start.role for start in before]))
        positions = np.concatenate([start.positions for start in before if start.role == role])
        states = np.concatenate([start.states for start in before if start.role == role])
        return Start(positions, states, role).rows(self._rng.integers(0, len(positions), _SIDE_BY_SIDE))
