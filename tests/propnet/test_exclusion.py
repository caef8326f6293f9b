"""What is proven of groups of propositions holds in every state that play can reach, and what is plain is proven."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.propnet.analysis.boards import Transitions, boards
from ludens.propnet.analysis.exclusion import exclusion, groups_of
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import MAX_NESTING, parse_rules
from tests.support.racing_sheets import racing_sheet
from tests.support.reachable import reachable
from tests.support.unbegun_sheets import UNBEGUN

LATE = """
(role robot)
(init (step 0)) (init (mark a)) (init (lamp 1))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (other a b) (other b a)
(<= (legal robot ?do) (do ?do))
(do stay) (do swap)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (mark ?x)) (true (mark ?x)) (does robot stay))
(<= (next (mark ?y)) (true (mark ?x)) (other ?x ?y) (does robot swap))
(<= (next (lamp 1)) (true (lamp 1)) (true (step 0)))
(<= (next (lamp 2)) (true (step 1)))
(<= (next (lamp 2)) (true (lamp 2)))
(<= (next (lamp 3)) (true (step 3)) (true (mark b)))
(<= terminal (true (step 4)))
(<= (goal robot 100) (true (lamp ?n)))
"""


@pytest.mark.parametrize("rules", [games.read("tic_tac_toe"), games.read("nim"), LATE, *map(racing_sheet, range(4))])
def test_what_is_proven_holds_in_every_state(rules: str) -> None:
    net = load(parse_rules(rules))
    states = reachable(net)
    groups = groups_of(net)
    proven = exclusion(net, groups)
    assert groups
    for group in groups:
        counts = states[:, list(group)].sum(axis=1)
        assert not proven.at_most(group) or counts.max() <= 1
        assert not proven.exactly(group) or (counts.min(), counts.max()) == (1, 1)


def test_what_is_plain_is_proven_and_what_happens_late_is_not_overlooked() -> None:
    net = load(parse_rules(LATE))
    group = {
        name: tuple(i for i, text in enumerate(net.propositions) if text.startswith(f"({name} "))
        for name in ("step", "mark", "lamp")
    }
    assert len(group["lamp"]) >= 2
    proven = exclusion(net, [*group.values()])
    assert proven.at_most(group["step"])
    assert proven.exactly(group["mark"])
    assert not proven.at_most(group["lamp"])


def test_squares_hold_one_piece_at_most() -> None:
    for name in ("tic_tac_toe", "breakthrough_small", "hex_small", "eight_puzzle"):
        net = load(parse_rules(games.read(name)))
        squares = [
            group for group in groups_of(net) if len({net.propositions[p].rsplit(" ", 1)[0] for p in group}) == 1
        ]
        proven = exclusion(net, squares)
        assert squares
        assert all(map(proven.at_most, squares))


def test_facts_that_nest_deeper_than_what_is_read_are_in_no_group_and_on_no_board() -> None:
    deep = "(s " * 99 + "z" + ")" * 99
    text = f"""
    (role p) (legal p go) (goal p 100) (ok {deep}) (<= (ok ?x) (ok (s ?x)))
    (init (n z)) (<= (next (n (s (s ?x)))) (true (n ?x)) (ok ?x)) (<= terminal (true (n ?x)) (not (ok ?x)))
    """
    net = load(text)
    unread = [place for place, fact in enumerate(net.propositions) if fact.count("(") > MAX_NESTING]
    assert len(unread) == 1
    assert set(range(net.state_bits)) - {place for group in groups_of(net) for place in group} == {*unread}
    states = np.eye(net.state_bits, dtype=np.bool_)
    assert boards(net, Transitions(states, states, np.zeros(len(states), np.int64))) == ()


@pytest.mark.parametrize("name", UNBEGUN)
def test_what_is_proven_holds_in_a_first_state_that_play_cannot_leave(name: str) -> None:
    net = load(parse_rules(UNBEGUN[name]))
    groups = groups_of(net)
    proven = exclusion(net, groups)
    counts = {group: net.initial[list(group)].sum() for group in groups}
    assert any(count > 1 for count in counts.values())
    assert proven.at_most_one
    assert all(counts[group] <= 1 for group in proven.at_most_one)
    assert all(counts[group] >= 1 for group in proven.at_least_one)
