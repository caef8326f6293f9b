"""Territory as features: who gets to a place first, against queens' moves worked out by hand and the oracle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.features import whole_games, with_features
from ludens.native.core import Game, random_samples, unpack_bits
from ludens.propnet.analysis.composition import Composition, CompositionError
from ludens.propnet.analysis.turns import Relaxation, cycle, turn
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.features.territory import with_territory
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import sample_states
from ludens.propnet.passes import reopen
from tests.support.searching import network

_WAYS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
_Square = tuple[int, int]


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(games.read(name))


@cache
def marked(name: str) -> Propnet:
    return with_territory(network(name), 60_000, 600.0, whole_games(network(name), math.inf))


def some_states(net: Propnet, count: int) -> BoolArray:
    states, _ = sample_states(net, games=64, seconds=60.0)
    return states[np.random.default_rng(1).permutation(len(states))[:count]]


class Lead(NamedTuple):
    """A feature, and where it holds."""

    role: int
    moves: int
    short: bool
    bound: int
    holds: list[bool]


def leads(name: str, states: BoolArray) -> Iterator[Lead]:
    features = Evaluator(marked(name)).features(states)
    for feature, column in zip(marked(name).feature_names, features.T, strict=True):
        kind, role, moves, *short, bound = feature.what.split()
        assert kind == "territory" and short in ([], ["short"])
        yield Lead(int(role), int(moves), bool(short), int(bound), column.tolist())


# ---- Amazons by hand --------------------------------------------------------------------------------------------


def squares(state: frozenset[str], what: str) -> set[_Square]:
    return {(x, y) for x in range(1, 9) for y in range(1, 9) if f"(cell {x} {y} {what})" in state}


def glides(sources: set[_Square], free: set[_Square], longest: int) -> set[_Square]:
    """Where queens come from any of the sources, over so many squares at the most."""
    found = set()
    for x, y in sources:
        for dx, dy in _WAYS:
            for length in range(1, longest + 1):
                at = (x + length * dx, y + length * dy)
                if at not in free:
                    break
                found.add(at)
    return found


def reached(state: frozenset[str], queens: set[_Square], moves: int, longest: int) -> set[_Square]:
    """Where they are within so many moves; who can leave a square may have left it, and be there all the same."""
    board = {(x, y) for x in range(1, 9) for y in range(1, 9)}
    free = board - squares(state, "white") - squares(state, "black") - squares(state, "arrow")
    found = set(queens)
    for _ in range(moves):
        able = {queen for queen in queens if glides({queen}, free, longest)}
        found |= glides(found, free, longest)
        free = free | able
    return found


def test_squares_of_amazons_are_those_that_queens_and_kings_reach_first() -> None:
    net = network("amazons")
    states = some_states(net, 60)
    told = list(leads("amazons", states))
    kinds = [(moves, False) for moves in (1, 2)] + [(moves, True) for moves in (1, 2, 3, 4)]
    assert {(lead.role, lead.moves, lead.short) for lead in told} == {
        (role, *kind) for role in (0, 1) for kind in kinds
    }
    for place, bits in enumerate(states):
        state = frozenset(text for text, holds in zip(net.propositions, bits, strict=True) if holds)
        queens = [squares(state, role) for role in ("white", "black")]
        for moves, short in kinds:
            mine, theirs = (reached(state, each, moves, 1 if short else 8) for each in queens)
            counts = len(mine - theirs), len(theirs - mine)
            for lead in (each for each in told if (each.moves, each.short) == (moves, short)):
                assert lead.holds[place] == (counts[lead.role] >= lead.bound)


@pytest.mark.parametrize("name", ["breakthrough", "knightthrough", "reversi"])
def test_short_moves_are_not_looked_at_apart_where_most_moves_are_short(name: str) -> None:
    assert not any(lead.short for lead in leads(name, some_states(network(name), 1)))


# ---- Roles that move at the same time, by hand ------------------------------------------------------------------


def driven(state: frozenset[str], role: str, moves: int) -> set[_Square]:
    """Where a cycle of tron comes within so many moves while the other one stands still."""
    board = {(x, y) for x in range(1, 9) for y in range(1, 9)}
    free = {(x, y) for x, y in board if f"(wall {x} {y})" not in state} - {(2, 2), (7, 7)}  # those of the first state
    found = {(x, y) for x, y in board if f"(cycle {x} {y} {role})" in state}
    for _ in range(moves):
        found |= {(x + dx, y + dy) for x, y in found for dx, dy in _WAYS if not dx * dy} & free
    return found


def test_squares_of_tron_are_those_that_a_cycle_reaches_first_around_the_walls() -> None:
    net = network("tron")
    states = some_states(net, 60)
    told = list(leads("tron", states))
    assert {(lead.role, lead.moves) for lead in told} == {(role, moves) for role in (0, 1) for moves in (2, 4, 8)}
    for place, bits in enumerate(states):
        state = frozenset(text for text, holds in zip(net.propositions, bits, strict=True) if holds)
        for moves in (2, 4, 8):
            blue, orange = (driven(state, role, moves) for role in ("blue", "orange"))
            counts = len(blue - orange), len(orange - blue)
            for lead in (each for each in told if each.moves == moves):
                assert lead.holds[place] == (counts[lead.role] >= lead.bound)


_STRIP = """(role a) (role b) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (init (at 1 a)) (init (at 6 b))
    (<= (can ?r ?way) (true (at ?x ?r)) (leads ?way ?x ?y))
    (<= (leads up ?x ?y) (succ ?x ?y)) (<= (leads down ?x ?y) (succ ?y ?x))
    (<= (legal ?r ?way) (can ?r ?way))
    (<= (next (at ?y ?r)) (does ?r ?way) (true (at ?x ?r)) (leads ?way ?x ?y))
    (<= terminal (true (at 6 a))) (<= (goal ?r 50) (role ?r))"""


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        ("", True),
        ("(init (at 3 a))", False),  # two pieces
        ("(<= (next (at ?x ?r)) (true (at ?x ?r)))", False),  # whoever leaves a place is still there
    ],
)
def test_places_of_roles_that_move_at_once_are_seen_if_each_is_at_one_of_them(more: str, *, seen: bool) -> None:
    net = load(parse_rules(_STRIP + more))
    made = with_territory(net, 60_000, 600.0, (), lambda _name: True)
    assert bool(made.feature_names) == seen
    if seen:  # in the first state: from 1 one comes to 2 and 3 within two moves, from 6 to 5 and 4
        holds = dict(zip(made.feature_names, Evaluator(made).features(made.initial[None])[0], strict=True))
        assert holds[FeatureName("territory 0 2 3")]
        assert not holds[FeatureName("territory 0 2 4")]
        assert not holds[FeatureName("territory 0 8 1")]  # the other one comes wherever this one does,
        assert holds[FeatureName("territory 1 8 1")]  # ... and is at 6 alone: the game is over once this one is
        assert not holds[FeatureName("territory 1 8 2")]


# ---- One move, by the oracle ------------------------------------------------------------------------------------


class Oracle:
    """What is a role's own, or could be at once, as if it were its turn."""

    def __init__(self, name: str) -> None:
        self.rules = Interpreter(sheet(name))
        self.facts = [parse_term(text) for text in network(name).propositions]
        self.roles = network(name).roles

    def state(self, bits: BoolArray, mover: str) -> State:
        held = [fact for fact, holds in zip(self.facts, bits, strict=True) if holds]
        return frozenset([f for f in held if not str(f).startswith("(control")] + [parse_term(f"(control {mover})")])

    def made(self, bits: BoolArray, mover: str) -> set[str]:
        """The squares, as their propositions without whose they are."""
        state, found = self.state(bits, mover), set()
        for move in self.rules.legal(state, mover):
            joint = {role: move if role == mover else parse_term("noop") for role in self.roles}
            for fact in map(str, self.rules.next(state, joint) | state):
                if fact.startswith("(cell") and fact.endswith(f" {mover})"):
                    found.add(fact.removesuffix(f" {mover})"))
        return found


