"""What the tree search proves: the same as minimax over the whole game, and it proves all of small games."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from ludens.native.core import Game, Search, Simulator, States
from tests.support.minimax import Minimax, TooLargeError
from tests.support.search_sheets import LOCK, PENNIES, THREE
from tests.support.searching import network
from tests.support.waiting import PATIENCE

# Two take turns and both may win: the first can let the second win too, or not, and does not care.
GENEROUS = """
(role a) (role b)
(init (turn a))
(<= (legal a (give ?n)) (true (turn a)) (gift ?n))
(<= (legal b (take ?n)) (true (turn b)) (gift ?n))
(<= (legal a noop) (true (turn b)))
(<= (legal b noop) (true (turn a)))
(gift 0) (gift 1) (gift 2)
(<= (next (gave ?n)) (does a (give ?n)))
(<= (next (gave ?n)) (true (gave ?n)))
(<= (next (took ?n)) (does b (take ?n)))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn end)) (true (turn b)))
(<= terminal (true (turn end)))
(pay 0 0 100 0) (pay 0 1 100 100) (pay 0 2 0 100)
(pay 1 0 60 30) (pay 1 1 40 30) (pay 1 2 80 10)
(pay 2 0 60 0) (pay 2 1 50 80) (pay 2 2 100 20)
(<= (goal a ?x) (true (gave ?n)) (true (took ?m)) (pay ?n ?m ?x ?y))
(<= (goal b ?y) (true (gave ?n)) (true (took ?m)) (pay ?n ?m ?x ?y))
"""


def new(name_or_text: str) -> tuple[Game, Simulator]:
    game = Game.from_propnet(network(name_or_text))
    return game, Simulator(game, lanes=512, seed=1)


def search(game: Game, **options: object) -> Search:
    return Search(game, **{"memory_bytes": 1 << 26, "lanes": 64, **options})  # type: ignore[arg-type]


def endings(simulator: Simulator, before_end: int, count: int) -> list[tuple[States, Minimax]]:
    """Positions some moves before the ends of long random games, from which minimax can be worked out."""
    found: list[tuple[States, Minimax]] = []
    for moves in sorted(simulator.record(max_steps=200), key=len, reverse=True):
        state = simulator.game.initial
        for joint in moves[: max(0, len(moves) - before_end)]:
            state = simulator.next(state, joint)[0]
        with contextlib.suppress(TooLargeError):
            found.append((state, Minimax(simulator, state, limit=2_000 if before_end < 9 else 20_000)))
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} positions are small enough")


def check(it: Search, oracle: Minimax, state: States) -> None:
    """Nothing that is proven of the root's moves is wrong, and of a solved root the best is a best one."""
    mover, children = oracle.children(state.tobytes())
    known = it.root_moves(mover)
    truth = {move: {v[mover] for v in oracle.values(child)} for move, child in children.items()}
    assert sorted(truth) == known.moves.tolist()
    for move, proven in zip(known.moves, known.proven, strict=True):
        assert proven < 0 or truth[move] == {proven}
    if it.stats().solved and len(known.moves) > 1:
        assert min(truth[known.moves[known.best]]) == max(min(goals) for goals in truth.values())


@pytest.mark.parametrize(
    ("name", "before_end", "count"),
    [
        ("tic_tac_toe", 9, 1),
        ("tic_tac_toe", 4, 6),
        ("nim", 5, 4),
        ("hex_small", 5, 4),
        ("connect_four", 6, 4),
        ("reversi", 5, 4),
    ],
)
@pytest.mark.parametrize("options", [{}, {"threads": 2, "playouts_per_leaf": 4, "expand_after": 0}])
def test_the_end_of_a_game_is_solved_as_minimax_says(
    name: str, before_end: int, count: int, options: dict[str, int]
) -> None:
    _, simulator = new(name)
    for state, oracle in endings(simulator, before_end, count):
        it = search(simulator.game, **options)
        it.set_root(state)
        for _ in range(40):
            it.run(playouts=2_000)
            check(it, oracle, state)
            if it.stats().solved:
                break
        assert it.stats().solved, f"{len(oracle)} states"


