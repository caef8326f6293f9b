"""Backward induction: held to linear programs and to minimax over whole games, within its memory and its limits."""

from __future__ import annotations

import threading
import time

import numpy as np
import numpy.typing as npt
import pytest

from ludens.agent.search.mixed_strategy import mixed_strategy
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Game, RootMoves, Search, Simulator
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.gdl.parser import parse_rules
from scripts.strength.equilibrium import SmallGame, solve_matrix
from scripts.strength.exploitability import GAMES, Subject
from scripts.strength.simultaneous_sheets import matrix, tug_of_war
from tests.support.minimax import Minimax
from tests.support.search_sheets import DILEMMA, LOCK
from tests.support.searching import network, proven_goals, searching, successor
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.lanes

SOLVER = "backward_induction"
CERTAIN = 1e-2  # points of 100: strategies are told in millionths
MEMORY = 40 << 10

# Two may step back and forth for ever.
TREADMILL = """
(role a) (role b) (init (at 1))
(<= (legal ?r on) (role ?r)) (<= (legal ?r back) (role ?r))
(<= (next (at 0)) (does a back) (true (at 1))) (<= (next (at 1)) (does b on) (true (at 0)))
(<= (next (at 2)) (does a on)) (<= (next (at 0)) (does b back) (true (at 0)))
(<= terminal (true (at 2))) (goal a 50) (goal b 50)
"""


def solved(text: str, **options: object) -> Search:
    search = searching(text, strategy=SOLVER, **options)
    search.run(playouts=1 << 24)
    assert search.stats().solved
    return search


def mixture(known: RootMoves) -> npt.NDArray[np.float64]:
    assert known.optimal
    return mixed_strategy(known)