# The rows that pieces of both sides can come to.
@pytest.mark.parametrize(
    ("name", "rows"), [("breakthrough", range(2, 8)), ("knightthrough", range(2, 8)), ("reversi", range(1, 9))]
)
def test_places_of_one_move_are_those_that_the_rules_give(name: str, rows: range) -> None:
    squares = {f"(cell {x} {y}" for x in range(1, 9) for y in rows}
    states, oracle = some_states(network(name), 12), Oracle(name)
    told = [each for each in leads(name, states) if each.moves == 1]
    assert {lead.role for lead in told} == {0, 1}
    for place, bits in enumerate(states):
        first, second = (squares & oracle.made(bits, role) for role in oracle.roles)
        counts = len(first - second), len(second - first)
        for lead in told:
            assert lead.holds[place] == (counts[lead.role] >= lead.bound)


# ---- As features ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hex", "gomoku", "rock_paper_scissors"])
def test_nobody_is_first_where_stones_go_anywhere_or_there_are_no_places(name: str) -> None:
    assert marked(name) is network(name)


def test_the_same_is_seen_again_if_that_is_wanted() -> None:
    known = set(marked("breakthrough").feature_names[::2])
    again = with_territory(network("breakthrough"), 60_000, 600.0, (), known.__contains__)
    assert set(again.feature_names) == known


