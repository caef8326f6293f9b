"""Unstoppable wins against brute force: what counts as over is won by who moves; all else is the same game."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.features import with_features
from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Game, Simulator, States
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import NoUnstoppableWinsError, find_unstoppable_wins
from tests.support.racing_sheets import racing_sheet
from tests.support.solved_game import SolvedGame


def simulators(net: Propnet) -> tuple[Simulator, Simulator]:
    """Simulators of the game, and of the same game over at unstoppable wins."""
    early = with_unstoppable_wins(net, find_unstoppable_wins(net, seconds=600.0))
    return Simulator(Game.from_propnet(net)), Simulator(Game.from_propnet(early))


def claims(plain: Simulator, early: Simulator, states: States) -> States:
    """The states that are over only for an unstoppable win; checks that those over anyway are worth the same."""
    over, sooner = plain.terminal(states), early.terminal(states)
    assert sooner[over].all()
    assert np.array_equal(early.goals(states)[over], plain.goals(states)[over])
    return states[sooner & ~over]


@pytest.mark.parametrize("seed", range(16))
def test_what_counts_as_won_is_won_whatever_is_answered(seed: int) -> None:
    assert_sound(load(parse_rules(racing_sheet(seed))))


def assert_sound(net: Propnet) -> None:
    """Holds all that is claimed of a game to brute force."""
    plain, early = simulators(net)
    solved = SolvedGame(net, plain.game.initial.reshape(1, -1))
    won = claims(plain, early, solved.states)
    assert early.goals(won)[:, 0].tolist() == [solved.values[solved.number[state.tobytes()]] for state in won]
    assert (early.goals(won).sum(axis=1) == 100).all()


def test_chains_of_several_moves_are_seen_where_the_opponent_can_interfere() -> None:
    slow = 0
    for seed in range(10):
        net = load(parse_rules(racing_sheet(seed)))
        plain, early = simulators(net)
        won = claims(plain, early, SolvedGame(net, plain.game.initial.reshape(1, -1)).states)
        slow += sum(not wins_at_once(plain, state, int(early.goals(state)[0].argmax())) for state in won)
    assert slow > 100


def wins_at_once(simulator: Simulator, state: States, role: int) -> bool:
    """Whether one move ends the game with the best goal of a role."""
    first, second = (np.flatnonzero(moves[0]) for moves in simulator.legal(state))
    joints = np.array([(a, b) for a in first for b in second], np.int32)
    after = simulator.next(np.repeat(state.reshape(1, -1), len(joints), axis=0), joints)
    return bool((simulator.terminal(after) & (simulator.goals(after)[:, role] == 100)).any())


# Each runs on a track of its own, one or two places a move.
TRACKS = """
    (role a) (role b) (init (control a)) (opponent a b) (opponent b a)
    (init (at a 0)) (init (at b 0)) (last a 6) (last a 7) (last b 7) (last b 8)
    (<= (legal ?r (run ?n)) (true (control ?r)) (true (at ?r ?m)) (on ?m ?n))
    (<= (legal ?r wait) (opponent ?r ?o) (true (control ?o)))
    (<= (next (control ?o)) (true (control ?r)) (opponent ?r ?o))
    (<= (next (at ?r ?n)) (does ?r (run ?n)))
    (<= (next (at ?r ?n)) (true (at ?r ?n)) (does ?r wait))
    (<= (won ?r) (true (at ?r ?n)) (last ?r ?n))
    (<= terminal (won ?r))
    (<= (goal ?r 100) (won ?r)) (<= (goal ?o 0) (won ?r) (opponent ?r ?o))
    (<= (goal ?r 50) (role ?r) (not (won a)) (not (won b)))
""" + " ".join(f"(on {n} {n + 1}) (on {n} {n + 2})" for n in range(8))


def test_all_wins_are_seen_where_nobody_can_interfere() -> None:
    net = load(parse_rules(TRACKS))
    plain, early = simulators(net)
    solved = SolvedGame(net, plain.game.initial.reshape(1, -1))
    moves_first = plain.legal(solved.states)[0].sum(axis=1) > 1
    decided = early.terminal(solved.states)
    assert decided.tolist() == (plain.terminal(solved.states) | (solved.values == 100 * moves_first)).tolist()
    assert early.terminal(plain.game.initial).all()


# The last step of a needs the bridge, which its first step burns.
BRIDGE = (
    TRACKS.replace("(true (at ?r ?m)) (on ?m ?n))", "(true (at ?r ?m)) (on ?m ?n) (not (stopped ?r ?n)))")
    + """
    (init bridge) (<= (next bridge) (true bridge) (not (does a (run 1))) (not (does a (run 2))))
    (<= (stopped a 6) (not (true bridge))) (<= (stopped a 7) (not (true bridge)))
"""
)


def test_a_chain_may_not_destroy_what_it_needs_later() -> None:
    net = load(parse_rules(BRIDGE))
    assert_sound(net)
    assert not simulators(net)[1].terminal(Game.from_propnet(net).initial).any()


def test_games_with_ends_without_a_goal_are_refused() -> None:
    undefined = TRACKS.replace("(<= (goal ?r 50) (role ?r) (not (won a)) (not (won b)))", "")
    undefined += "(<= terminal (true (at a 2))) (<= terminal (true (at a 1)))"
    with pytest.raises(NoUnstoppableWinsError, match="every end of the game has a goal"):
        find_unstoppable_wins(load(parse_rules(undefined)))


def test_what_changes_by_itself_may_depend_on_gates() -> None:
    counter = """
        (init (c 0)) (succ 0 1) (succ 1 2)
        (<= (next (c ?m)) (true (c ?n)) (succ ?n ?m) (does ?r (run ?k)) (true (control ?r)) (not (true (c 9))))
        (<= (next (c 9)) (true (c 2)) (not (true (at a 1))))
    """
    assert_sound(load(parse_rules(TRACKS + counter)))


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("connect_four", "no chain of moves is certain to win"),
        ("connect_four_three", "two roles"),
        ("lights_out", "two roles"),
        ("rock_paper_scissors", "take turns"),
    ],
)
def test_games_without_unstoppable_wins_are_refused(game: str, why: str) -> None:
    with pytest.raises(NoUnstoppableWinsError, match=why):
        find_unstoppable_wins(load(games.read(game)))


def test_more_gates_or_time_than_allowed_are_refused() -> None:
    net = load(games.read("breakthrough_small"))
    with pytest.raises(CompositionError, match="gates"):
        find_unstoppable_wins(net, gates=100)
    with pytest.raises(CompositionError, match="time"):
        find_unstoppable_wins(net, seconds=0.0)


def test_what_a_network_has_besides_stays() -> None:
    net = load(games.read("breakthrough_small"))
    dressed = with_features(with_playouts(net, "anti-decisive"), "mobility").net
    early, plain = with_unstoppable_wins(dressed, wins := find_unstoppable_wins(net)), with_unstoppable_wins(net, wins)
    states, _ = sample_states(net, 64, seconds=600.0)
    one, other = Evaluator(dressed), Evaluator(early)
    assert early.feature_names == dressed.feature_names
    for told in ("legal", "playable", "features"):
        assert np.array_equal(getattr(one, told)(states), getattr(other, told)(states))
    assert np.array_equal(other.terminal(states), Evaluator(plain).terminal(states))
    assert not np.array_equal(other.terminal(states), one.terminal(states))
