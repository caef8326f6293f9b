"""Playout policies: what lanes may choose is what a search of one or two moves would choose, state by state."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Game, Simulator, instruction_sets, unpack_bits
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.lookahead import PolicyError
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import order, reopen
from ludens.propnet.policies.apply import with_policy
from ludens.propnet.policies.table import POLICIES

GAMES = ["tic_tac_toe", "connect_four", "breakthrough_small", "knightthrough", "nim", "pentago", "connect_four_three"]

# One role alone; the door opens with the right key only.
DOOR = """
(role thief)
(init (at corridor))
(legal thief rattle) (legal thief pick) (legal thief leave)
(<= (next (at room)) (true (at corridor)) (does thief pick))
(<= (next (at street)) (does thief leave))
(<= (next (at corridor)) (true (at corridor)) (does thief rattle))
(<= (next (at room)) (true (at room)) (does thief rattle))
(<= terminal (true (at street)))
(<= terminal (true (at room)))
(<= (goal thief 100) (true (at room)))
(<= (goal thief 0) (not (true (at room))))
"""

# White may pass, so that whose turn it is depends on moves and no control states are known.
PASSES = """
(role white) (role black)
(init (turn white)) (init (heap 6))
(less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (less2 ?a ?c) (less ?a ?b) (less ?b ?c))
(<= (legal ?r one) (true (turn ?r)))
(<= (legal ?r two) (true (turn ?r)) (true (heap ?n)) (less2 ?n ?m))
(<= (legal white again) (true (turn white)) (true (heap ?n)) (less2 ?n ?m))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r one) (less ?n ?m))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r two) (less2 ?n ?m))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r again) (less ?n ?m))
(<= (next (turn black)) (true (turn white)) (not (does white again)))
(<= (next (turn white)) (does white again))
(<= (next (turn white)) (true (turn black)))
(<= terminal (true (heap 0)))
(<= (goal white 100) (true (turn black)))
(<= (goal white 0) (not (true (turn black))))
(<= (goal black 100) (true (turn white)))
(<= (goal black 0) (not (true (turn white))))
"""

# Ann marks a square while the others wait, then Bob and Cat choose at the same time while she does.
THREE = """
(role ann) (role bob) (role cat) (init (turn ann)) (square 1) (square 2) (square 3)
(<= (free ?s) (square ?s) (not (true (marked ?s))))
(<= (legal ann (mark ?s)) (true (turn ann)) (free ?s))
(<= (legal ann wait) (true (turn both)))
(<= (legal bob wait) (true (turn ann))) (<= (legal cat wait) (true (turn ann)))
(<= (legal bob (take ?s)) (true (turn both)) (square ?s))
(<= (legal cat (take ?s)) (true (turn both)) (square ?s))
(<= (next (turn both)) (true (turn ann)))
(<= (next (turn ann)) (true (turn both)))
(<= (next (marked ?s)) (does ann (mark ?s)))
(<= (next (marked ?s)) (true (marked ?s)))
(<= (next same) (does bob (take ?s)) (does cat (take ?s)))
(<= line (true (marked 1)) (true (marked 2)))
(<= line (true (marked 2)) (true (marked 3)))
(<= terminal line)
(<= terminal (true (marked 1)) (true (marked 3)))
(<= (goal ann 100) line)
(<= (goal ann 0) (not line))
(<= (goal bob 0) line) (<= (goal cat 0) line)
(<= (goal bob 100) (not line) (true same)) (<= (goal cat 100) (not line) (true same))
(<= (goal bob 50) (not line) (not (true same))) (<= (goal cat 50) (not line) (not (true same)))
"""

TEXTS = {"door": DOOR, "passes": PASSES, "three": THREE}


@cache
def network(name: str) -> Propnet:
    return load(TEXTS.get(name) or games.read(name))


@cache
def played(name: str, policy: str) -> Propnet:
    return with_policy(network(name), policy)


def random_states(net: Propnet, count: int, seed: int = 1) -> BoolArray:
    """Some states of random games in which the game goes on."""
    game = Game.from_propnet(net)
    simulator = Simulator(game, 64, seed)
    found = []
    for joint_moves in simulator.record():
        state = game.initial[None]
        for joint in joint_moves:
            found.append(state[0])
            state = simulator.next(state, joint)
    dice = np.random.default_rng(seed)
    chosen = dice.choice(len(found), min(count, len(found)), replace=False)
    return unpack_bits(np.array(found)[chosen], net.state_bits)


class Lookahead:
    """A search of one or two moves with the numpy evaluator: the oracle."""

    def __init__(self, net: Propnet) -> None:
        self.net = net
        self.evaluator = Evaluator(net)
        self.best = [max(net.goal_value[net.goal_role == role]) for role in range(len(net.roles))]

    def moves(self, state: BoolArray) -> list[np.ndarray]:
        return [rows.nonzero()[0] for rows in self.evaluator.legal_by_role(state)]

    def after(self, state: BoolArray, role: int) -> dict[int, BoolArray]:
        """The states after the moves of a role; none where another can choose."""
        moves = self.moves(state)
        if any(len(m) != 1 for other, m in enumerate(moves) if other != role):
            return {}
        joint = np.array([[m[0] for m in moves]] * len(moves[role]))
        joint[:, role] = moves[role]
        after = self.evaluator.next(np.repeat(state[None], len(joint), axis=0), joint)
        return dict(zip(moves[role].tolist(), after, strict=True))

    def wins(self, state: BoolArray, role: int) -> set[int]:
        """The moves of a role that win at once."""
        after = self.after(state, role)
        if not after:
            return set()
        states = np.array(list(after.values()))
        won = self.evaluator.terminal(states) & (self.evaluator.goals(states)[:, role] == self.best[role])
        return {move for move, win in zip(after, won, strict=True) if win}

    def loses(self, after: BoolArray, role: int) -> bool:
        """Whether in a state that a move of the role led to, another role can win at once."""
        over = bool(self.evaluator.terminal(after))
        return not over and any(self.wins(after, other) for other in range(len(self.best)) if other != role)

    def decisive(self, state: BoolArray, role: int) -> set[int]:
        return self.wins(state, role) or set(self.moves(state)[role].tolist())

    def anti_decisive(self, state: BoolArray, role: int) -> set[int]:
        if wins := self.wins(state, role):
            return wins
        losing = {move for move, after in self.after(state, role).items() if self.loses(after, role)}
        legal = set(self.moves(state)[role].tolist())
        return legal - losing or legal


def parts(net: Propnet, rows: BoolArray) -> list[set[int]]:
    """The moves of each role that hold in `rows`."""
    ends = np.cumsum([0, *map(len, net.moves)])
    return [set(r.nonzero()[0].tolist()) for r in np.split(rows, ends[1:-1])]


@pytest.mark.parametrize("name", [*GAMES, "door", "passes"])
def test_decisive_play_is_a_search_of_one_move(name: str) -> None:
    net, oracle = played(name, "decisive"), Lookahead(network(name))
    states, won = random_states(network(name), 100), 0
    for state, rows in zip(states, Evaluator(net).playable(states), strict=True):
        for role, playable in enumerate(parts(net, rows)):
            assert playable == oracle.decisive(state, role)
            won += bool(oracle.wins(state, role))
    assert won


def test_where_roles_move_together_only_sure_wins_are_preferred() -> None:
    net, oracle = played("tron", "decisive"), Lookahead(network("tron"))
    states = random_states(network("tron"), 100)
    for state, rows in zip(states, Evaluator(net).playable(states), strict=True):
        for role, playable in enumerate(parts(net, rows)):
            assert playable in (oracle.wins(state, role), set(oracle.moves(state)[role].tolist()))


@pytest.mark.parametrize("name", [*GAMES, "passes"])
def test_anti_decisive_play_is_a_search_of_two_moves(name: str) -> None:
    net, oracle = played(name, "anti-decisive"), Lookahead(network(name))
    states, avoided = random_states(network(name), 40), 0
    for state, rows in zip(states, Evaluator(net).playable(states), strict=True):
        for role, playable in enumerate(parts(net, rows)):
            expected = oracle.anti_decisive(state, role)
            assert playable == expected
            avoided += expected != oracle.decisive(state, role)
    assert avoided


@pytest.mark.parametrize("policy", ["decisive", "anti-decisive"])
@pytest.mark.parametrize("name", ["three", "connect_four_three", "tron", "tic_tac_toe"])
def test_some_of_the_legal_moves_of_a_role_are_playable_wherever_there_are_any(name: str, policy: str) -> None:
    net, evaluator = network(name), Evaluator(played(name, policy))
    states = random_states(net, 100)
    legal, playable = evaluator.legal(states), evaluator.playable(states)
    assert (playable <= legal).all()
    for able, chosen in zip(net.by_role(legal), net.by_role(playable), strict=True):
        assert np.array_equal(able.any(axis=1), chosen.any(axis=1))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["breakthrough_small", "knightthrough"])
def test_a_policy_changes_nothing_but_what_is_played(name: str, policy: str) -> None:
    plain, net = network(name), played(name, policy)
    assert (net.roles, net.propositions, net.moves) == (plain.roles, plain.propositions, plain.moves)
    one, other, states = Evaluator(plain), Evaluator(net), random_states(plain, 300)
    assert np.array_equal(one.legal(states), other.legal(states))
    assert np.array_equal(one.terminal(states), other.terminal(states))
    assert np.array_equal(one.goals(states), other.goals(states))
    assert (other.playable(states) <= one.legal(states)).all()
    joint = np.array([[m.argmax() for m in one.legal_by_role(state)] for state in states])
    assert np.array_equal(one.next(states, joint), other.next(states, joint))
    simulator = Simulator(Game.from_propnet(net), 64)
    record = Simulator(Game.from_propnet(plain), 64).record()[0]
    assert simulator.record()[0].shape[1] == record.shape[1] == len(plain.roles)


@pytest.mark.parametrize("policy", ["decisive", "anti-decisive"])
@pytest.mark.parametrize("name", ["connect_four", "breakthrough_small"])
def test_random_games_end_with_a_win_whenever_there_is_one(name: str, policy: str) -> None:
    net, oracle = played(name, policy), Lookahead(network(name))
    chances = 0
    for joint_moves in Simulator(Game.from_propnet(net), 64, seed=3).record()[:6]:
        state = net.initial
        for joint in joint_moves:
            for role, move in enumerate(joint):
                wins = oracle.wins(state, role)
                assert not wins or move in wins
                chances += bool(wins)
            state = oracle.evaluator.next(state, joint)
        assert oracle.evaluator.terminal(state)
    assert chances


@pytest.mark.parametrize("name", ["connect_four", "breakthrough_small"])
def test_lanes_play_the_same_games_on_all_instruction_sets(name: str) -> None:
    game = Game.from_propnet(played(name, "anti-decisive"))
    first, *others = [Simulator(game, seed=5, instruction_set=s).record()[:64] for s in instruction_sets()]
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_playable_moves_survive_the_way_to_a_circuit_and_back() -> None:
    net = played("tic_tac_toe", "decisive")
    again = order(reopen(net))
    states = random_states(net, 100)
    assert np.array_equal(Evaluator(again).playable(states), Evaluator(net).playable(states))


def test_uniform_play_is_what_is_legal_or_was_playable_before() -> None:
    net = with_playouts(network("tic_tac_toe"), "uniform")
    states = random_states(net, 50)
    assert net.playable is None
    assert np.array_equal(Evaluator(net).playable(states), Evaluator(net).legal(states))
    assert with_playouts(played("tic_tac_toe", "decisive"), "uniform") is played("tic_tac_toe", "decisive")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rock_paper_scissors", "at the same time"),
        ("hex_small", "recursive rules"),
        ("towers_of_hanoi", "no move wins"),
    ],
)
def test_games_that_cannot_have_a_policy_are_refused_with_the_reason(name: str, reason: str) -> None:
    net = network(name)
    if name == "towers_of_hanoi":  # made hopeless
        net = dataclasses.replace(net, goal_value=np.full_like(net.goal_value, 50))
    with pytest.raises(CompositionError, match=reason):
        with_policy(net, "decisive")


def test_players_avoid_losing_moves_in_random_games_where_that_is_affordable() -> None:
    chosen = with_playouts(network("connect_four"), "auto")
    assert np.array_equal(chosen.choices, played("connect_four", "anti-decisive").choices)
    assert with_playouts(network("rock_paper_scissors"), "auto") is network("rock_paper_scissors")
    assert with_playouts(network("tic_tac_toe"), "uniform").playable is None
    with pytest.raises(PolicyError, match="at the same time"):
        with_playouts(network("rock_paper_scissors"), "decisive")


def test_a_policy_keeps_to_its_bounds() -> None:
    with pytest.raises(CompositionError, match="gates"):
        with_policy(network("connect_four"), "anti-decisive", gates=100)
    with pytest.raises(CompositionError, match="time"):
        with_policy(network("connect_four"), "anti-decisive", seconds=0.0)
    with pytest.raises(PolicyError, match="no playout policy 'bold'"):
        with_policy(network("connect_four"), "bold")
