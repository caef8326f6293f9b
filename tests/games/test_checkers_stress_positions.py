"""Positions made for a proof by play: they are positions, and show what they were made for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.recognition.board import KING
from ludens.games.checkers.recognition.stress_positions import positions_for, possible_moves, stuck_positions
from ludens.games.checkers.rules.parameters import DOWN, UP, CheckersRules, Forcing, Jumps, MoveTable
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Reference

OPTIONAL = CheckersRules(forcing=Forcing.NONE, jumps=Jumps.UP_TO_THREE, stuck_goals=None, step_limit=101)
GAMES = {
    "up to three jumps": OPTIONAL,
    "six files": replace(OPTIONAL, width=6),
    "cylinder": replace(OPTIONAL, wrap_files=True),
    "torus without kings": CheckersRules(jumps=Jumps.ONE, wrap_files=True, wrap_ranks=True, kings=False),
    "one jump a ply": CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40),
}


def _assert_proper(rules: CheckersRules, positions: Positions) -> None:
    for row in range(len(positions)):
        p = positions.one(row)
        board = (1 << rules.squares) - 1
        assert not p.up & p.down
        assert not (p.up | p.down) & ~board
        assert not p.kings & ~(p.up | p.down)
        for side, pieces in ((UP, p.up), (DOWN, p.down)):
            assert 1 <= pieces.bit_count() <= rules.initial[side].bit_count()
            crown = ((1 << rules.row) - 1) << rules.row * rules.crown_row(side)
            assert not rules.kings or not pieces & crown & ~p.kings


@pytest.mark.parametrize("name", GAMES)
def test_every_way_a_piece_can_go_is_possible_once(name: str) -> None:
    rules = GAMES[name]
    table = MoveTable(rules)
    moves = possible_moves(rules, table)
    positions = positions_for(rules, table, moves, np.random.default_rng(4))
    _assert_proper(rules, positions)
    book = Reference(rules)
    for row in range(0, len(moves), 3):
        number, side, kind = moves[row].tolist()
        position, path = positions.one(row), table.paths[number]
        assert path is not None
        assert position.turn == side
        assert bool(position.kings >> path[0] & 1) == (kind == KING)
        legal = book.legal(position, side)
        steps_only = rules.forcing is not Forcing.NONE and not any(
            table.numbers[each] >= table.first_jump for each in legal
        )
        if rules.forcing is Forcing.NONE or number >= table.first_jump or steps_only:
            assert path in legal


def test_all_moves_of_random_games_are_among_the_possible_ones() -> None:
    table = MoveTable(OPTIONAL)
    listed = set(map(tuple, possible_moves(OPTIONAL, table).tolist()))
    core, rng = NativeCore(OPTIONAL, seed=8), np.random.default_rng(0)
    positions, seen = core.initial(32), set()
    while len(positions := positions[~core.terminal(positions)]):
        legal = core.legal(positions)
        for row, number in zip(*map(np.ndarray.tolist, np.nonzero(legal)), strict=True):
            path = table.paths[number]
            assert path
            seen.add((number, int(positions.turn[row]), int(positions.kings[row]) >> path[0] & 1))
        positions = core.next(positions, np.array([rng.choice(np.flatnonzero(row)) for row in legal]))
    assert len(seen) > 300
    assert seen <= listed


@pytest.mark.parametrize("name", ["up to three jumps", "one jump a ply"])
def test_who_is_stuck_by_the_book_is_found_among_random_boards(name: str) -> None:
    rules = GAMES[name]
    stuck = stuck_positions(rules, NativeCore(rules), 4_000, np.random.default_rng(3))
    assert len(stuck) > 10
    _assert_proper(rules, stuck)
    book = Reference(rules)
    for row in range(len(stuck)):
        assert not book.legal(stuck.one(row), stuck.one(row).turn)


@pytest.mark.parametrize(
    ("name", "counter", "limit"), [("up to three jumps", "step", 101), ("one jump a ply", "idle", 40)]
)
def test_who_is_stuck_is_so_at_the_limit_and_before(name: str, counter: str, limit: int) -> None:
    rules = GAMES[name]
    stuck = stuck_positions(rules, NativeCore(rules), 16_000, np.random.default_rng(3))
    counts = getattr(stuck, counter)
    assert 0.3 < (counts == limit).mean() < 0.7
    assert len(set(counts.tolist())) > 10
