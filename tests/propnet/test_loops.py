"""Recursion through ground loops: right where loops stay, and undone where folding constants ends them."""

from __future__ import annotations

import random

from ludens.propnet.compile.loader import compile_rules
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite import narrow
from scripts.common.replay import Comparison, play

WALK = """
(role p) (init on) (next on)
(<= (next off) (not (true on)))
(legal p (to a)) (legal p (to b)) (legal p (to c))
(<= (next (start ?x)) (does p (to ?x)))
(<= (reach ?x) (true (start ?x)))
(<= (reach ?y) (reach ?x) (door ?x ?y))
(<= (goal p 10) (reach a))
(<= (goal p 20) (reach b))
(<= (next (seen ?x)) (reach ?x))
(<= terminal (true (seen c)))
"""

SHUT = "(<= (door b a) (true off)) (<= (door a b) (true on)) (<= (door c a) (true off)) (<= (door b c) (true on))"

OPEN_ON_BOTH_SIDES = """
(<= (door ?x ?y) (true (open ?x ?y))) (link a b) (link b a) (link b c) (link c a)
(<= (next (open ?x ?y)) (link ?x ?y) (does p (to ?x)))
(<= (next (open ?x ?y)) (true (open ?x ?y)))
"""

A_LOOP_FOR_MOVES_AND_ONE_FOR_THE_END = """
(role p) (init (at a)) (init (home b)) (pair a b) (pair b a) (pair b c) (pair c b) (pair c a) (pair a c)
(<= (next (cut ?x ?y)) (does p (cut ?x ?y)))
(<= (next (cut ?x ?y)) (true (cut ?x ?y)))
(<= (next (at ?x)) (does p (cut ?x ?y)))
(<= (next (home ?y)) (does p (cut ?x ?y)))
(<= (link ?x ?y) (pair ?x ?y) (not (true (cut ?x ?y))))
(<= (there ?x) (true (at ?x)))
(<= (there ?y) (there ?x) (link ?x ?y))
(<= (back ?x) (true (home ?x)))
(<= (back ?x) (back ?y) (link ?x ?y))
(<= (legal p (cut ?x ?y)) (link ?x ?y) (back ?x))
(<= terminal (not (there c)))
"""


def network(text: str) -> Propnet:
    return compile_rules(narrow(parse_rules(text)), lambda _line: None).net


def disagreements(text: str) -> list[str]:
    """What the network sees differently from the oracle in ten random games."""
    oracle, comparison = Interpreter(parse_rules(text)), Comparison.of_network(network(text))
    games = [list(play(oracle, random.Random(seed), 6)) for seed in range(10)]
    return [line for steps in games for line in comparison.disagreements(steps)]


def test_a_loop_that_folding_has_ended_leaves_no_feedback() -> None:
    assert len(network(WALK + SHUT).feedback) == 0
    assert disagreements(WALK + SHUT) == []


def test_a_loop_that_play_can_close_stays_one() -> None:
    assert len(network(WALK + OPEN_ON_BOTH_SIDES).loops) > 0
    assert disagreements(WALK + OPEN_ON_BOTH_SIDES) == []


def test_loops_may_be_evaluated_in_another_order_than_they_were_found() -> None:
    net = network(A_LOOP_FOR_MOVES_AND_ONE_FOR_THE_END)
    assert len(net.loops) == 2
    assert disagreements(A_LOOP_FOR_MOVES_AND_ONE_FOR_THE_END) == []
