"""Relative goals say who is ahead and by how much, and always sum to 100; all else of the game stays as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.propnet.analysis.relative_goals import RelativeGoalsError, sums_to_100, with_relative_goals
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from tests.support.reachable import reachable
from tests.support.unequal_goals import SPITE


def test_the_relative_goals_of_every_end_follow_from_those_of_the_rules() -> None:
    net = load(parse_rules(SPITE))
    ends = _ends(net)
    expected = {(55, 81): (37, 63), (60, 71): (44, 56), (55, 11): (72, 28), (60, 0): (80, 20)}
    before = [tuple(goals) for goals in _goals(net, ends)]
    assert set(before) == set(expected)
    assert [tuple(goals) for goals in _goals(with_relative_goals(net), ends)] == [expected[goals] for goals in before]


def test_states_moves_and_ends_stay_as_they_are() -> None:
    net = load(parse_rules(SPITE))
    relative = with_relative_goals(net)
    assert (relative.propositions, relative.moves) == (net.propositions, net.moves)
    states = reachable(net)
    for tells in ("legal", "terminal"):
        assert np.array_equal(*(getattr(Evaluator(each), tells)(states) for each in (net, relative)))


def test_a_value_that_may_come_about_in_several_ways_is_one() -> None:
    one = "(<= (goal giver 55) (true taken))"
    ways = "(<= (goal giver 55) (true taken) (true given)) (<= (goal giver 55) (true taken) (not (true given)))"
    nets = load(parse_rules(SPITE)), load(parse_rules(SPITE.replace(one, ways)))
    several, one_way = (_goals(with_relative_goals(net), _ends(net)) for net in nets)
    assert np.array_equal(several, one_way)


def test_a_role_without_a_goal_counts_as_having_50() -> None:
    net = load(parse_rules(SPITE.replace("(<= (goal giver 55) (true taken))", "")))
    ends = _ends(net)
    expected = {(-1, 81): (34, 66), (60, 71): (44, 56), (-1, 11): (70, 30), (60, 0): (80, 20)}
    assert [tuple(goals) for goals in _goals(with_relative_goals(net), ends)] == [
        expected[tuple(goals)] for goals in _goals(net, ends)
    ]


def test_goals_for_one_role_alone_are_compared_with_50() -> None:
    only = SPITE[: SPITE.index("(<= (goal other 81)")]
    net = load(parse_rules(only))
    assert set(map(tuple, _goals(with_relative_goals(net), _ends(net)))) == {(53, 47), (55, 45)}


@pytest.mark.parametrize(
    ("rules", "expected"), [(games.read("connect_four"), True), (games.read("tic_tac_toe"), True), (SPITE, False)]
)
def test_goals_that_are_the_rest_for_the_other_sum_to_100(rules: str, expected: bool) -> None:
    assert sums_to_100(load(parse_rules(rules))) == expected
    assert sums_to_100(with_relative_goals(load(parse_rules(rules))))


@pytest.mark.parametrize("name", ["connect_four_three", "eight_puzzle"])
def test_other_numbers_of_roles_than_two_are_refused(name: str) -> None:
    with pytest.raises(RelativeGoalsError, match="are for two roles, and this game has"):
        with_relative_goals(load(parse_rules(games.read(name))))


def test_more_goals_than_can_be_compared_are_refused() -> None:
    net = load(parse_rules(SPITE))
    values = np.arange(101, dtype=np.int32)
    many = replace(
        net,
        goal_role=np.repeat(np.array([0, 1], np.int32), 101),
        goal_value=np.tile(values, 2),
        goal_literal=np.full(202, net.terminal, np.int32),
    )
    with pytest.raises(RelativeGoalsError, match="101 and 101 different goals are too many to compare"):
        with_relative_goals(many)


def _ends(net: Propnet) -> BoolArray:
    states = reachable(net)
    return states[Evaluator(net).terminal(states)]


def _goals(net: Propnet, states: BoolArray) -> npt.NDArray[np.int64]:
    return Evaluator(net).goals(states)
