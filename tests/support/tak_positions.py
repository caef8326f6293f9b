"""Positions of Tak drawn by lot, in many of which who is to move has a forced win by a road."""

from __future__ import annotations

import random

from ludens.games.tak.rules.parameters import Kind, TakRules
from ludens.games.tak.rules.reference import EMPTY, Position, Stack, outcome
from scripts.common.tinue_rules import wins_by_threats


def random_position(rules: TakRules, rng: random.Random, filled: float = 0.4) -> Position:
    """Returns a position of stacks drawn by lot in which who is to move has more of them, and seldom wins at once."""
    while True:
        turn = rng.randrange(2)
        board = tuple(
            _random_stack(turn, rng, rules.reserve[1]) if rng.random() < filled else EMPTY for _ in range(rules.squares)
        )
        first, other = (_left(rules, board, player) for player in (0, 1))
        if min(first + other) < 0:
            continue
        position = Position(rules, board, (first, other), 20 + turn)
        if outcome(position) is None and (rng.random() < 0.1 or not wins_by_threats(position, 1)):
            return position


def _random_stack(turn: int, rng: random.Random, capstones: int) -> Stack:
    top = turn if rng.random() < 0.65 else 1 - turn
    below = tuple(rng.randrange(2) for _ in range(rng.choice((0, 0, 0, 1, 2))))
    chance = rng.random()
    kind = Kind.WALL if chance < 0.1 else Kind.CAPSTONE if chance < 0.15 and capstones else Kind.FLAT
    return Stack((*below, top), kind)


def _left(rules: TakRules, board: tuple[Stack, ...], player: int) -> tuple[int, int]:
    """Returns what is left of a player's flats and capstones."""
    capstones = sum(stack.controller == player and stack.top == Kind.CAPSTONE for stack in board)
    pieces = sum(stack.owners.count(player) for stack in board)
    return rules.reserve[0] - pieces + capstones, rules.reserve[1] - capstones
