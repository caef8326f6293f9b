"""Positions of a draughts sheet solved by brute force: its network's states, valued from the ends backwards.

Shares nothing with endgame tables; it knows only how `english_draughts` writes a board down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from games.checkers.family import DOWN, UP
from games.checkers.reference import Position
from native.core import Game, JointMoves, Simulator, States, pack_bits, unpack_bits
from propnet.loader import load
from propnet.network import Propnet

_ROLES = {UP: "black", DOWN: "white"}


class SolvedSheet:
    """All states that can be reached from `starts`, at every count of idle plies."""

    def __init__(self, text: str, starts: Iterable[Position]) -> None:
        """Solves the sheet `text`, a variant of the built-in `english_draughts`, from these positions on."""
        self._net: Propnet = load(text)
        self._simulator = Simulator(Game.from_propnet(self._net))
        self._names = {name: i for i, name in enumerate(self._net.propositions)}
        self._explore(pack_bits(np.array([self._bits(p) for p in set(starts)])))
        self._solve()

    @cached_property
    def positions(self) -> list[tuple[Position, int]]:
        """Every state with pieces of both sides and outside a chain of captures, with its value: 1, 0 or -1.

        The value is that for the side to move.
        """
        return list(self._read())

    def _read(self) -> Iterator[tuple[Position, int]]:
        bits = unpack_bits(self._states, self._net.state_bits)
        names = list(self._names)
        for row, value in zip(bits, self._values, strict=True):
            facts = [names[i].strip("()").split() for i in np.flatnonzero(row)]
            if not any(fact[0] == "chain" for fact in facts):
                position = _position(facts)
                if position.up and position.down:
                    yield position, int(value if position.turn == UP else -value)

    def _bits(self, p: Position) -> npt.NDArray[np.bool_]:
        facts = [f"(idle {p.idle})", f"(control {_ROLES[p.turn]})"]
        for side, mask in ((UP, p.up), (DOWN, p.down)):
            for square in range(32):
                if mask >> square & 1:
                    kind = "king" if p.kings >> square & 1 else "man"
                    rank, place = divmod(square, 4)
                    facts.append(f"(cell {2 * place + rank % 2 + 1} {rank + 1} {_ROLES[side]}_{kind})")
        bits = np.zeros(self._net.state_bits, np.bool_)
        bits[[self._names[fact] for fact in facts]] = True
        return bits

    def _explore(self, states: States) -> None:
        """Finds all states, and the moves between them as pairs (parent, child) of their numbers."""
        numbers = {row.tobytes(): i for i, row in enumerate(states)}
        known, edges, outcomes = [states], [], []
        while len(states):
            first = len(numbers) - len(states)
            over = self._simulator.terminal(states)
            outcomes.append(np.where(over, np.sign(self._simulator.goals(states)[:, 0] - 50), 2))
            parents, moves = self._joint_moves(self._simulator.legal(states), over)
            children = self._simulator.next(states[parents], moves)
            fresh: list[States] = []
            targets = np.empty(len(children), np.int64)
            for i, child in enumerate(children):
                number = numbers.setdefault(child.tobytes(), len(numbers))
                targets[i] = number
                if number >= first + len(states) + len(fresh):
                    fresh.append(child)
            edges.append(np.stack([parents + first, targets], 1))
            states = np.array(fresh, np.uint64).reshape(-1, states.shape[1])
            known.append(states)
        self._states = np.concatenate(known)
        self._edges = np.concatenate(edges)
        self._outcomes = np.concatenate(outcomes)  # 1, 0, -1 for UP where the game is over, else 2

    def _joint_moves(
        self, legal: Sequence[npt.NDArray[np.bool_]], over: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], JointMoves]:
        """The states and joint moves of all that can be done in them; one role of the two has one move."""
        sides = [side & ~over[:, None] for side in legal]
        parents, moves = [], []
        for chooser in (0, 1):
            rows, choice = np.nonzero(sides[chooser])
            alone = sides[1 - chooser].sum(1)
            free = sides[chooser].sum(1)
            assert np.all((alone == 1) | (free == 1) | over)
            chosen = (alone[rows] == 1) & ((free[rows] > 1) | (chooser == 0))
            joint = np.empty((chosen.sum(), 2), np.int32)
            joint[:, chooser] = choice[chosen]
            joint[:, 1 - chooser] = sides[1 - chooser][rows[chosen]].argmax(1)
            parents.append(rows[chosen])
            moves.append(joint)
        return np.concatenate(parents), np.concatenate(moves)

    def _solve(self) -> None:
        """Values for UP. No state comes twice in a game, so repeating the rule ends with the only solution."""
        order = np.argsort(self._edges[:, 0], kind="stable")
        parents, children = self._edges[order].T
        inner, begins = np.unique(parents, return_index=True)
        control = unpack_bits(self._states[inner], self._net.state_bits)[:, self._names["(control black)"]]
        values = np.where(self._outcomes == 2, 0, self._outcomes).astype(np.int8)
        while True:
            of_children = values[children]
            highest, lowest = np.maximum.reduceat(of_children, begins), np.minimum.reduceat(of_children, begins)
            renewed = np.where(control, highest, lowest)
            if np.array_equal(values[inner], renewed):
                break
            values[inner] = renewed
        self._values = values


def _position(facts: list[list[str]]) -> Position:
    masks = {"black": 0, "white": 0, "king": 0}
    turn = idle = 0
    for name, *arguments in facts:
        if name == "cell":
            rank, file = int(arguments[1]) - 1, int(arguments[0]) - 1
            owner, _, kind = arguments[2].partition("_")
            square = 1 << rank * 4 + file // 2
            masks[owner] |= square
            masks["king"] |= square if kind == "king" else 0
        elif name == "control":
            turn = UP if arguments[0] == "black" else DOWN
        elif name == "idle":
            idle = int(arguments[0])
    return Position(masks["black"], masks["white"], masks["king"], turn, idle=idle)
