"""How far what roles choose at the same time is found to matter to each other."""

from __future__ import annotations

import math

import pytest

from ludens.agent.preparation.independence import independence
from ludens.native.core import Game
from tests.support.searching import network

# Each takes a card of its own row; the difference of both is what they gain or lose.
CARDS = """
(role a) (role b)
(init start)
(card 1) (card 2) (card 3)
(<= (legal ?role (take ?card)) (role ?role) (card ?card) (true start))
(<= (next (took ?role ?card)) (does ?role (take ?card)))
(<= terminal (not (true start)))
(pay 1 1 50 50) (pay 1 2 40 60) (pay 1 3 30 70)
(pay 2 1 60 40) (pay 2 2 50 50) (pay 2 3 40 60)
(pay 3 1 70 30) (pay 3 2 60 40) (pay 3 3 50 50)
(<= (goal a ?x) (true (took a ?m)) (true (took b ?n)) (pay ?m ?n ?x ?y))
(<= (goal b ?y) (true (took a ?m)) (true (took b ?n)) (pay ?m ?n ?x ?y))
"""
MIXED = CARDS.replace("(pay 2 2 50 50)", "(pay 2 2 70 30)")

LOT = """
(<= (next drawing) (true start))
(<= (next (drew ?n)) (does a (draw ?n)))
(coin 1) (coin 2)
(<= (legal a (draw ?n)) (true drawing) (coin ?n))
(<= (legal b wait) (true drawing))
(<= terminal (true (drew ?n)))
(<= (goal a 100) (true (drew 1)))
(<= (goal a 0) (true (drew 2)))
(<= (goal b 0) (true (drew 1)))
(<= (goal b 100) (true (drew 2)))
"""


def found(rules: str, seed: int = 1) -> float:
    return independence(Game.from_propnet(network(rules)), seed, math.inf)


def test_moves_whose_gains_add_up_are_independent() -> None:
    assert found(CARDS) == 1.0


@pytest.mark.parametrize("name", ["rock_paper_scissors", "tic_tac_toe"])
def test_where_all_depends_on_the_other_move_or_nobody_moves_at_once_there_is_none(name: str) -> None:
    assert found(name) < 0.05


def test_what_depends_on_both_in_part_is_in_between() -> None:
    assert 0.7 < found(MIXED) < 0.9


def test_it_follows_from_the_seed() -> None:
    assert found("tron", 3) == found("tron", 3)


def test_one_position_tells_nothing() -> None:
    assert independence(Game.from_propnet(network(CARDS)), 1, 0.0) == 0.0


def test_gains_by_chance_are_not_those_of_moves() -> None:
    """Who wins is drawn by lot after the choice, whatever that was."""
    lot = CARDS[: CARDS.index("(<= terminal")] + LOT
    assert found(lot) == 0.0
