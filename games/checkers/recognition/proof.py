"""Proves a recognition by play: a network and a game core must agree in everything.

First come thousands of positions such as random games hardly reach (`stress_positions`): few pieces, many kings,
counters near their limits, every move that a piece can make and the chains that follow, sides that are stuck. Legal
moves, end, goals and the next state must be equal in all of them, and for a few plies on. Then whole games are played
from the first state, hundreds at once, and compared likewise at every move. Moves are random; in every other game
the longest captures come first, since random ones seldom are long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.recognition.encoding import Encoding
from ludens.games.checkers.recognition.stress_positions import positions_for, possible_moves, stuck_positions
from ludens.games.checkers.rules.parameters import DOWN, UP
from ludens.games.checkers.rules.positions import Bools, Ints, Positions, random_positions
from ludens.native.core import Simulator, States, pack_bits, unpack_bits
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.network.propnet import Propnet

_SIDE_BY_SIDE = 512
_MADE_UP_SIDE_BY_SIDE = 2048
_PLIES = 6  # that made-up positions are followed for


@dataclass(frozen=True, slots=True)
class Proof:
    """What was compared, without a difference."""

    positions: int  # made up
    games: int  # whole random games
    plies: int  # in them
    seconds: float


class Prover:
    """Compares one network with one game core."""

    def __init__(self, net: Propnet, encoding: Encoding, simulator: Simulator, core: NativeCore, seed: int) -> None:
        """Takes a network with its simulator, and the core that is to be the same game."""
        self._net, self._encoding, self._simulator, self._core = net, encoding, simulator, core
        self._rng = np.random.default_rng(seed)
        table = encoding.moves.table
        jumps = [len(ways) if n >= table.first_jump else 0 for n, ways in enumerate(table.ways)]
        self._jumps = np.array(jumps)
        self._paths = np.array([n for n, path in enumerate(table.paths) if path is not None])

    def prove(self, positions: int, games: int, seconds: float) -> Proof:
        """Compares so many games, or as many as the time allows; raises NotRecognisedError at a difference."""
        begun = now()
        count = sum(self._follow(*made_up) for made_up in self._made_up(positions))
        over, plies = 0, 0
        while over < games and now() - begun < seconds:
            finished, made = self._play(min(_SIDE_BY_SIDE, games - over), begun + seconds)
            over, plies = over + finished, plies + made
        return Proof(count, over, plies, now() - begun)

    def _made_up(self, count: int) -> Iterator[tuple[Positions, Ints]]:
        """Yields about 3 × `count` positions, and moves to make there if they are legal."""
        rules, table = self._encoding.rules, self._encoding.moves.table
        yield random_positions(rules, count, self._rng), np.full(count, -1)
        moves = possible_moves(rules, table)
        moves = np.tile(moves, (-(-count // len(moves)), 1))
        yield positions_for(rules, table, moves, self._rng), moves[:, 0]
        stuck = stuck_positions(rules, self._core, 8 * count, self._rng)[:count]
        yield stuck, np.full(len(stuck), -1)

    def _follow(self, made_up: Positions, wanted: Ints) -> int:
        """Compares positions and a few plies that follow; returns how many positions were given."""
        for start in range(0, len(made_up), _MADE_UP_SIDE_BY_SIDE):
            rows = slice(start, start + _MADE_UP_SIDE_BY_SIDE)
            positions, move = made_up[rows], wanted[rows]
            last, capture = 1 - positions.turn, np.full(len(positions), -1)
            for _ in range(_PLIES):
                if len(positions):
                    positions, last, capture = self._round(positions, last, capture, move)
                move = np.full(len(positions), -1)
        return len(made_up)

    def _play(self, count: int, until: float) -> tuple[int, int]:
        """Compares whole games from the first state; returns how many ended in time, and the moves made."""
        positions, plies = self._core.initial(count), 0
        last, capture = np.full(count, self._first_last()), np.full(count, -1)
        while len(positions) and now() < until:
            wanted = np.full(len(positions), -1)
            positions, last, capture = self._round(positions, last, capture, wanted)
            plies += len(positions)
        return count - len(positions), plies

    def _first_last(self) -> int:
        """Returns the side that the sheet says has moved before the first move."""
        for side in (UP, DOWN):
            first = self._encoding.encode(self._core.initial(1), np.array([side]), np.array([-1]))[0]
            if (first == self._net.initial).all():
                return side
        raise NotRecognisedError("the first state is not one of checkers")

    def _round(self, positions: Positions, last: Ints, capture: Ints, wanted: Ints) -> tuple[Positions, Ints, Ints]:
        """Compares positions, makes a move in those that are not over, and compares where they lead.

        The move is that of `wanted` [n] where it is legal, else one at random.
        """
        states = pack_bits(self._encoding.encode(positions, last, capture))
        over = self._core.terminal(positions)
        self._same(over == self._simulator.terminal(states), "whether a game is over")
        goals = self._simulator.goals(states)[:, [self._encoding.rules.role(side) for side in (UP, DOWN)]]
        self._same(self._core.goals(positions) == goals, "goals")
        positions, states, going = positions[~over], states[~over], ~over
        if not going.any():
            return positions, last[going], capture[going]
        rows, numbers = self._legal(positions)
        self._compare_legal(positions, states, rows, numbers)
        chosen = self._choose(len(positions), rows, numbers, wanted[going])
        after = self._core.next(positions, chosen)
        joint = self._encoding.joint(positions, chosen)
        capture = self._encoding.captures(positions, chosen)
        expected = self._encoding.encode(after, positions.turn, capture)
        found = unpack_bits(self._simulator.next(states, joint), self._encoding.state_bits)
        self._same(expected == found, "the next state", self._net.propositions)
        return after, positions.turn, capture

    def _legal(self, positions: Positions) -> tuple[Ints, Ints]:
        """Returns the legal moves of the core as pairs of row and number, row by row."""
        legal = self._core.legal(positions)
        rows, columns = np.nonzero(legal[:, self._paths])
        if np.count_nonzero(legal) != len(rows):
            raise NotRecognisedError("some moves of the recognised rules leave the board")
        return rows, self._paths[columns]

    def _compare_legal(self, positions: Positions, states: States, rows: Ints, numbers: Ints) -> None:
        moves = self._encoding.network_moves(positions[rows], numbers)
        if (moves < 0).any():
            raise NotRecognisedError("a legal move of checkers is missing in these rules")
        mover = positions.turn ^ self._encoding.rules.first_role
        for role, found in enumerate(self._simulator.legal(states)):
            expected = np.zeros_like(found)
            mine = mover[rows] == role
            expected[rows[mine], moves[mine]] = True
            expected[mover != role, self._encoding.waiting[role]] = True
            self._same(expected == found, "legal moves", self._net.moves[role])

    def _choose(self, count: int, rows: Ints, numbers: Ints, wanted: Ints) -> Ints:
        """Chooses a legal move for each of `count` rows: the wanted one, in odd rows one of the longest, else any."""
        if len(np.unique(rows)) < count:
            raise NotRecognisedError("a position has no legal move although the game is not over")
        weights = self._rng.random(len(rows)) + rows % 2 * self._jumps[numbers]
        weights[numbers == wanted[rows]] = np.inf
        chosen: Ints = numbers[np.lexsort((weights, rows))][np.searchsorted(rows, np.arange(1, count + 1)) - 1]
        return chosen

    def _same(self, equal: Bools, what: str, names: tuple[str, ...] = ()) -> None:
        if equal.all():
            return
        example = f", such as {names[int(np.argwhere(~equal)[0, 1])]}," if names else ""
        rows = (~equal).reshape(len(equal), -1).any(axis=1).sum()
        raise NotRecognisedError(f"{what}{example} differ in {rows} of {len(equal)} positions")
