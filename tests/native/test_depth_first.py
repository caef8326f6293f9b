"""Alpha-beta and proof-number search: what they prove is true, they play it out, and stop when told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Search, Simulator, States
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from tests.support.minimax import TooLargeError
from tests.support.search_sheets import HEAP
from tests.support.searching import network, searching, successor
from tests.support.solved_game import SolvedGame
from tests.support.waiting import PATIENCE, until

# Take one or two of seven stones in turn; who takes the last has won. Whether white took the first stone is
# remembered, so that lines of different length are different states.
STONES = """
(role white) (role black)
(init (control white)) (init (left 7))
(minus 7 1 6) (minus 6 1 5) (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
(minus 7 2 5) (minus 6 2 4) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
(other white black) (other black white)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (left ?m)) (minus ?m ?n ?k))
(<= (legal ?r wait) (other ?r ?s) (true (control ?s)))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= (next (left ?k)) (does ?r (take ?n)) (true (left ?m)) (minus ?m ?n ?k))
(<= terminal (true (left 0)))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?r 100) (other ?r ?s) (true (control ?s)))
"""

# The goals sum to 100 at every end but the last, to which both roles would like to come.
FRIENDS = """
(role red) (role blue)
(init start)
(<= (legal red left) (true start)) (<= (legal red right) (true start)) (<= (legal blue wait) (true start))
(<= (legal blue stop) (true fork)) (<= (legal blue on) (true fork)) (<= (legal red wait) (true fork))
(<= (legal red on) (true path)) (<= (legal blue wait) (true path))
(<= (next safe) (does red left))
(<= (next fork) (does red right))
(<= (next level) (does blue stop))
(<= (next path) (does blue on))
(<= (next treasure) (true path))
(<= terminal (true safe)) (<= terminal (true level)) (<= terminal (true treasure))
(<= (goal red 75) (true safe)) (<= (goal blue 25) (true safe))
(<= (goal red 50) (true level)) (<= (goal blue 50) (true level))
(<= (goal red 100) (true treasure)) (<= (goal blue 100) (true treasure))
"""


DEPTH_FIRST = pytest.mark.parametrize("strategy", ["alphabeta", "proof"])


@cache
def _net(name: str) -> Propnet:
    return load(games.read(name))


def _endings(net: Propnet, plies_left: int) -> Iterator[tuple[States, SolvedGame]]:
    """States so many plies before the ends of long random games, those from which little follows, solved."""
    game = Game.from_propnet(net)
    simulator = Simulator(game, lanes=512, seed=3)
    for moves in sorted(simulator.record(max_steps=200), key=len, reverse=True)[:20]:
        state = game.initial[None]
        for joint in moves[:-plies_left]:
            state = simulator.next(state, joint[None])
        with suppress(TooLargeError):
            yield state, SolvedGame(net, state, most=20_000)


@DEPTH_FIRST
@pytest.mark.parametrize(
    ("name", "plies_left"), [("tic_tac_toe", 6), ("connect_four", 9), ("reversi", 5), ("nim", 5), ("hex_small", 6)]
)
def test_what_is_proven_is_what_brute_force_finds(name: str, plies_left: int, strategy: str) -> None:
    net = _net(name)
    search = Search(Game.from_propnet(net), strategy=strategy)
    simulator = Simulator(Game.from_propnet(net))
    values = set()
    for state, solved in _endings(net, plies_left):
        search.set_root(state[0])
        search.run(seconds=PATIENCE)
        assert search.stats().solved
        legal = simulator.legal(state)
        mover = int(legal[0].sum() <= 1)
        found = search.root_moves(mover)
        others = int(legal[1 - mover][0].argmax())
        worth = []
        for move, proven in zip(found.moves, found.proven, strict=True):
            joint = np.array([[move, others] if mover == 0 else [others, move]], np.int32)
            goal = int(solved.values[solved.number[simulator.next(state, joint)[0].tobytes()]])
            worth.append(goal if mover == 0 else 100 - goal)
            assert proven in (-1, worth[-1])
        assert worth[found.best] == max(worth)
        values.add((mover, max(worth)))
    assert len(values) >= 2


@DEPTH_FIRST
def test_a_game_is_solved_from_its_first_state(strategy: str) -> None:
    search = Search(Game.from_propnet(_net("tic_tac_toe")), strategy=strategy)
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    found = search.root_moves(0)
    assert found.proven[found.best] == 50


def test_a_win_is_played_the_short_way_and_a_loss_the_long_way() -> None:
    net = load(STONES)
    game = Game.from_propnet(net)
    search, simulator = Search(game, strategy="alphabeta"), Simulator(game)
    state, played = game.initial[None], []
    while not simulator.terminal(state)[0]:
        search.set_root(state[0])
        search.run(seconds=PATIENCE)
        joint = [int(m.moves[m.best]) for m in map(search.root_moves, (0, 1))]
        played.append([net.moves[role][move] for role, move in enumerate(joint)])
        state = simulator.next(state, np.array([joint], np.int32))
    assert simulator.goals(state)[0].tolist() == [100, 0]
    assert [white if i % 2 == 0 else black for i, (white, black) in enumerate(played)] == [
        "(take 1)",
        "(take 1)",
        "(take 2)",
        "(take 1)",
        "(take 2)",
    ]


@DEPTH_FIRST
def test_the_expected_line_is_legal_and_ends_the_game(strategy: str) -> None:
    net = _net("tic_tac_toe")
    game = Game.from_propnet(net)
    search, simulator = Search(game, strategy=strategy), Simulator(game)
    search.run(seconds=PATIENCE)
    state = game.initial[None]
    line = search.expected_line(20)
    assert len(line) >= 2
    for joint in line:
        assert all(legal[0, move] for legal, move in zip(simulator.legal(state), joint, strict=True))
        state = simulator.next(state, joint[None])


@DEPTH_FIRST
def test_a_run_ends_after_its_time_and_when_stopped(strategy: str) -> None:
    """Else it would go on for hours."""
    search = Search(Game.from_propnet(_net("connect_four")), strategy=strategy)
    search.run(seconds=0.05)
    before = search.stats().iterations
    worker = threading.Thread(target=search.run)
    worker.start()
    until(lambda: search.stats().iterations > before)
    search.stop()
    worker.join(PATIENCE)
    assert not worker.is_alive()
    assert not search.stats().solved


@DEPTH_FIRST
def test_a_run_with_a_limit_of_states_depends_on_nothing_else(strategy: str) -> None:
    def found() -> tuple[list[int], list[float]]:
        search = Search(Game.from_propnet(_net("connect_four")), strategy=strategy)
        search.run(playouts=50_000)
        moves = search.root_moves(0)
        return moves.visits.tolist(), moves.values.tolist()

    assert found() == found()


@DEPTH_FIRST
def test_moves_at_the_same_moment_are_not_searched(strategy: str) -> None:
    search = Search(Game.from_propnet(_net("rock_paper_scissors")), strategy=strategy)
    search.run(playouts=2_000)
    assert not search.stats().solved
    found = search.root_moves(0)
    assert len(found.moves) == 3
    assert np.all(found.proven == -1)


@DEPTH_FIRST
def test_three_roles_are_refused(strategy: str) -> None:
    net = load(
        "(role a) (role b) (role c) (init here) (<= (legal ?r go) (role ?r)) (<= (next gone) (does a go))"
        "(<= terminal (true gone)) (<= (goal ?r 100) (role ?r))"
    )
    with pytest.raises(NativeError, match="one or two roles"):
        Search(Game.from_propnet(net), strategy=strategy)


@DEPTH_FIRST
def test_without_a_proven_sum_nothing_but_a_forced_win_is_proven(strategy: str) -> None:
    """Who is to move at a heap of six loses, which is no proof of its goal; the other role's win is one."""
    search = searching(HEAP, strategy=strategy)
    game = search.game
    assert not game.constant_sum
    search.run(playouts=100_000)
    assert not search.stats().solved
    assert search.root_moves(0).proven.tolist() == [-1, -1]
    search.set_root(successor(network(HEAP), game.initial, ["(take 1)", "wait"]))
    search.run(playouts=100_000)
    assert search.stats().solved
    known = search.root_moves(1)
    assert known.proven[known.best] == 100
    assert set(known.proven.tolist()) == {-1, 100}


@DEPTH_FIRST
def test_a_move_is_not_proven_best_because_the_other_role_is_taken_for_an_enemy(strategy: str) -> None:
    """Right is worth 100 to both, but whoever takes blue for an enemy expects 50 of it, and 75 of left."""
    search = searching(FRIENDS, strategy=strategy)
    search.run(playouts=1_000)
    assert not search.stats().solved
    assert search.root_moves(0).proven.tolist() == [-1, -1]


@pytest.mark.parametrize(("strategy", "threads"), [("alphabeta", 1), ("proof", 1), ("proof", 2)])
def test_a_refused_root_leaves_the_one_before(strategy: str, threads: int) -> None:
    game = Game.from_tak(3)
    search = Search(game, strategy=strategy, threads=threads, memory_bytes=1 << 20)
    legal = search.root_moves(0).moves.tolist()
    with pytest.raises(NativeError, match="no state"):
        search.set_root(np.full_like(game.initial, 2**64 - 1))
    assert search.root_moves(0).moves.tolist() == legal
    search.run(playouts=1000)
    assert search.root_moves(0).moves.tolist() == legal
