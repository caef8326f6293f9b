"""The checkers kernels: the reference's moves, published counts, fair games, and the same on every device."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ludens.games import read
from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.kernels.playouts import CheckersPlayouts
from ludens.games.checkers.rules.parameters import CheckersRules, Forcing, Jumps, even_goals
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from tests.games.test_checkers_reference import FLAT_TURNS, LONGEST, OPTIONAL, PERFT
from tests.support.cuda_child import SIMULATED, run

pytest.importorskip("numba")

from ludens.games.checkers.kernels import playout_kernels as kernels

FAMILY = {name: rules for name, rules, _ in PERFT} | {
    "torus, one jump": CheckersRules(
        jumps=Jumps.ONE, wrap_files=True, wrap_ranks=True, stuck_either=True, step_limit=100, start=None
    ),
    "no kings": CheckersRules(jumps=Jumps.ONE, kings=False, wrap_ranks=True, step_limit=30, stuck_goals=None),
    "suicide": replace(LONGEST, wrap_files=True, step_limit=50),
    "counted": replace(OPTIONAL, step_limit=40, idle_limit=12),
}


FIRST = Reference(FLAT_TURNS).initial()
START = Positions.of([FIRST])


def plainly(rules: CheckersRules) -> Any:
    """The kernels' functions as plain Python."""
    return kernels.functions(rules, lambda function: function, lambda word: int(word).bit_count())


@cache
def compiled() -> CheckersPlayouts:
    return CheckersPlayouts(FLAT_TURNS, gpu=False)


def packed(position: Position) -> np.ndarray:
    chain = 0 if position.chain is None else 1 << position.chain
    words = (position.up, position.down, position.kings, position.turn, chain, position.step, position.idle)
    return np.array(words, np.uint32)


def successors(functions: Any, game: np.ndarray) -> Iterator[tuple[int, ...]]:
    moves, fewest, most = functions.count(game)
    for n in range(moves):
        child = game.copy()
        functions.move(child, n, fewest, most)
        yield tuple(child.tolist())


def whole(functions: Any, game: np.ndarray, chained: bool) -> list[tuple[int, ...]]:
    """Successors; with `chained`, a chain is followed to its end."""
    children = list(successors(functions, game))
    if not chained:
        return children
    return [
        end
        for child in children
        for end in (whole(functions, np.array(child, np.uint32), True) if child[kernels.CHAIN] else [child])
    ]


def random_positions(rules: CheckersRules, seed: int, count: int) -> Iterator[Position]:
    """Positions met in random games, and some set up with kings anywhere."""
    reference, rng = Reference(rules), random.Random(seed)
    position = reference.initial()
    for n in range(count):
        yield position
        if reference.terminal(position) or n % 50 == 49:
            squares = rng.sample(range(rules.squares), 10)
            up, down = (sum(1 << square for square in half) for half in (squares[:5], squares[5:]))
            kings = (up | down) & rng.getrandbits(32) if rules.kings else 0
            position = Position(up, down, kings, turn=rng.randrange(2))
        else:
            position = reference.next(position, rng.choice(reference.legal(position, position.turn)))


@pytest.mark.parametrize("name", FAMILY)
def test_the_moves_are_those_of_the_reference(name: str) -> None:
    rules = FAMILY[name]
    reference, functions = Reference(rules), plainly(rules)
    for position in random_positions(rules, seed=4, count=150):
        game = packed(position)
        expected = [
            tuple(packed(reference.next(position, path)).tolist()) for path in reference.legal(position, position.turn)
        ]
        assert Counter(whole(functions, game, rules.jumps is Jumps.WHOLE)) == Counter(expected)
        moves, _, _ = functions.count(game)
        assert bool(functions.over(game, moves)) == reference.terminal(position)


@pytest.mark.parametrize("name", [name for name, rules in FAMILY.items() if rules.jumps is not Jumps.WHOLE])
def test_the_moves_are_those_of_the_native_generator(name: str) -> None:
    rules = FAMILY[name]
    functions, native = plainly(rules), NativeCore(rules)
    positions = list(random_positions(rules, seed=5, count=200))
    over = native.terminal(Positions.of(positions))
    for position, ended, legal in zip(positions, over, native.legal(Positions.of(positions)), strict=True):
        game = packed(position)
        moves, _, _ = functions.count(game)
        assert bool(functions.over(game, moves)) == ended
        if ended:
            continue
        assert moves == legal.sum()
        after = native.next(Positions.of([position] * moves), np.flatnonzero(legal))
        expected = [tuple(packed(after.one(row)).tolist()) for row in range(moves)]
        assert Counter(successors(functions, game)) == Counter(expected)


