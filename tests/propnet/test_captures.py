"""Captures first: what lanes may choose is what a search of one move finds that counts pieces by their names."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Game, Simulator
from ludens.propnet.analysis.boards import Transitions, pieces
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.lookahead import movers
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_steps
from ludens.propnet.policies.apply import with_policy
from tests.propnet.test_policies import Lookahead, network, parts, random_states
from tests.support.unbegun_sheets import UNBEGUN

_SECONDS = 600.0  # longer than anything here takes: nothing depends on how fast a machine is


class Counting(Lookahead):
    """The oracle: pieces are facts that name a role, such as (cell 1 2 white) and (cell 3 3 white_king)."""

    def pieces(self, state: BoolArray, role: int) -> int:
        facts = (fact for fact, holds in zip(self.net.propositions, state, strict=True) if holds)
        return sum(fact.startswith("(cell ") and f" {self.net.roles[role]}" in fact for fact in facts)

    def captures(self, state: BoolArray, role: int) -> set[int]:
        """The moves of a role after which another has fewer pieces."""
        others = [q for q in range(len(self.net.roles)) if q != role]
        before = [self.pieces(state, q) for q in others]
        after = self.after(state, role)
        return {move for move, next_ in after.items() if [self.pieces(next_, q) for q in others] < before}


@pytest.mark.parametrize("name", ["breakthrough_small", "knightthrough", "mini_chess"])
def test_who_can_capture_does(name: str) -> None:
    net, oracle = with_policy(network(name), "captures", seconds=_SECONDS), Counting(network(name))
    chosen = 0
    states = random_states(network(name), 30)
    for state, rows in zip(states, Evaluator(net).playable(states), strict=True):
        for role, playable in enumerate(parts(net, rows)):
            legal, captures = set(oracle.moves(state)[role].tolist()), oracle.captures(state, role)
            assert playable == (captures or legal)
            chosen += len(playable) < len(legal)
    assert chosen


def test_a_win_and_a_parry_come_before_captures() -> None:
    plain = network("breakthrough_small")
    net, oracle = with_playouts(plain, "captures", _SECONDS), Counting(plain)
    states = random_states(plain, 60)
    left_alone = 0
    for state, rows in zip(states, Evaluator(net).playable(states), strict=True):
        for role, playable in enumerate(parts(net, rows)):
            best, captures = oracle.anti_decisive(state, role), oracle.captures(state, role)
            assert playable == (best & captures or best)
            left_alone += bool(captures) and not best & captures
    assert left_alone


def test_lanes_capture_whenever_they_can() -> None:
    plain = network("breakthrough_small")
    net, oracle = with_policy(plain, "captures", seconds=_SECONDS), Counting(plain)
    chances = 0
    for joint_moves in Simulator(Game.from_propnet(net), 64, seed=3).record()[:6]:
        state = net.initial
        for joint in joint_moves:
            for role, move in enumerate(joint):
                captures = oracle.captures(state, role)
                assert not captures or move in captures
                chances += bool(captures)
            state = oracle.evaluator.next(state, joint)
    assert chances


@pytest.mark.parametrize("name", ["reversi", "english_draughts", "connect_four", "rock_paper_scissors"])
def test_games_with_nothing_to_prefer_are_refused(name: str) -> None:
    with pytest.raises(CompositionError, match="no role had a choice between captures and other moves"):
        with_policy(network(name), "captures", seconds=_SECONDS)


@pytest.mark.parametrize("name", UNBEGUN)
def test_games_that_cannot_begin_are_refused(name: str) -> None:
    with pytest.raises(CompositionError, match="no game can begin"):
        with_policy(load(UNBEGUN[name]), "captures", seconds=_SECONDS)


def test_captures_keep_to_their_bounds() -> None:
    with pytest.raises(CompositionError, match="gates"):
        with_policy(network("breakthrough_small"), "captures", gates=10, seconds=_SECONDS)
    with pytest.raises(CompositionError):
        with_policy(network("breakthrough_small"), "captures", seconds=0.0)


@pytest.mark.parametrize("name", ["breakthrough", "mini_chess"])
def test_pieces_are_those_that_appear_on_their_owners_moves(name: str) -> None:
    net = network(name)
    for role, mine in enumerate(pieces(net, transitions(net))):
        named = [net.propositions[p] for p in mine]
        assert len(named) > 20
        assert all(fact.startswith("(cell ") and f" {net.roles[role]}" in fact for fact in named)


def transitions(net: Propnet) -> Transitions:
    steps = sample_steps(net, seconds=_SECONDS)
    states, legal, following = (np.concatenate(rows) for rows in zip(*steps, strict=True))
    return Transitions(states, following, movers(net, legal))