def test_an_evaluation_that_sees_no_short_moves_costs_no_gates_for_them() -> None:
    names = {name for name in marked("amazons").feature_names if " short " not in name.what}
    net, seen = network("amazons"), marked("amazons")
    too_few = len(seen.gates) - len(net.gates) - 1
    with pytest.raises(CompositionError):
        with_territory(net, too_few, 600.0, whole_games(net, math.inf))
    plain = with_territory(net, too_few, 600.0, (), names.__contains__)
    assert set(plain.feature_names) == names
    assert len(seen.gates) - len(plain.gates) > 10_000


def test_bounds_hold() -> None:
    for gates, seconds in ((100, 600.0), (60_000, -1.0)):
        with pytest.raises(CompositionError):
            with_territory(network("breakthrough"), gates, seconds, ())


def test_native_features_are_those_of_the_network() -> None:
    net = with_features(network("breakthrough"), "territory").net
    assert {name.what.split()[0] for name in net.feature_names} == {"territory"}
    game = Game.from_propnet(net)
    samples = random_samples(game, 500, seed=3)
    states = unpack_bits(samples.states(game), game.state_bits)
    features = unpack_bits(samples.features, game.feature_bits)[:, game.state_bits :]
    np.testing.assert_array_equal(Evaluator(net).features(states), features)


def test_names_do_not_depend_on_symbols() -> None:
    renamed = load(games.read("breakthrough").replace("white", "w").replace("cell", "field"))
    made = with_territory(renamed, 60_000, 600.0, whole_games(renamed, math.inf))
    assert made.feature_names == marked("breakthrough").feature_names
    assert all(isinstance(name, FeatureName) and not name.about for name in marked("breakthrough").feature_names)


def test_the_last_move_makes_what_is_wanted_as_if_all_were() -> None:
    composition = Composition(reopen(network("breakthrough_small")))
    each = turn(composition, cycle(composition.circuit)[0])
    wanted = set([*each.makes][::3])
    everything, some = Relaxation(composition), Relaxation(composition)
    for _ in range(2):
        everything.make(each, each.control)
    some.make(each, each.control)
    some.make(each, each.control, wanted)
    assert [everything.may(literal) for literal in wanted] == [some.may(literal) for literal in wanted]
    assert [everything.undone(literal ^ 1) for literal in wanted] == [some.undone(literal ^ 1) for literal in wanted]
