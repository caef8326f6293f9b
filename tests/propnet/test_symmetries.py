"""Symmetries held to what they promise: what follows from a state follows from its image, image by image."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ludens import games
from ludens.propnet.analysis.composition import Composition
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.arrays import BoolArray, Int32Array
from ludens.propnet.compile.loader import load
from ludens.propnet.features.counts import with_features
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import sample_states
from tests.propnet.test_unstoppable_wins import TRACKS
from tests.support.racing_sheets import racing_sheet

_MANY = 600.0  # seconds: no machine is too slow


def sheet_network(rules: str) -> Propnet:
    """The network of a rule sheet."""
    return load(parse_rules(rules))


def image(row: Int32Array, states: BoolArray) -> BoolArray:
    """The states that a symmetry carries some into."""
    after = np.zeros_like(states)
    after[..., row] = states
    return after


def successors(evaluator: Evaluator, state: BoolArray) -> set[bytes]:
    """All states that may come next."""
    moves = [legal.nonzero()[0] for legal in evaluator.legal_by_role(state)]
    joints = np.array(list(product(*moves)))
    return {after.tobytes() for after in evaluator.next(np.repeat(state[None], len(joints), axis=0), joints)}


def assert_symmetric(net: Propnet, row: Int32Array) -> None:
    evaluator = Evaluator(net)
    states, _ = sample_states(net, 8, seconds=_MANY)
    assert sorted(row.tolist()) == list(range(net.state_bits))
    assert np.array_equal(evaluator.terminal(states), evaluator.terminal(image(row, states)))
    assert np.array_equal(evaluator.goals(states), evaluator.goals(image(row, states)))
    for state in states[~evaluator.terminal(states)][:40]:
        expected = {image(row, np.frombuffer(t, np.bool_)).tobytes() for t in successors(evaluator, state)}
        assert successors(evaluator, image(row, state)) == expected


@pytest.mark.parametrize(
    ("game", "count"), [("breakthrough_small", 1), ("knightthrough", 1), ("tic_tac_toe", 1), ("lights_out", 7)]
)
def test_symmetries_of_boards(game: str, count: int) -> None:
    net = sheet_network(games.read(game))
    found = symmetries(net, seconds=_MANY)
    assert len({row.tobytes() for row in found}) == len(found) >= count
    assert not (found == np.arange(net.state_bits)).all(axis=1).any()
    for row in found:
        assert_symmetric(net, row)


def test_the_mirror_image_of_a_board() -> None:
    net = sheet_network(games.read("breakthrough_small"))
    (row,) = symmetries(net, seconds=_MANY)
    number = {text: i for i, text in enumerate(net.propositions)}
    for file, rank, side in product(range(1, 6), range(1, 6), ("white", "black")):
        assert row[number[f"(cell {file} {rank} {side})"]] == number[f"(cell {6 - file} {rank} {side})"]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_found_in_random_games_holds(seed: int) -> None:
    net = sheet_network(racing_sheet(seed))
    for row in symmetries(net, seconds=_MANY):
        assert_symmetric(net, row)


def test_one_rule_more_breaks_a_symmetry() -> None:
    text = games.read("breakthrough_small")
    uneven = text + "(<= (won white) (true (cell 1 4 white)) (true (cell 2 4 white)))"
    assert [len(symmetries(sheet_network(rules), seconds=_MANY)) for rules in (text, uneven)] == [1, 0]


def test_roles_do_not_stand_for_each_other() -> None:
    even = TRACKS.replace("(last b 7) (last b 8)", "(last b 6) (last b 7)")
    assert len(symmetries(sheet_network(even), seconds=_MANY)) == 0


def test_no_more_than_asked_for_and_none_without_time() -> None:
    net = sheet_network(games.read("lights_out"))
    assert len(symmetries(net, most=3, seconds=_MANY)) == 3
    assert symmetries(net, seconds=0.0).shape == (0, net.state_bits)


def test_networks_with_loops_are_left_alone() -> None:
    assert len(symmetries(sheet_network(games.read("hex_small")), seconds=_MANY)) == 0


def test_where_goals_cannot_be_told_apart_no_permutation_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    net = sheet_network(games.read("breakthrough_small"))
    roles, values, literals = (np.tile(goals, 2) for goals in (net.goal_role, net.goal_value, net.goal_literal))
    twice = replace(net, goal_role=roles, goal_value=values, goal_literal=literals)
    monkeypatch.setattr("ludens.propnet.analysis.symmetries._Graph._refined", lambda *_: pytest.fail("looked for"))
    assert len(symmetries(twice, seconds=_MANY)) == 0


def test_features_do_not_break_symmetries() -> None:
    net = sheet_network(games.read("breakthrough_small"))
    one, other = (2 * (1 + net.propositions.index(f"(cell 1 {rank} white)")) for rank in (1, 2))
    composition = Composition.from_network(net, 1, math.inf)
    uneven = with_features(composition, [composition.both(one, other)], [FeatureName("both")])
    assert len(uneven.features) == 1
    assert len(symmetries(uneven, seconds=_MANY)) == 1


def test_what_differs_in_moves_alone_is_no_symmetry_of_states() -> None:
    moves = " ".join(f"(legal {role} {move})" for role in "ab" for move in "xy")
    rules = f"(role a) (role b) {moves} (init on) (<= terminal (not (true on))) (goal a 50) (goal b 50)"
    assert len(symmetries(sheet_network(rules), seconds=_MANY)) == 0
