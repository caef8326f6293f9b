"""Tak on the native core: the game, and positions as its states.

>>> game = native_game(TakRules(5))
>>> Simulator(game).playouts(1_000)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludens.games.tak.rules.parameters import Kind, TakRules
from ludens.games.tak.rules.reference import EMPTY, Position, Stack
from ludens.native.core import Game, States, tak_perft

_WORD = (1 << 64) - 1
_FIRST_STACK = 5  # word of a state
_RESERVES_AT = (16, 32)  # bits of the word before it, by player


def native_game(rules: TakRules) -> Game:
    """Makes the game."""
    return Game.from_tak(rules.size, rules.half_komi, rules.ply_limit)


def pack(position: Position) -> States:
    """Returns a position as a native state, uint64[state_words]; see native/src/tak/game.hpp."""
    board = position.board
    words = [
        _squares(position, lambda stack: stack.controller == 0),
        _squares(position, lambda stack: stack.controller == 1),
        _squares(position, lambda stack: stack.top == Kind.WALL),
        _squares(position, lambda stack: stack.top == Kind.CAPSTONE),
        position.ply | sum((f | c << 8) << at for (f, c), at in zip(position.reserves, _RESERVES_AT, strict=True)),
    ]
    for stack in board:
        pieces = sum(owner << i for i, owner in enumerate(reversed(stack.owners))) | 1 << stack.height
        words += [pieces & _WORD, pieces >> 64][: _words_a_stack(position.rules)]
    return np.array(words, np.uint64)


def unpack(rules: TakRules, state: States) -> Position:
    """Returns a native state, uint64[state_words], as a position."""
    words = [int(word) for word in state]
    walls, capstones, rest = words[2:_FIRST_STACK]
    per_stack = _words_a_stack(rules)
    stacks = []
    for square in range(rules.squares):
        at = _FIRST_STACK + square * per_stack
        pieces = sum(word << 64 * i for i, word in enumerate(words[at : at + per_stack]))
        height = pieces.bit_length() - 1
        owners = tuple(pieces >> i & 1 for i in reversed(range(height)))
        kind = Kind.WALL if walls >> square & 1 else Kind.CAPSTONE if capstones >> square & 1 else Kind.FLAT
        stacks.append(Stack(owners, kind) if height else EMPTY)
    first, other = ((rest >> at & 0xFF, rest >> at + 8 & 0xFF) for at in _RESERVES_AT)
    return Position(rules, tuple(stacks), (first, other), rest & 0xFFFF)


def perft(position: Position, depth: int, *, count_ended: bool, instruction_set: str | None = None) -> int:
    """Returns what `reference.perft` does. Raises NativeError for negative depths."""
    game = native_game(position.rules)
    return tak_perft(game, pack(position), depth, count_ended=count_ended, instruction_set=instruction_set)


def _words_a_stack(rules: TakRules) -> int:
    return 1 if rules.size <= 6 else 2


def _squares(position: Position, holds: Callable[[Stack], bool]) -> int:
    return sum(1 << square for square, stack in enumerate(position.board) if holds(stack))