@pytest.mark.parametrize("shape", [(1, 4), (3, 1), (2, 2), (3, 3), (4, 2), (5, 7), (7, 5), (20, 20), (3, 40), (40, 3)])
def test_a_matrix_game_is_played_as_its_linear_program_says(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    for payoffs in (rng.integers(0, 101, shape), rng.integers(0, 3, shape) * 50, np.full(shape, 30)):
        search = solved(matrix(payoffs.tolist()))
        first, second = (mixture(search.root_moves(role)) for role in (0, 1))
        value, *_ = solve_matrix(payoffs.astype(np.float64))
        assert (first @ payoffs).min() == pytest.approx(value, abs=CERTAIN)
        assert (payoffs @ second).max() == pytest.approx(value, abs=CERTAIN)
        best = [search.root_moves(role).values.max() for role in (0, 1)]
        assert best == pytest.approx([value, 100 - value], abs=CERTAIN)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_nobody_gains_by_knowing_how_it_plays(name: str) -> None:
    sheet = parse_rules(GAMES[name]())
    subject = Subject(sheet, PlayerOptions(strategy=SOLVER, nodes_mb=16, lanes=64))
    assert max(subject.losses(SmallGame(sheet), playouts=1 << 24, seed=1)) < CERTAIN


@pytest.mark.parametrize(("name", "begun"), [("tic_tac_toe", 1), ("nim", 1), ("hex_small", 6)])
def test_games_by_turns_are_worth_what_minimax_says(name: str, begun: int) -> None:
    net = network(name)
    state = Game.from_propnet(net).initial
    simulator = Simulator(Game.from_propnet(net), lanes=512, seed=1)
    for joint in simulator.record()[0][:begun]:  # of a random game, for whose rest minimax is quick
        state = simulator.next(state, joint)[0]
    search = searching(name, strategy=SOLVER)
    search.set_root(state)
    search.run(playouts=1 << 24)
    minimax = Minimax(simulator, state)
    mover = next(role for role in (0, 1) if len(search.root_moves(role).moves) > 1)
    known = search.root_moves(mover)
    for move, proven in zip(known.moves, known.proven, strict=True):
        joint = [int(search.root_moves(role).moves[0]) for role in (0, 1)]
        joint[mover] = int(move)
        after = simulator.next(state, np.array([joint], np.int32))[0]
        assert {goals[mover] for goals in minimax.values(after.tobytes())} == {proven}
    assert known.proven[known.best] == known.proven.max()


def test_a_puzzle_is_solved() -> None:
    search = solved(LOCK)
    assert proven_goals(network(LOCK), 0, search) == {"(turn 1)": 0, "(turn 2)": 100, "(turn 3)": 0}
    assert len(search.root_moves(0).moves) == 3


def test_goals_that_do_not_make_up_100_count_by_their_difference() -> None:
    """Each is ahead by betraying, though both would have more by silence."""
    search = solved(DILEMMA)
    for role in (0, 1):
        known = search.root_moves(role)
        assert network(DILEMMA).moves[role][known.moves[known.best]] == "betray"
        assert (known.proven == -1).all()


def test_what_was_solved_below_the_root_stays_known() -> None:
    text = tug_of_war(3, 4)
    search = solved(text)
    made = search.stats().state_changes
    net, game = network(text), Game.from_propnet(network(text))
    state = successor(net, game.initial, [moves[0] for moves in net.moves])
    search.set_root(state)
    assert search.stats().solved
    assert search.root_moves(0).optimal
    assert search.stats().state_changes - made <= len(search.root_moves(0).moves) * len(search.root_moves(1).moves)


def test_a_game_that_may_go_on_for_ever_is_given_up() -> None:
    search = searching(TREADMILL, strategy=SOLVER)
    search.run()
    assert not search.stats().solved
    for role in (0, 1):
        known = search.root_moves(role)
        assert len(known.moves) == 2
        assert not known.optimal
        assert known.best == 0


def test_memory_is_capped_and_a_later_root_may_fit() -> None:
    text = GAMES["goofspiel_4"]()
    game = Game.from_propnet(network(text))
    search = Search(game, strategy=SOLVER, memory_bytes=MEMORY, lanes=64)
    search.run()
    assert not search.stats().solved
    assert search.stats().memory_bytes <= MEMORY
    simulator = Simulator(game, lanes=64)
    search.set_root(simulator.next(game.initial, simulator.record()[0][0])[0])
    search.run()
    assert search.stats().solved


def test_a_run_ends_at_its_limits_and_goes_on_from_there() -> None:
    text = GAMES["rock_paper_scissors"]()
    search, runs = searching(text, strategy=SOLVER), 0
    while not search.stats().solved:
        search.run(playouts=1)
        runs += 1
    assert runs > 2
    whole = solved(text)
    assert mixture(search.root_moves(0)) == pytest.approx(mixture(whole.root_moves(0)))
    assert search.stats().nodes == whole.stats().nodes


def test_a_run_ends_at_its_time() -> None:
    search = searching("breakthrough", strategy=SOLVER, memory_bytes=1 << 28)
    began = time.process_time()
    search.run(seconds=0.2)
    assert not search.stats().solved
    assert time.process_time() - began < 5.0


def test_later_roots_are_known_though_not_all_their_images_are() -> None:
    """Few symmetries of many are given, so that what follows a root need not be what follows its image."""
    images = symmetries(network("tic_tac_toe"), seconds=1e9)
    game = Game.from_propnet(network("tic_tac_toe"))
    simulator, search = Simulator(game, lanes=64, seed=5), solved("tic_tac_toe", symmetries=images[:1])
    for moves in simulator.record()[:20]:
        state = game.initial
        for joint in moves[:4]:
            state = simulator.next(state, joint)[0]
            search.set_root(state)
            search.run(playouts=1 << 24)
            whole = solved("tic_tac_toe")
            whole.set_root(state)
            for role in (0, 1):
                assert (search.root_moves(role).proven == whole.root_moves(role).proven).all()


def test_a_root_where_the_game_is_over_and_one_before() -> None:
    text = GAMES["goofspiel_3"]()
    game, search = Game.from_propnet(network(text)), solved(text)
    simulator, state = Simulator(game, lanes=64), game.initial
    for joint in simulator.record()[0]:
        state = simulator.next(state, joint)[0]
    search.set_root(state)
    assert search.stats().solved
    assert search.root_moves(0).best == -1
    assert len(search.expected_line()) == 0
    search.set_root()
    search.run(playouts=1 << 24)
    assert search.root_moves(0).optimal


def test_a_run_is_stopped_and_tells_what_it_knows_meanwhile() -> None:
    search = searching("breakthrough", strategy=SOLVER, memory_bytes=1 << 30)
    running = threading.Thread(target=search.run)
    running.start()
    while search.stats().nodes < 1_000:
        assert search.root_moves(0).best == 0
    search.stop()
    running.join(PATIENCE)
    assert not running.is_alive()


def test_images_of_a_position_are_one() -> None:
    name = "tic_tac_toe"
    images = symmetries(network(name), seconds=1e9)
    plain, folded = solved(name), solved(name, symmetries=images)
    assert folded.stats().nodes < 0.6 * plain.stats().nodes
    assert (folded.root_moves(0).proven == plain.root_moves(0).proven).all()


def test_a_search_has_it_at_its_side_where_several_choose() -> None:
    search = searching(GAMES["goofspiel_4"](), strategy="uct", solver_share=0.5)
    while not search.stats().solved:
        search.run(playouts=1_000)
    assert search.root_moves(0).optimal
    assert search.root_moves(1).optimal


def test_a_search_of_those_who_may_both_gain_has_it_not() -> None:
    """Their goals do not make up 100: what is the best answer to the worst enemy need not be a good move."""
    search = searching(DILEMMA, strategy="uct", solver_share=0.5)
    for _ in range(20):
        search.run(playouts=1_000)
    assert not search.root_moves(0).optimal
