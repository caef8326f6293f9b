"""The search `td` for Tak: against plain minimax on the readable reference, and against the general solver."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludens.games.gomoku.rules import GomokuRules
from ludens.games.gomoku.rules import native_game as native_gomoku
from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import Position, after, first_position, legal_moves, outcome
from ludens.games.tak.temporal_differences.inputs import input_count, inputs
from ludens.games.tak.temporal_differences.network import Floats, Network
from ludens.native.core import Search
from ludens.propnet.base.errors import NativeError
from scripts.bench.tak_search import position_after
from scripts.strength.tak_openings import images

WON = 10.0  # of minimax, more than any estimate


def flat(network: Network) -> Floats:
    """Returns the weights in the order of the core."""
    return np.concatenate([network.hidden.ravel(), network.output.T.ravel()])


def in_the_midst(size: int, plies: int, seed: int) -> Position:
    """Returns a position after random moves that has not ended."""
    return position_after(size, plies, random.Random(seed))


def minimax(position: Position, depth: int, estimate: Callable[[Position], float]) -> float:
    """Returns the value for who is to move, without cutting anything off."""
    end = outcome(position)
    if end:
        return 0.0 if end.winner is None else WON if end.winner == position.turn else -WON
    if depth == 0:
        return estimate(position)
    return max(-minimax(after(position, move), depth - 1, estimate) for move in legal_moves(position))


def judged_by(network: Network) -> Callable[[Position], float]:
    """Returns what positions are worth for who is to move, as a network says."""

    def estimate(position: Position) -> float:
        doing, other = network.outputs(inputs(position))
        return float(doing - other)

    return estimate


def search_at(position: Position, weights: Floats | None = None, **options: Any) -> Search:
    """Returns a search with a small table, at a position."""
    usual: dict[str, Any] = {"strategy": "td", "memory_bytes": 1 << 20, "td_weights": weights}
    search = Search(native_game(position.rules), **(usual | options))
    search.set_root(pack(position))
    return search


def found(search: Search, position: Position) -> tuple[int, float, int]:
    """Returns the move that a search would play, its goal and what is proven of it."""
    known = search.root_moves(position.turn)
    return int(known.moves[known.best]), float(known.values[known.best]), int(known.proven[known.best])


@pytest.mark.parametrize(
    ("size", "plies", "depth"),
    [(3, 5, 2), (3, 11, 3), (3, 13, 3), (4, 6, 1), (4, 16, 2), (5, 9, 1), (5, 30, 2), (6, 20, 1), (8, 30, 1)],
)
def test_to_a_fixed_depth_values_are_those_of_plain_minimax(size: int, plies: int, depth: int) -> None:
    network = Network.random(input_count(TakRules(size)), seed=size)
    position = in_the_midst(size, plies, seed=plies)
    search = search_at(position, flat(network), depth=depth)
    search.run()
    expected = minimax(position, depth, judged_by(network))
    _, value, proven = found(search, position)
    assert value == pytest.approx(50 + 50 * min(1, max(-1, expected)), abs=1e-3)
    assert proven == {WON: 100, -WON: 0}.get(expected, -1)


@pytest.mark.parametrize(("size", "depth"), [(3, 2), (4, 1), (5, 1)])
def test_to_a_fixed_depth_the_first_of_the_best_moves_is_played(size: int, depth: int) -> None:
    rules = TakRules(size)
    network = Network.random(input_count(rules), seed=1)
    search = Search(native_game(rules), strategy="td", td_weights=flat(network), depth=depth, memory_bytes=1 << 20)
    for plies in range(12):
        position = in_the_midst(size, plies, seed=plies)
        values = {
            rules.number(move): -minimax(after(position, move), depth - 1, judged_by(network))
            for move in legal_moves(position)
        }
        search.set_root(pack(position))
        search.run()
        first_of_best = next(move for move, value in values.items() if value > max(values.values()) - 1e-5)
        assert found(search, position)[0] == first_of_best


@pytest.mark.parametrize("threads", [1, 2])
def test_proven_wins_are_those_of_the_general_solver(threads: int) -> None:
    results = set()
    for seed in range(12):
        position = in_the_midst(3, 9, seed)
        ours, general = search_at(position, threads=threads), search_at(position, strategy="alphabeta")
        for search in (ours, general):
            search.run(playouts=30_000)
        (_, _, proven), (_, _, known) = found(ours, position), found(general, position)
        if proven >= 0 and known >= 0:  # the solver leaves the last of lost moves alone
            assert proven == known
            results.add(proven)
    assert 100 in results


@pytest.mark.parametrize("weights", [False, True])
def test_a_search_reports_legal_lines_and_ends_at_its_limit(weights: bool) -> None:
    position = in_the_midst(5, 10, seed=2)
    network = Network.random(input_count(position.rules), seed=2) if weights else None
    search = search_at(position, flat(network) if network else None)
    search.run(playouts=20_000)
    stats = search.stats()
    assert stats.playouts == 20_000
    assert stats.depth >= 1
    line = search.expected_line(5)
    assert len(line) >= 1
    for joint in line:
        move = position.rules.move(int(joint[position.turn]))
        assert move in legal_moves(position)
        position = after(position, move)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_run_looks_at_as_many_positions_as_it_may(threads: int) -> None:
    search = search_at(in_the_midst(5, 12, seed=3), threads=threads)
    all_of_them = 0
    for playouts in (1, 63, 64, 65, 1, 1000, 4321):
        search.run(playouts=playouts)
        all_of_them += playouts
        assert search.stats().playouts == all_of_them
    assert not search.stats().solved


@pytest.mark.parametrize(("size", "plies"), [(3, 6), (4, 8), (5, 12), (6, 10)])
def test_the_first_iteration_looks_once_at_each_move_and_again_at_each_that_is_better(size: int, plies: int) -> None:
    """The moves are tried in the order of their numbers, those after the first with a window that is empty."""
    position = in_the_midst(size, plies, seed=5)
    network = Network.random(input_count(position.rules), seed=size)
    looks, best = 0, -WON
    for move in legal_moves(position):
        value = -minimax(after(position, move), 0, judged_by(network))
        looks += 1 + (value > best > -WON)
        best = max(best, value)
    assert best < WON
    for playouts, depth in ((looks - 1, 0), (looks, 1)):
        search = search_at(position, flat(network))
        search.run(playouts=playouts)
        assert (search.stats().depth, search.stats().playouts) == (depth, playouts)


def test_a_road_that_can_be_completed_is_found_at_once() -> None:
    completed = 0
    for seed in range(100):
        position = in_the_midst(4, 16, seed)
        wins = {
            position.rules.number(move)
            for move in legal_moves(position)
            if (end := outcome(after(position, move))) and end.winner == position.turn
        }
        if wins:
            completed += 1
            search = search_at(position)
            search.run(playouts=1_000)
            move, _, proven = found(search, position)
            assert (move in wins, proven, search.stats().solved) == (True, 100, True)
    assert completed > 3


def test_other_games_and_other_weights_are_refused() -> None:
    with pytest.raises(NativeError, match="plays Tak"):
        Search(native_gomoku(GomokuRules(3, 3, 3)), strategy="td")
    with pytest.raises(NativeError, match="board of another size"):
        Search(native_game(TakRules(5)), strategy="td", td_weights=np.zeros(7, np.float32))
    with pytest.raises(NativeError, match="depth must be 0 to 64"):
        Search(native_game(TakRules(5)), strategy="td", depth=65)


def is_turned_into_itself(position: Position, image: int) -> bool:
    """Whether a turn or reflection of the board leaves a position what it is."""
    size = position.rules.size
    return all(position.board[images(square, size)[image]] == stack for square, stack in enumerate(position.board))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("size", "moves", "different"),
    [(3, [], 3), (4, [], 3), (5, [], 6), (5, [12], 5), (5, [0], 14), (5, [0, 24], 41), (6, [0, 6], 105)],
)
def test_of_moves_that_are_the_same_one_is_looked_at(size: int, moves: list[int], different: int, threads: int) -> None:
    """Moves are placements of flats by number; `different` are those that no symmetry makes another one."""
    position = first_position(TakRules(size))
    for number in moves:
        move = position.rules.move(number)
        assert move is not None
        position = after(position, move)
    search = search_at(position, threads=threads)
    for _ in range(100):  # on a busy machine the other thread may have all positions of the first calls
        search.run(playouts=20_000)
        known = search.root_moves(position.turn)
        if all(visits > 0 for visits in known.visits):
            break
    numbers = [int(number) for number in known.moves]
    assert sorted(numbers) == sorted(map(position.rules.number, legal_moves(position)))
    assert all(visits > 0 for visits in known.visits)
    told = {
        number: (float(value), int(visits))
        for number, value, visits in zip(numbers, known.values, known.visits, strict=True)
    }
    symmetries = [image for image in range(8) if is_turned_into_itself(position, image)]
    squares = size * size
    classes = set[tuple[int, ...]]()
    for number in numbers:
        if number >= 3 * squares:
            classes.add((number,))
            continue
        kind, square = divmod(number, squares)
        alike = {kind * squares + images(square, size)[image] for image in symmetries}
        assert {told[each] for each in alike} == {told[number]}
        classes.add(tuple(sorted(alike)))
    assert len(classes) == different
    assert search.stats().root_visits == sum(told[each[0]][1] for each in classes)
    assert known.moves[known.best] in {each[0] for each in classes}