@pytest.mark.parametrize("text", ["nim", "hex_small"])
def test_small_games_are_solved_from_their_start(text: str) -> None:
    """Bouton's theorem (1901) for nim: 1, 3, 5 and 7 are lost to who moves. In hex who moves first wins."""
    _, simulator = new(text)
    it = search(simulator.game, lanes=0)
    it.run(seconds=PATIENCE)
    known = it.root_moves(0)
    assert it.stats().solved
    assert known.proven[known.best] == {"nim": 0, "hex_small": 100}[text]


@pytest.mark.parametrize("text", [THREE, LOCK])
def test_any_number_of_roles_is_solved(text: str) -> None:
    _, simulator = new(text)
    it = search(simulator.game)
    it.run(playouts=50_000)
    assert it.stats().solved
    check(it, Minimax(simulator, simulator.game.initial), simulator.game.initial)


def test_a_puzzle_with_cycles_is_solved() -> None:
    _, simulator = new("towers_of_hanoi")
    it = search(simulator.game)
    it.run(seconds=PATIENCE)
    assert it.stats().solved
    assert it.root_moves(0).proven.max() == 100


def test_what_a_role_may_do_or_leave_is_not_proven() -> None:
    """b has two best answers to the first gift, and a cannot know which it will be."""
    net = network(GENEROUS)
    it = search(Game.from_propnet(net))
    it.run(playouts=20_000)
    known = it.root_moves(0)
    proven = {net.moves[0][m]: int(p) for m, p in zip(known.moves, known.proven, strict=True)}
    assert proven == {"(give 0)": -1, "(give 1)": -1, "(give 2)": 50}
    assert not it.stats().solved


def test_a_solved_root_ends_the_run_and_needs_no_other() -> None:
    game, _ = new("tic_tac_toe")
    it = search(game)
    it.run()
    stats = it.stats()
    assert stats.solved
    known = it.root_moves(0)
    assert known.proven[known.best] == 50
    it.run()
    assert it.stats() == stats


@pytest.mark.parametrize("name", ["hex_small", "connect_four"])
def test_a_proven_win_is_played_to_its_end(name: str) -> None:
    _, simulator = new(name)
    played = 0
    for state, oracle in endings(simulator, 5, 12):
        values = oracle.values(state.tobytes())
        for winner in (0, 1):
            if {goals[winner] for goals in values} == {100}:
                assert play_out(simulator, state)[winner] == 100
                played += 1
    assert played >= 3


def play_out(simulator: Simulator, state: States) -> list[int]:
    """The goals when both sides play what one search has proven."""
    it = search(simulator.game)
    while not simulator.terminal(state)[0]:
        it.set_root(state)
        it.run(seconds=PATIENCE)
        assert it.stats().solved
        known = [it.root_moves(role) for role in (0, 1)]
        state = simulator.next(state, np.array([[k.moves[k.best] for k in known]], np.int32))[0]
    goals: list[int] = simulator.goals(state)[0].tolist()
    return goals


def test_a_win_at_hand_is_taken_at_once() -> None:
    _, simulator = new("connect_four")
    met = 0
    for state, oracle in endings(simulator, 1, 12):
        mover, children = oracle.children(state.tobytes())
        over = {m for m, c in children.items() if not oracle.children(c)[1]}
        winning = {m for m in over if {v[mover] for v in oracle.values(children[m])} == {100}}
        if not winning:
            continue
        it = search(simulator.game)
        it.set_root(state)
        it.run(playouts=20_000)
        known = it.root_moves(mover)
        assert it.stats().solved
        assert known.moves[known.best] in winning
        met += 1
    assert met >= 3


def test_nothing_is_proven_where_several_choose_at_once() -> None:
    game, _ = new(PENNIES)
    it = search(game)
    it.run(playouts=20_000)
    assert not it.stats().solved
    assert it.root_moves(0).proven.tolist() == [-1, -1]
