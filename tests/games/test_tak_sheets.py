"""The rule sheets of Tak against the slow reference, state by state."""

from __future__ import annotations

import random

import pytest

from ludens import games
from ludens.games.tak.rules.parameters import TakRules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from scripts.verify.tak_sheets import PLY_LIMIT, Compared, NetworkPlayer, OraclePlayer, compare


@pytest.mark.parametrize(("size", "count"), [(3, 24), (4, 8), (5, 4)])
def test_the_sheets_play_as_the_reference(size: int, count: int) -> None:
    rules = TakRules(size, ply_limit=PLY_LIMIT)
    player = NetworkPlayer(parse_rules(games.read(f"tak_{size}")))
    compared = compare(rules, player, count, random.Random(size))
    assert compared.games == count and compared.highest > size and compared.at_limit


@pytest.mark.parametrize("size", [3, 4])
def test_the_sheets_play_as_the_reference_by_the_oracle(size: int) -> None:
    rules = TakRules(size, ply_limit=PLY_LIMIT)
    player = OraclePlayer(parse_rules(games.read(f"tak_{size}")))
    assert compare(rules, player, 3, random.Random(size)).states > 30


@pytest.mark.parametrize(
    ("there", "changed", "told"),
    [
        ("(reserve white 10)", "(reserve white 9)", "too many"),
        ("(true (move 101))", "(true (move 90))", "terminal are|too many"),
        ("(joined ?player right c ?y)", "(joined ?player right b ?y)", "terminal are"),
        ("    (more ?m ?n))", "    (more ?n ?m))", "goals are"),
        ("    (not opening)\n    (true (piece", "    (true (piece", "legal are"),
        ("    (in_hand ?h ?player))", "    (in_hand ?d ?player))", "too many|not legal"),
    ],
)
def test_other_rules_are_told_from_those_of_tak(there: str, changed: str, told: str) -> None:
    text = games.read("tak_3")
    assert text.count(there) == 1 or there == "(reserve white 10)"
    rules, player = TakRules(3, ply_limit=PLY_LIMIT), NetworkPlayer(parse_rules(text.replace(there, changed)))
    with pytest.raises(LudensError, match=told):
        compare(rules, player, 48, random.Random(1))


def test_what_was_compared_adds_up() -> None:
    both = Compared(2, 50, 4, 1) + Compared(1, 30, 7, 0)
    assert str(both) == "3 games, 80 states, stacks of up to 7 pieces, 1 games at the limit of plies"
