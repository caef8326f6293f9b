"""Threats as features: what they say, against the oracle asked for the goals of states with one fact more."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import features
from ludens.agent.learning.features import FeatureNetwork, SavedFeatures, feature_seconds, whole_games, with_features
from ludens.native.core import Game, Simulator, random_samples, unpack_bits
from ludens.propnet.analysis.composition import CompositionError, OutOfTimeError
from ludens.propnet.analysis.dynamics import Inhibitors
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.features.threats import with_threats
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import Term
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states
from ludens.propnet.passes import reopen
from tests.support.evaluations import learned_weights

# Three neighbouring stones of a row of six win. Cells are blank at first, so that a fact goes where a stone comes.
ROW = """
(role x) (role o) (next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5) (next_to 5 6)
(opponent x o) (opponent o x) (at 1) (at 2) (at 3) (at 4) (at 5) (at 6)
(<= (init (cell ?n b)) (at ?n)) (init (control x))
(<= (legal ?p (put ?n)) (true (control ?p)) (true (cell ?n b)))
(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
(<= (next (cell ?n ?p)) (does ?p (put ?n)))
(<= (next (cell ?n ?p)) (role ?p) (true (cell ?n ?p)))
(<= (next (cell ?n b)) (true (cell ?n b)) (not (put_there ?n)))
(<= (put_there ?n) (does ?p (put ?n)))
(<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
(<= (line ?p) (role ?p) (next_to ?a ?b) (next_to ?b ?c)
    (true (cell ?a ?p)) (true (cell ?b ?p)) (true (cell ?c ?p)))
(<= open (true (cell ?n b)))
(<= terminal (line ?p)) (<= terminal (not open))
(<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (opponent ?p ?q) (line ?q))
(<= (goal ?p 50) (role ?p) (not (line x)) (not (line o)))
"""


def rules(name: str) -> str:
    return ROW if name == "row" else games.read(name)


@cache
def network(name: str) -> Propnet:
    return load(rules(name))


@cache
def threatened(name: str) -> Propnet:
    return with_threats(network(name), 60_000, 60.0, whole_games(network(name), math.inf))


def some_states(net: Propnet, count: int) -> BoolArray:
    states, _ = sample_states(net, games=256, seconds=10.0)
    return states[np.random.default_rng(1).permutation(len(states))[:count]]


class Oracle:
    """Whether a role would have won if one fact held besides, and still may come to hold."""

    def __init__(self, name: str, net: Propnet) -> None:
        self.interpreter = Interpreter(parse_rules(rules(name)))
        self.facts = [parse_term(text) for text in net.propositions]
        self.turns = [fact for fact in self.facts if str(fact).startswith("(control")]

    def state(self, bits: BoolArray) -> State:
        return frozenset(fact for fact, holds in zip(self.facts, bits, strict=True) if holds)

    def threatens(self, state: State, fact: Term, role: str) -> bool:
        if fact in state or self.taken(state, fact):
            return False
        others = (state | {fact}) - set(self.turns)
        return any(self.wins(others | {turn}, role) for turn in self.turns)

    def wins(self, state: State, role: str) -> bool:
        return self.interpreter.terminal(state) and self.interpreter.goal(state, role) == 100

    def taken(self, state: State, fact: Term) -> bool:
        """Whether there is a stone on the square of a fact (cell ... player)."""
        square = str(fact).rpartition(" ")[0]
        return any(str(other) in (f"{square} {role})" for role in self.interpreter.roles) for other in state)


@pytest.mark.parametrize(("name", "count"), [("tic_tac_toe", 60), ("row", 60), ("connect_four", 8)])
def test_threats_are_what_the_oracle_says(name: str, count: int) -> None:
    net = network(name)
    states, oracle = some_states(net, count), Oracle(name, net)
    positions = [oracle.state(bits) for bits in states]
    cells = [f for f in oracle.facts if str(f).startswith("(cell") and not str(f).endswith(" b)")]
    expected = {
        tuple(oracle.threatens(state, cell, role) for state in positions)
        for cell in cells
        for role in oracle.interpreter.roles
    }
    found = {tuple(column) for column in Evaluator(threatened(name)).features(states).T.tolist()}
    nowhere = (False,) * len(positions)
    assert len(expected) > 5
    assert found | {nowhere} == expected | {nowhere}


def test_there_is_a_threat_for_each_square_and_role() -> None:
    counts = {name: len(threatened(name).features) for name in ("tic_tac_toe", "row", "connect_four")}
    assert counts == {"tic_tac_toe": 18, "row": 12, "connect_four": 84}


def test_games_that_no_single_fact_wins_are_left_as_they_are() -> None:
    assert threatened("breakthrough") is network("breakthrough")


def test_the_game_is_the_same_with_threats() -> None:
    name = "connect_four"
    states = some_states(network(name), 200)
    plain, made = Evaluator(network(name)), Evaluator(threatened(name))
    assert network(name).propositions == threatened(name).propositions
    np.testing.assert_array_equal(plain.legal(states), made.legal(states))
    np.testing.assert_array_equal(plain.goals(states), made.goals(states))
    np.testing.assert_array_equal(plain.terminal(states), made.terminal(states))


def test_native_code_reads_threats() -> None:
    net = threatened("connect_four")
    game = Game.from_propnet(net)
    bits = unpack_bits(random_samples(game, 2_000, seed=3).features, game.feature_bits)
    told = bits[:, net.state_bits :]
    assert told.any(axis=0).all()
    np.testing.assert_array_equal(told, Evaluator(net).features(bits[:, : net.state_bits]))


def test_what_is_learned_weighs_threats() -> None:
    game = Game.from_propnet(threatened("connect_four"))
    weights = learned_weights(game, 4)
    assert np.abs(weights.linear[:, game.state_bits : -1]).max(axis=(0, 2)).min() > 0


def test_what_is_too_large_or_loops_is_left_out() -> None:
    with pytest.raises(CompositionError):
        with_threats(network("hex_small"), 60_000, 10.0, ())
    with pytest.raises(CompositionError):
        with_threats(network("connect_four"), 100, 10.0, ())
    assert with_features(network("hex_small"), "threats", 60.0) == FeatureNetwork(network("hex_small"))
    assert with_features(network("connect_four"), "state") == FeatureNetwork(network("connect_four"))


def test_what_there_is_no_time_for_is_told() -> None:
    seen = with_features(network("connect_four"), "threats", seconds=0.0)
    assert seen == FeatureNetwork(network("connect_four"), timed_out=frozenset({"threat"}))


@pytest.mark.parametrize(("error", "timed_out"), [(OutOfTimeError, True), (CompositionError, False)])
def test_what_was_given_up_because_it_would_take_too_long_is_told(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, *, timed_out: bool
) -> None:
    def give_up(*_: object) -> Propnet:
        raise error("at once")

    monkeypatch.setitem(features._KINDS, "threats", features._KINDS["threats"]._replace(add=give_up))
    seen = with_features(network("connect_four"), "all", seconds=60.0)
    assert ("threat" in seen.timed_out) == timed_out
    assert not any(feature.what.startswith("threat") for feature in seen.net.feature_names)


def test_what_there_was_no_time_for_is_looked_for_again() -> None:
    net = network("connect_four")
    known = SavedFeatures(lambda _: False, frozenset(), timed_out=frozenset({"threat"}))
    assert len(with_features(net, "all", saved=known).net.features) == 84
    settled = known._replace(timed_out=frozenset())
    assert with_features(net, "all", saved=settled).net is net


def test_there_is_always_time_for_what_was_seen_before() -> None:
    known = SavedFeatures(lambda feature: feature.what.startswith("threat"), frozenset({"threat"}))
    seen = with_features(network("connect_four"), "all", seconds=0.0, saved=known)
    assert len(seen.net.features) == 84 and not seen.timed_out


def test_where_there_is_no_time_for_the_plainest_features_none_are_made() -> None:
    seen = with_features(network("connect_four"), "all", seconds=0.0)
    assert seen == FeatureNetwork(
        network("connect_four"), timed_out=frozenset({"moves", "threat", "territory", "distance"})
    )
    known = SavedFeatures(
        lambda feature: feature.what.startswith("threat"), frozenset({"threat"}), frozenset({"moves"})
    )
    assert len(with_features(network("connect_four"), "all", seconds=0.0, saved=known).net.features) == 84


def test_a_short_start_clock_leaves_time_to_learn_in() -> None:
    assert feature_seconds(15.0) < 0.4 * 15.0
    assert feature_seconds(3600.0) == 15.0


def test_kinds_of_features_add_up() -> None:
    net = network("connect_four")
    seen = {kind: with_features(net, kind, 60.0) for kind in ("mobility", "threats", "all")}
    counts = {kind: len(told.net.features) for kind, told in seen.items()}
    assert counts["threats"] == 84
    assert counts["all"] == counts["mobility"] + counts["threats"]


@pytest.mark.parametrize("name", ["row", "connect_four"])
def test_what_is_barred_never_comes(name: str) -> None:
    net = network(name)
    inhibitors = Inhibitors(reopen(net), math.inf)
    found = [(p, literal) for p in range(net.state_bits) for literal in inhibitors.of(p)]
    assert found
    barred = 0
    for states in random_games(net):
        for proposition, literal in found:
            comes = states[:, proposition]
            bars = (states[:, (literal >> 1) - 1] ^ bool(literal & 1)) & ~comes
            barred += int(bars.any())
            assert not bars.any() or not comes[bars.argmax() :].any()
    assert barred > 0


def random_games(net: Propnet) -> list[BoolArray]:
    """Some games, state by state to the end."""
    simulator = Simulator(Game.from_propnet(net), 64, seed=9)
    found = []
    for joint_moves in simulator.record(max_steps=200)[:20]:
        states = [simulator.game.initial]
        for joint in joint_moves:
            states.append(simulator.next(states[-1], joint)[0])
        found.append(unpack_bits(np.array(states), net.state_bits))
    return found


def test_inhibitors_keep_to_their_time() -> None:
    with pytest.raises(CompositionError):
        Inhibitors(reopen(network("connect_four")), -math.inf)
