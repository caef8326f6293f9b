"""The native tree search: what it keeps, that it never outgrows its memory, and what it refuses."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

from ludens.native.core import Evaluation, EvaluationWeights, Game, Search, Simulator, pack_bits
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import NativeError
from tests.support.search_sheets import FORK
from tests.support.searching import network, searching, successor


def test_the_same_seed_and_playouts_give_the_same_search() -> None:
    reports = []
    for _ in range(2):
        search = searching("connect_four", seed=7)
        search.run(playouts=20_000)
        search.run(playouts=20_000)
        known = search.root_moves(0)
        line = search.expected_line().tolist()
        reports.append((known.visits.tolist(), known.values.tolist(), line, search.stats()))
    assert reports[0] == reports[1]


def test_another_seed_gives_another_search() -> None:
    visits = []
    for seed in (1, 2):
        search = searching("connect_four", seed=seed)
        search.run(playouts=5_000)
        visits.append(search.root_moves(0).visits.tolist())
    assert visits[0] != visits[1]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("solver_share", [0.0, 0.1])
def test_what_threads_share_is_counted(threads: int, solver_share: float) -> None:
    search = searching("breakthrough_small", threads=threads, solver_share=solver_share)
    search.run(playouts=5000)
    costs, stats = search.sharing_costs(), search.stats()
    assert 0 < costs.updates <= stats.playouts
    assert costs.locks >= threads  # each reports once at least
    assert costs.held_seconds > 0
    assert costs.waited_seconds >= 0


def test_what_threads_tell_each_other_is_counted_once() -> None:
    net = network("breakthrough_small")
    search = searching("breakthrough_small", threads=3, memory_bytes=1 << 28)
    for _ in range(4):
        search.run(playouts=100_000)  # they tell each other some hundred times a second
    stats, known, line = search.stats(), search.root_moves(0), search.expected_line()
    assert stats.recycled == 0  # else what was left for a while may be forgotten, however often it was visited
    assert known.visits.sum() == stats.root_visits == stats.iterations
    state = search.game.initial
    for joint, role in zip(line[:2], (0, 1), strict=True):  # nodes that are shared, below the root
        visits = search.root_moves(role).visits.max()
        state = successor(net, state, [net.moves[r][joint[r]] for r in (0, 1)])
        search.set_root(state)
        assert visits / 2 < search.stats().root_visits <= visits


def test_what_is_no_longer_shared_is_given_back() -> None:
    """Threads count as theirs what they have of each other until the root moves on; so much is left out then."""
    search = searching("connect_four", threads=2, memory_bytes=1 << 26)
    for _ in range(5):
        search.run(playouts=5_000)
    visits, in_flight = search.stats().root_visits, 2 * 64
    state = search.game.initial
    for _ in range(2):
        net, line = network("connect_four"), search.expected_line()
        state = successor(net, state, [net.moves[r][line[0][r]] for r in (0, 1)])
        search.set_root(state)
        search.run(playouts=5_000)
    search.set_root()
    assert visits <= search.stats().root_visits <= visits + in_flight
    assert search.root_moves(0).visits.sum() == search.stats().root_visits


def test_a_state_reached_in_several_ways_is_one_node() -> None:
    search = searching("nim")
    search.run(playouts=20_000)
    assert 300 < search.stats().nodes <= 2 * 4 * 6 * 8 * 2


def test_what_is_known_of_the_next_root_is_kept() -> None:
    net = network("tic_tac_toe")
    search = searching("tic_tac_toe")
    search.run(playouts=5_000)
    before = search.expected_line()
    visits = search.root_moves(0).visits.max()
    state = successor(net, search.game.initial, [net.moves[r][before[0][r]] for r in (0, 1)])
    search.set_root(state)
    assert 0 < search.stats().root_visits <= 2 * visits
    assert search.expected_line()[0].tolist() == before[1].tolist()
    search.set_root()
    assert search.root_moves(0).visits.max() == visits


def test_all_visits_of_the_root_are_visits_of_its_moves() -> None:
    search = searching("breakthrough_small", threads=2)
    for _ in range(3):
        search.run(playouts=3_000)
        assert search.root_moves(0).visits.sum() == search.stats().root_visits
        assert search.root_moves(1).visits.tolist() == [search.stats().root_visits]
    assert search.stats().root_visits == search.stats().iterations


@pytest.mark.parametrize("name", ["tic_tac_toe", "tron", "breakthrough_small"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_small_memory_is_recycled_and_never_outgrown(name: str, threads: int) -> None:
    search = searching(name, memory_bytes=1 << 16, threads=threads)
    search.run(playouts=30_000)
    stats = search.stats()
    assert stats.recycled > 0
    assert stats.memory_bytes <= 1 << 16
    assert stats.nodes * 64 < 1 << 16
    assert search.root_moves(0).visits.sum() == stats.root_visits > 0


def test_a_whole_game_fits_into_a_small_memory() -> None:
    game = Game.from_propnet(network("connect_four"))
    search = searching("connect_four", memory_bytes=1 << 15)
    simulator = Simulator(game, 64, seed=3)
    state = game.initial
    for joint in simulator.record(max_steps=60)[0]:
        search.set_root(state)
        search.run(playouts=500)
        assert search.stats().root_visits > 0
        state = simulator.next(state, joint)[0]
    search.set_root(state)
    assert simulator.terminal(state)[0]
    assert len(search.root_moves(0).moves) == 0


def test_forgetting_everything_for_a_large_root_forgets_what_lanes_were_about_to_do() -> None:
    net = network(FORK)
    wide = np.zeros(net.state_bits, np.bool_)
    wide[net.propositions.index("wide")] = True
    search = searching(FORK, memory_bytes=6000, seed=1)
    search.run(playouts=500)
    search.set_root(pack_bits(wide))
    search.run(playouts=3_000)
    assert len(search.root_moves(0).moves) == 81
    assert np.nanmax(search.root_moves(0).values) <= 1


def test_python_and_the_core_know_the_same_strategies() -> None:
    net = network("lights_out")  # of one role, which every strategy can play
    linear, inner = (np.zeros((1, net.state_bits + 1, n), np.float32) for n in (1, 0))
    evaluation = Evaluation(EvaluationWeights((), linear, inner, np.zeros((1, 0, 1), np.float32)))
    for name, strategy in STRATEGIES.items():
        if strategy.needs_core:
            with pytest.raises(NativeError, match="own game core"):
                searching("lights_out", strategy=name)
            continue
        searching("lights_out", strategy=name, evaluation=evaluation).run(playouts=10)
    with pytest.raises(NativeError, match="there are: " + ", ".join(STRATEGIES) + "$"):
        searching("tic_tac_toe", strategy="none")


def test_a_search_keeps_its_game_alive() -> None:
    search = searching("tic_tac_toe")
    del search.game
    gc.collect()
    search.run(playouts=1_000)
    assert search.stats().root_visits >= 1_000


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"strategy": "magic"}, "unknown strategy 'magic'"),
        ({"threads": 0}, "threads"),
        ({"memory_bytes": 100}, "memory_bytes"),
        ({"exploration": -1.0}, "exploration"),
        ({"exploration": float("nan")}, "exploration"),
        ({"playouts_per_leaf": 0}, "playouts_per_leaf"),
        ({"playouts_per_leaf": 65}, "playouts_per_leaf"),
        ({"expand_after": -1}, "expand_after"),
        ({"max_steps": 0}, "max_steps"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(NativeError, match=complaint):
        searching("tic_tac_toe", **options)


@pytest.mark.parametrize("call", [lambda search: search.run(seconds=-1.0), lambda search: search.run(playouts=-1)])
def test_a_search_cannot_run_backwards(call: Callable[[Search], None]) -> None:
    with pytest.raises(NativeError):
        call(searching("tic_tac_toe"))


def test_roots_and_roles_that_the_game_does_not_have_are_refused() -> None:
    search = searching("tic_tac_toe")
    for words in (0, search.game.state_words + 1):
        with pytest.raises(NativeError, match="shape"):
            search.set_root(np.zeros(words, np.uint64))
    for role in (-1, 2):
        with pytest.raises(NativeError, match="no role"):
            search.root_moves(role)


def test_a_root_too_large_for_the_memory_is_refused() -> None:
    with pytest.raises(NativeError, match="memory_bytes is too small"):
        searching("gomoku", memory_bytes=1 << 12)


def test_a_root_outside_the_cycle_of_turns_is_searched() -> None:
    """Where both are to move, which never comes about, the legal moves are those of both."""
    net = network("tic_tac_toe")
    game = Game.from_propnet(net)
    turns = np.array([name.startswith("(control") for name in net.propositions])
    state = game.initial | pack_bits(turns)
    search = Search(game, lanes=64, memory_bytes=1 << 20)
    search.set_root(state)
    search.run(playouts=1000)
    for role, legal in enumerate(Simulator(game, 64).legal(state[None])):
        assert search.root_moves(role).moves.tolist() == np.flatnonzero(legal[0]).tolist()
    assert search.stats().root_visits > 0
