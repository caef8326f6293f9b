"""How many random games a leaf gets: the best number by theory, measured once, and never against the user."""

from __future__ import annotations

import itertools

import pytest

from ludens import games
from ludens.agent.engine.backends import rules_backend
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Game
from ludens.native.kernels import leaf_playouts
from ludens.native.kernels.leaf_playouts import MOST, best_count, choose_playouts_per_leaf
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules


@pytest.mark.parametrize(("tree", "playout"), [(5.0, 1.0), (1.0, 1.0), (0.3, 1.0), (1.0, 3.0), (0.0, 1.0)])
def test_the_number_is_the_one_with_the_least_error_in_a_given_time(tree: float, playout: float) -> None:
    between, within = 1.0, 5.0

    def error(k: int) -> float:
        visits = 1 / (tree + k * playout)
        return (between**2 + within**2 / k) / visits

    best = min(range(1, MOST + 1), key=error)
    assert abs(best_count(tree + playout, playout) - best) <= 1
    assert error(best_count(tree + playout, playout)) <= 1.05 * error(best)


def test_a_measurement_that_makes_no_sense_means_one_game() -> None:
    assert best_count(1.0, 2.0) == 1


def test_the_two_costs_are_measured_once_for_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    costs = itertools.cycle([1.0, 2.0])

    def cost(_game: Game, strategy: str) -> float:
        asked.append(strategy)
        return next(costs)

    monkeypatch.setattr(leaf_playouts, "_cost", cost)
    game = Game.from_propnet(load(games.read("tic_tac_toe")))
    assert choose_playouts_per_leaf(game, "uct") == choose_playouts_per_leaf(game, "uct") == 5
    assert asked == ["flat", "uct"]
    assert choose_playouts_per_leaf(game, "flat") == choose_playouts_per_leaf(game, "alphabeta") == 1
    assert asked == ["flat", "uct"]


@pytest.mark.parametrize("name", ["connect_four", "nim"])
def test_any_game_is_measured(name: str) -> None:
    assert 1 <= choose_playouts_per_leaf(Game.from_propnet(load(games.read(name))), "uct") <= MOST


def test_players_take_what_was_measured_unless_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.search.assembly.choose_playouts_per_leaf", lambda game, strategy: 5)
    game = Game.from_propnet(load(games.read("connect_four")))
    for wanted, expected in ((0, 5), (3, 3)):
        settings = PlayerOptions(strategy="uct", playouts_per_leaf=wanted, lanes=64, nodes_mb=16)
        search = new_search(SearchConfig.from_settings(settings, GameVariant.plain(game), "uniform"), seed=1)
        assert search is not None
        search.run(playouts=3_000)
        assert search.stats().playouts / search.stats().iterations == pytest.approx(expected, rel=0.05)


def test_the_rule_machine_plays_one_game_a_leaf_unless_it_is_told() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    for wanted, expected in ((0, 1), (4, 4)):
        _, config = rules_backend(sheet, PlayerOptions(playouts_per_leaf=wanted)).make()
        assert config.lanes == config.playouts_per_leaf == expected
