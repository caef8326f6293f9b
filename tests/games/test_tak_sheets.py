"""The rule sheets of Tak against the slow reference, state by state."""

from __future__ import annotations

import random

import pytest

from ludens import games
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.rare_ends import double_roads
from ludens.games.tak.rules.reference import has_road
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from scripts.verify.tak_sheets import (
    PLY_LIMIT,
    Compared,
    NetworkPlayer,
    OraclePlayer,
    Played,
    compare,
    game_of,
    random_game,
)


def random_games(rules: TakRules, count: int) -> list[Played]:
    rng = random.Random(rules.size)
    return [random_game(rules, rng) for _ in range(count)]


@pytest.mark.parametrize(("size", "count"), [(3, 24), (4, 8), (5, 4)])
def test_the_sheets_play_as_the_reference(size: int, count: int) -> None:
    player = NetworkPlayer(parse_rules(games.read(f"tak_{size}")))
    compared = compare(player, random_games(TakRules(size, ply_limit=PLY_LIMIT), count))
    assert compared.games == count and compared.highest > size and compared.at_limit


@pytest.mark.parametrize("size", [3, 4])
def test_the_sheets_play_as_the_reference_by_the_oracle(size: int) -> None:
    player = OraclePlayer(parse_rules(games.read(f"tak_{size}")))
    assert compare(player, random_games(TakRules(size, ply_limit=PLY_LIMIT), 3)).states > 30


@pytest.mark.parametrize("size", [3, 4, 5])
def test_two_roads_at_once_count_as_the_reference_says(size: int) -> None:
    player = NetworkPlayer(parse_rules(games.read(f"tak_{size}")))
    played = [game_of(TakRules(size, ply_limit=PLY_LIMIT), moves) for moves in double_roads(TakRules(size))]
    assert all(has_road(game.positions[-1], player) for game in played for player in (0, 1))
    assert compare(player, played).games == 2


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
    player = NetworkPlayer(parse_rules(text.replace(there, changed)))
    with pytest.raises(LudensError, match=told):
        compare(player, random_games(TakRules(3, ply_limit=PLY_LIMIT), 48))


def test_what_was_compared_adds_up() -> None:
    both = Compared(2, 50, 4, 1) + Compared(1, 30, 7, 0)
    assert str(both) == "3 games, 80 states, stacks of up to 7 pieces, 1 games at the limit of plies"
