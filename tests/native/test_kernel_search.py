"""Searches whose random games are played elsewhere: the statistics of the native search, and always in time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import Game, Search, Simulator, States
from ludens.native.kernels import kernel_search
from ludens.native.kernels.kernel_search import KernelSearch
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.cuda_child import SIMULATED, run
from tests.support.kernels import Instant
from tests.support.search_sheets import PENNIES

# Four moves, of which each decides the goal, and so many steps with a single move that no visit sees the end.
ARMS = """
(role robot) (role other) (init (step 0))
(<= (legal robot (pull ?arm)) (true (step 0)) (worth ?arm ?goal))
(<= (legal robot wait) (not (true (step 0)))) (legal other wait)
(worth 1 10) (worth 2 80) (worth 3 40) (worth 4 70)
(<= (next (pulled ?arm)) (does robot (pull ?arm)))
(<= (next (pulled ?arm)) (true (pulled ?arm)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 60)))
(<= (goal robot ?goal) (true (pulled ?arm)) (worth ?arm ?goal))
(goal other 50)
""" + " ".join(f"(succ {n} {n + 1})" for n in range(60))


# One move, and then one of two.
ONE_MOVE = """
(role p) (init start)
(<= (legal p go) (true start))
(<= (legal p left) (true fork)) (<= (legal p right) (true fork))
(<= (next fork) (true start))
(<= (next won) (does p left)) (<= (next lost) (does p right))
(<= terminal (true won)) (<= terminal (true lost))
(<= (goal p 100) (true won)) (<= (goal p 0) (not (true won)))
"""


class Playing:
    """A kernel that plays on the native simulator."""

    def __init__(self, game: Game, seed: int = 1) -> None:
        self._simulator = Simulator(game, 64, seed)
        self.states: list[States] = []

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        self.states.extend(states)
        return np.array([self._simulator.playouts(games, state=state).goal_means for state in states])


@pytest.mark.parametrize("strategy", ["flat", "uct", "mcrd"])
@pytest.mark.parametrize("expand_after", [1, 1000])
def test_with_the_same_results_the_statistics_are_the_same(strategy: str, expand_after: int) -> None:
    game = Game.from_propnet(load(ARMS))
    options: dict[str, Any] = {
        "strategy": strategy,
        "expand_after": expand_after,
        "seed": 3,
        "memory_bytes": 1 << 20,
        "lanes": 64,
    }
    native = Search(game, playouts_per_leaf=64, **options)  # one leaf at a time
    pulled = Search(game, **options)
    kernel = Playing(game)
    for _ in range(30):
        native.run(playouts=64)
        leaves = pulled.collect(1)
        pulled.report(leaves.tickets, kernel.play(leaves.states, 4, seed=0), 4)
    mine, theirs = pulled.root_moves(0), native.root_moves(0)
    assert mine.visits.tolist() == theirs.visits.tolist()
    assert mine.values.tolist() == pytest.approx(theirs.values.tolist())
    assert mine.best == theirs.best
    assert pulled.stats().nodes == native.stats().nodes


@pytest.mark.parametrize("room", [1, 50, 300])
def test_a_batch_has_leaves_below_the_root_and_counts_only_what_is_reported(room: int) -> None:
    game = Game.from_propnet(load(games.read("connect_four")))
    search = Search(game, memory_bytes=1 << 22, lanes=64)
    first, second = search.collect(room), search.collect(room)
    assert len(first.tickets) == len(second.tickets) == room
    assert len({*first.tickets.tolist(), *second.tickets.tolist()}) == 2 * room
    assert search.stats().root_visits == 0
    legal = Simulator(game, 64).legal(first.states)
    assert all(moves.any(axis=1).all() for moves in legal)
    search.report(second.tickets, np.full((room, 2), 50.0), 7)
    search.report(first.tickets[::-1].copy(), np.full((room, 2), 50.0), 7)
    assert search.stats().root_visits == 2 * room
    assert search.stats().playouts == 14 * room
    search.report(first.tickets, np.full((room, 2), 50.0), 7)  # for the second time
    assert search.stats().root_visits == 2 * room


def test_the_search_finds_what_the_native_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """As well where it had to begin with many leaves: how many are out at once must not move what it finds.

    The value of one search deviates by a point or two, with few visits more: so it is the mean of several, and the
    size of a batch stays as it is, which otherwise depends on the time that a batch takes.
    """
    monkeypatch.setattr(kernel_search, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(kernel_search, "_BATCH_SECONDS", 0.0)
    game, seeds = Game.from_propnet(load(games.read("connect_four"))), range(1, 5)

    def found(search: Search | KernelSearch, playouts: int) -> tuple[int, float]:
        search.run(playouts=playouts)
        known = search.root_moves(0)
        return int(known.moves[known.best]), float(known.values[known.best])

    options: dict[str, Any] = {"memory_bytes": 1 << 24, "lanes": 64}
    native = [found(Search(game, seed=seed, **options), 20_000) for seed in seeds]
    (move,) = {move for move, _ in native}
    for batch in (1, 32, 128):
        pulled = [
            found(KernelSearch(game, Playing(game, seed), games=4, batch=batch, seed=seed, **options), 40_000)
            for seed in seeds
        ]
        assert {move for move, _ in pulled} == {move}
        assert np.mean([value for _, value in pulled]) == pytest.approx(np.mean([value for _, value in native]), abs=4)


def test_what_is_small_is_solved_and_nothing_is_handed_out_any_more() -> None:
    game = Game.from_propnet(load(games.read("tic_tac_toe")))
    search = KernelSearch(game, Playing(game), games=1, memory_bytes=1 << 22, lanes=64)
    search.run(playouts=500_000)
    assert search.stats().solved
    assert search.stats().playouts < 500_000
    assert search.root_moves(0).proven.max() == 50
    plain = Search(game, memory_bytes=1 << 22, lanes=64)
    plain.run(playouts=500_000)
    assert len(plain.collect(10).tickets) == 0


@pytest.mark.parametrize(("name", "cycle"), [("connect_four", 2), ("connect_four_three", 3), ("pentago", 4)])
def test_runs_and_batches_take_turns(name: str, cycle: int) -> None:
    """Leaves that wait at the end of a run, until its games are in the same phase, are part of the next batch.

    Only visits of what is proven are counted without a random game.
    """
    game = Game.from_propnet(load(games.read(name)))
    assert game.cycle == cycle
    search = Search(game, memory_bytes=1 << 22, lanes=64)
    reported = 0
    for number in range(100):
        room = (1, 2, 3, 40)[number % 4]
        search.run(playouts=1 + number)
        leaves = search.collect(room)
        assert len(set(leaves.tickets.tolist())) == room
        search.report(leaves.tickets, np.full((room, game.roles), 50.0), 1)
        reported += room
    stats = search.stats()
    assert stats.iterations == stats.root_visits
    assert reported < stats.playouts <= stats.iterations < stats.playouts + 20


def test_a_native_run_goes_on_beside_leaves_that_are_out() -> None:
    game = Game.from_propnet(load(games.read("connect_four")))
    search = Search(game, memory_bytes=1 << 22, lanes=64)
    search.run(playouts=1_000)
    leaves = search.collect(40)
    search.run(playouts=1_000)
    search.report(leaves.tickets, np.full((40, 2), 50.0), 1)
    stats = search.stats()
    assert stats.root_visits == stats.iterations
    assert stats.playouts >= 2_040


def test_leaves_that_were_forgotten_for_want_of_memory_are_passed_over() -> None:
    """Two roots of gomoku do not fit side by side: the second one costs all that was known of the first."""
    game = Game.from_propnet(load(games.read("gomoku")))
    simulator = Simulator(game, 64)
    search = Search(game, memory_bytes=8192, lanes=64)
    leaves = search.collect(64)
    joint = [int(np.flatnonzero(moves[0])[0]) for moves in simulator.legal(game.initial)]
    search.set_root(simulator.next(game.initial, np.array([joint], np.int32))[0])
    before = search.stats().iterations
    search.report(leaves.tickets, np.full((len(leaves.tickets), 2), 50.0), 1)
    assert search.stats().iterations == before
    again = search.collect(64)
    search.report(again.tickets, np.full((len(again.tickets), 2), 50.0), 1)
    assert search.stats().iterations == before + len(again.tickets)


def test_no_more_leaves_are_handed_out_than_can_be_counted_in_flight() -> None:
    """An edge counts them in 16 bits; here one edge has them all."""
    search = Search(Game.from_propnet(load(ONE_MOVE)), memory_bytes=1 << 20, lanes=64, expand_after=1 << 20)
    too_many = "hands out some 65,000 leaves before it has results"
    with pytest.raises(NativeError, match=too_many):
        search.collect(70_000)
    first = search.collect(40_000)
    with pytest.raises(NativeError, match=too_many):
        search.collect(40_000)
    search.report(first.tickets, np.full((40_000, 1), 50.0), 1)
    again = search.collect(40_000)
    search.report(again.tickets, np.full((40_000, 1), 50.0), 1)
    assert search.root_moves(0).visits.tolist() == [80_000]


def test_tickets_that_are_no_numbers_are_refused_and_narrow_ones_read_as_what_they_are() -> None:
    search = Search(Game.from_propnet(load(ONE_MOVE)), memory_bytes=1 << 20, lanes=64, expand_after=1 << 20)
    leaves = search.collect(8)
    with pytest.raises(NativeError, match="a ticket is a number"):
        search.report(leaves.tickets.astype(np.float64), np.full((8, 1), 50.0), 1)
    search.report(leaves.tickets.astype(np.int32), np.full((8, 1), 50.0), 1)
    assert search.stats().iterations == 8


@pytest.mark.parametrize("goals", [[[-1.0, 50.0]], [[50.0, 101.0]], [[float("nan"), 50.0]]])
def test_goals_that_are_none_are_refused(goals: list[list[float]]) -> None:
    search = Search(Game.from_propnet(load(games.read("connect_four"))), memory_bytes=1 << 20, lanes=64)
    leaves = search.collect(1)
    with pytest.raises(NativeError, match="goals are numbers from 0 to 100"):
        search.report(leaves.tickets, np.array(goals), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"threads": 2}, "one thread"), ({"strategy": "alphabeta"}, "does not hand out its leaves")],
)
def test_searches_that_cannot_hand_out_leaves_say_so(options: dict[str, object], message: str) -> None:
    game = Game.from_propnet(load(games.read("connect_four")))
    search = Search(game, memory_bytes=1 << 20, **options)  # type: ignore[arg-type]
    with pytest.raises(NativeError, match=message):
        search.collect(1)


class Slow:
    """A kernel by whose clock every leaf takes a millisecond."""

    def __init__(self) -> None:
        self.now, self.batches = 0.0, [0]

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        self.batches.append(len(states))
        self.now += 0.001 * len(states)
        return np.full((len(states), 2), 50.0)


def test_a_move_is_in_time_however_slow_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Slow()
    monkeypatch.setattr(kernel_search, "time", SimpleNamespace(monotonic=lambda: kernel.now))
    game = Game.from_propnet(load(games.read("connect_four")))
    search = KernelSearch(game, kernel, games=1, memory_bytes=1 << 22, lanes=64)
    for _ in range(3):
        began = kernel.now
        search.run(seconds=0.5)
        assert 0.3 < kernel.now - began <= 0.5 + 0.001 * 2 * max(kernel.batches[:3])
    assert kernel.batches[-1] <= 20  # milliseconds


def test_a_stopped_search_ends_after_the_batch_that_is_out() -> None:
    game = Game.from_propnet(load(games.read("connect_four")))

    class Stopping(Slow):
        def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
            search.stop()
            return super().play(states, games, seed)

    kernel = Stopping()
    search = KernelSearch(game, kernel, games=1, memory_bytes=1 << 22, lanes=64)
    search.run()
    assert len(kernel.batches) <= 4
    assert search.stats().root_visits == sum(kernel.batches)


def test_a_kernel_that_fails_is_heard_of() -> None:
    class Failing(Slow):
        def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
            raise NativeError("no more memory on the device")

    game = Game.from_propnet(load(games.read("connect_four")))
    with pytest.raises(NativeError, match="no more memory on the device"):
        KernelSearch(game, Failing(), games=1, memory_bytes=1 << 22, lanes=64).run(seconds=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("first_role", [0, 1])
def test_the_checkers_kernel_tells_each_role_its_goals(first_role: int) -> None:
    pytest.importorskip("numba")
    from ludens.games.checkers.kernels.playouts import CheckersKernel

    rules = replace(CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40), first_role=first_role)
    game = native_game(rules)
    simulator = Simulator(game, 64, seed=1)
    moves = simulator.record()[0]
    states = [game.initial]
    for joint in moves[: len(moves) - 6]:
        states.append(simulator.next(states[-1], joint)[0])
    told = CheckersKernel(rules, gpu=False).play(np.stack([states[0], states[-1]]), 4_000, seed=2)
    for goals, state in zip(told, (states[0], states[-1]), strict=True):
        expected = simulator.playouts(20_000, state=state)
        error = 5 * expected.goal_deviations / 4_000**0.5
        assert np.abs(goals - expected.goal_means).max() <= error.max() + 1e-9


def test_a_search_runs_with_the_kernel_of_a_device() -> None:
    pytest.importorskip("numba")
    (got,) = run([{"method": "kernel_search", "playouts": 6, "max_steps": 8}], SIMULATED)
    assert got["playouts"] >= 6
    assert got["visits"] == got["playouts"]


def test_a_search_ends_where_the_tree_holds_the_whole_game() -> None:
    """No leaf is left to be played, and nothing is proven where both choose at once."""
    search = KernelSearch(Game.from_propnet(load(PENNIES)), Instant(), games=1, batch=8, lanes=64, memory_bytes=1 << 20)
    search.run(playouts=200)
    assert not search.stats().solved
    assert search.stats().root_visits >= 100
