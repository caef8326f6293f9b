"""What is proven of goals holds at every end that play can reach, and games won by who is not to move are proven."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.propnet.analysis.constant_sum import has_constant_sum
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from tests.support.racing_sheets import racing_sheet
from tests.support.reachable import reachable
from tests.support.unbegun_sheets import UNBEGUN

STICKS = """
(role first) (role second)
(init (sticks 4)) (init (control first))
(less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (legal ?r take) (true (control ?r)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (sticks ?m)) (true (sticks ?n)) (less ?n ?m))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (sticks 0)))
"""

LAST_WINS = "(<= (goal ?r 0) (true (control ?r))) (<= (goal ?r 100) (role ?r) (not (true (control ?r))))"
ENDS = {
    LAST_WINS: True,
    "(<= (goal first 100) (true (control first)) (true (control second)))": True,  # never, and so 50 each
    "(goal first 30) (goal second 70)": True,
    "(goal first 30) (goal first 70) (<= (goal second 50) (true (control first)))": True,  # several count as 50
    "(goal first 30) (goal second 30)": False,
    "(<= (goal first 100) (true (control first)))": False,  # with 50 of the other one
    "(goal first 100) (<= (goal second 0) (true (control second)))": False,  # it is not second's turn
}


def sums(net: Propnet) -> set[int]:
    """The sums of the goals at all ends that play can reach; a goal that is missing, or not the only one, is 50."""
    evaluator, states = Evaluator(net), reachable(net)
    ends = evaluator.goals(states[evaluator.terminal(states)])
    return set(np.where(ends < 0, 50, ends).sum(axis=1).tolist())


@pytest.mark.parametrize("goals", ENDS)
def test_a_proof_is_found_just_where_the_goals_sum_to_100(goals: str) -> None:
    net = load(parse_rules(STICKS + goals))
    assert (sums(net) == {100}) == ENDS[goals]
    assert has_constant_sum(net) == ENDS[goals]


@pytest.mark.parametrize("name", UNBEGUN)
def test_games_that_cannot_begin_have_a_proof_too(name: str) -> None:
    assert has_constant_sum(load(UNBEGUN[name]))


@pytest.mark.parametrize("rules", [games.read("tic_tac_toe"), games.read("nim"), *map(racing_sheet, range(6))])
def test_what_is_proven_is_so(rules: str) -> None:
    net = load(parse_rules(rules))
    assert not has_constant_sum(net) or sums(net) == {100}


def test_builtin_games_for_two_are_proven_and_others_are_not() -> None:
    proven = {name: has_constant_sum(load(parse_rules(games.read(name)))) for name in ("connect_four", "eight_puzzle")}
    assert proven == {"connect_four": True, "eight_puzzle": False}