def perft(functions: Any, game: np.ndarray, depth: int) -> int:
    """Leaves after so many turns; jumps of one chain are one turn."""
    if depth == 0:
        return 1
    moves, fewest, most = functions.count(game)
    if depth == 1 and not fewest:
        return int(moves)
    leaves = 0
    for n in range(moves):
        child = game.copy()
        functions.move(child, n, fewest, most)
        leaves += perft(functions, child, depth if child[kernels.CHAIN] else depth - 1)
    return leaves


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate([7, 49, 302, 1469, 7361, 36768], 1)))
def test_perft_through_the_compiled_functions(depth: int, leaves: int) -> None:
    functions, _ = kernels.for_processor(FLAT_TURNS)
    assert perft(functions, packed(FIRST), depth) == leaves


def test_random_games_come_out_as_those_of_the_network() -> None:
    games = 40_000
    mine = compiled().play(START, games, seed=1)
    network = Simulator(Game.from_propnet(load(read("english_draughts"))), seed=1).playouts(500_000)
    error = 5 * network.goal_deviations / games**0.5
    assert np.abs(mine.goals[0] - network.goal_means).max() < error.max()
    assert mine.moves / games == pytest.approx(network.mean_length, abs=0.6)
    assert mine.cut == 0


def test_every_position_is_played_from_and_counted_by_itself() -> None:
    lost = Position(up=0, down=1 << 20, kings=0)
    results = compiled().play(Positions.of([lost, FIRST, replace(lost, turn=1)]), 50, seed=2)
    assert results.goals[0].tolist() == [0, 100]
    assert 0 < results.goals[1, 0] < 100
    assert results.goals[2].tolist() == [0, 100]
    assert np.allclose(results.goals.sum(axis=1), 100)


def test_positions_have_as_many_games_as_is_said_of_each() -> None:
    lost = Position(up=0, down=1 << 20, kings=0)
    several = Positions.of([FIRST, lost, lost, FIRST])
    results = compiled().play(several, np.array([200, 0, 3, 1]), seed=2)
    assert np.isnan(results.goals[1]).all()
    assert results.goals[2].tolist() == [0, 100]
    assert results.goals[3, 0] in (0, 50, 100)
    alone = compiled().play(several, np.array([200, 0, 0, 0]), seed=2)
    assert results.goals[0].tolist() == alone.goals[0].tolist()


def test_what_is_played_depends_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiled().play(START, 300, seed=3)
    monkeypatch.setattr("ludens.games.checkers.kernels.playouts._cores", lambda: 3)
    again, other = compiled().play(START, 300, seed=3), compiled().play(START, 300, seed=4)
    assert (first.goals.tolist(), first.moves) == (again.goals.tolist(), again.moves)
    assert first.moves != other.moves


def test_games_are_cut_at_their_longest_with_the_goals_of_the_board() -> None:
    results = compiled().play(START, 40, max_steps=5)
    assert (results.cut, results.moves) == (40, 200)
    assert results.goals.tolist() == [[50, 50]]


def test_the_device_plays_the_same_games_in_bounded_launches() -> None:
    jobs = [{"method": "checkers", "games": games, "seed": 9, "max_steps": 60} for games in (6, [4, 3])]
    for got, job in zip(run(jobs, SIMULATED), jobs, strict=True):
        games = np.broadcast_to(np.array(job["games"]), 2)
        expected = compiled().play(Positions.of([FIRST, replace(FIRST, turn=1)]), games, seed=9, max_steps=60)
        assert got == [expected.goals.tolist(), expected.moves, expected.cut]


def test_what_cannot_be_played_is_refused() -> None:
    for positions, games in (([], 5), ([FIRST], 0), ([FIRST, FIRST], np.array([2, -1]))):
        with pytest.raises(LudensError, match="at least one"):
            compiled().play(Positions.of(positions), games)
    with pytest.raises(LudensError, match="more than 12 pieces"):
        compiled().play(Positions.of([replace(FIRST, up=0xFFFFF)]), 5)


def test_both_sides_goals_are_read_from_the_table_of_pieces() -> None:
    table = even_goals(0)
    mine = tuple(tuple((up, down) for down, _ in enumerate(row)) for up, row in enumerate(table))
    rules = CheckersRules(jumps=Jumps.ONE, forcing=Forcing.NONE, goals=mine, stuck_goals=None, step_limit=1)
    functions = plainly(rules)
    threads = kernels.Threads(
        starts=packed(Position(0b111, 0b11 << 20, 0, step=1))[None],
        positions=np.zeros(1, np.int64),
        nexts=np.zeros(1, np.int64),
        lasts=np.ones(1, np.int64),
        seeds=np.zeros(1, np.uint64),
        games=np.zeros((7, 1), np.uint32),
        random=np.zeros((4, 1), np.uint32),
        ages=np.full(1, -1),
        totals=np.zeros((4, 1), np.int64),
        goals=np.array(mine),
        unfinished=np.zeros(1, np.int64),
    )
    with np.errstate(over="ignore"):
        left = functions.play(threads, 0, np.zeros(7, np.uint32), np.zeros(4, np.uint32), 5, 100)
    assert not left
    assert threads.totals[:, 0].tolist() == [3, 2, 0, 0]
