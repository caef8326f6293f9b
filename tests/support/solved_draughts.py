"""Positions of a draughts sheet solved by brute force: its network's states, as `english_draughts` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.rules.parameters import DOWN, UP
from ludens.games.checkers.rules.reference import Position
from ludens.native.core import pack_bits, unpack_bits
from ludens.propnet.compile.loader import load
from tests.support.solved_game import SolvedGame

_ROLES = {UP: "black", DOWN: "white"}


def solve(text: str, starts: Iterable[Position]) -> list[tuple[Position, int]]:
    """All that follows from `starts` by a variant of the built-in sheet, with values for the side to move: ±1, 0.

    Without states in the midst of a chain of captures, or in which a side has no piece left.
    """
    net = load(text)
    names = {name: i for i, name in enumerate(net.propositions)}
    solved = SolvedGame(net, pack_bits(np.array([_bits(p, names) for p in set(starts)])))
    return list(_read(solved, net.propositions))


def _read(solved: SolvedGame, names: tuple[str, ...]) -> Iterator[tuple[Position, int]]:
    bits = unpack_bits(solved.states, len(names))
    for row, goal in zip(bits, solved.values, strict=True):
        facts = [names[i].strip("()").split() for i in np.flatnonzero(row)]
        if any(fact[0] == "chain" for fact in facts):
            continue
        position = _position(facts)
        if position.up and position.down:
            value = int(np.sign(goal - 50))
            yield position, value if position.turn == UP else -value


def _bits(p: Position, names: dict[str, int]) -> npt.NDArray[np.bool_]:
    facts = [f"(idle {p.idle})", f"(control {_ROLES[p.turn]})"]
    for side, mask in ((UP, p.up), (DOWN, p.down)):
        for square in range(32):
            if mask >> square & 1:
                kind = "king" if p.kings >> square & 1 else "man"
                rank, place = divmod(square, 4)
                facts.append(f"(cell {2 * place + rank % 2 + 1} {rank + 1} {_ROLES[side]}_{kind})")
    bits = np.zeros(len(names), np.bool_)
    bits[[names[fact] for fact in facts]] = True
    return bits


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
