"""What random games show of a game before a search is chosen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from ludens.agent.learning import random_games
from ludens.agent.learning.learning import control_propositions
from ludens.agent.preparation import evidence
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import evidence_of_iterations, several_choose
from ludens.agent.preparation.independence import independence
from ludens.agent.preparation.strength_model import ALTERNATING
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Game
from tests.support.searching import network


@pytest.mark.parametrize(
    ("name", "roles", "at_once", "alternating"),
    [("tic_tac_toe", 2, 0.0, 1.0), ("connect_four_three", 3, 0.0, 0.0), ("rock_paper_scissors", 2, 1.0, 0.0)],
)
def test_whether_two_roles_alternate_is_seen(name: str, roles: int, at_once: float, alternating: float) -> None:
    found = evidence_of_iterations(Game.from_propnet(network(name)), 1000, None, 1)
    assert (found.roles, found.at_once) == (roles, at_once)
    assert found.figures()[ALTERNATING] == alternating


def test_the_share_counts_positions_in_which_somebody_has_a_choice() -> None:
    """In tron who has one way left has no choice any more."""
    assert 0.5 < evidence_of_iterations(Game.from_propnet(network("tron")), 1000, None, 1).at_once < 0.95


def test_what_several_want_to_know_of_a_game_is_found_out_by_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Mock(wraps=random_games._round)
    monkeypatch.setattr(random_games, "_round", play)
    game = Game.from_propnet(network("tron"))
    for seed in (1, 2):
        for ask in (several_choose, control_propositions):
            ask(game, seed)
        evidence_of_iterations(game, 1000, None, seed)
        independence(game, seed, 0.0)
        assert play.call_count == seed


def test_choices_are_known_where_no_random_game_ends_in_time() -> None:
    found = evidence._evidence(Game.from_propnet(network("tic_tac_toe")), 1000, 1, 1e-9)
    assert 1 < math.exp(found.branching) < 9
    assert found.figures()[ALTERNATING] == 1.0


@pytest.mark.parametrize("kernel", [None, object()])
def test_what_is_expected_goes_by_what_one_thread_searches(monkeypatch: pytest.MonkeyPatch, kernel: object) -> None:
    """A thread, or a kernel, makes 1,000 iterations a second, and a move has two."""
    monkeypatch.setattr(evidence, "iterations_per_second", lambda *_: 1000.0)
    variant = GameVariant.plain(Game.from_propnet(network("tic_tac_toe")))
    plain = SearchConfig.from_settings(PlayerOptions(strategy="uct", threads=4), variant, "uniform")
    finder = evidence.EvidenceFinder(replace(plain, kernel=cast("Any", kernel)), TimeBudget(1.0, 2.0))
    assert finder.of(plain).playouts == pytest.approx(math.log(2000))


@pytest.mark.parametrize(("left", "seconds", "overtime"), [(0.0, 0.5, 0.0), (4.0, 1.0, 1.0), (100.0, 25.0, 12.5)])
def test_a_slow_machine_has_a_part_of_the_time_to_find_out_what_an_evaluation_foretells(
    monkeypatch: pytest.MonkeyPatch, left: float, seconds: float, overtime: float
) -> None:
    asked = list[tuple[float, float]]()

    def measured(*given: Any) -> None:
        asked.append((given[3], given[5]))

    monkeypatch.setattr(evidence, "iterations_per_second", lambda *_: 1000.0)
    monkeypatch.setattr(evidence, "foresight", measured)
    variant = GameVariant.plain(Game.from_propnet(network("tic_tac_toe")))
    plain = SearchConfig.from_settings(PlayerOptions(strategy="uct"), variant, "uniform")
    finder = evidence.EvidenceFinder(plain, TimeBudget(left, 2.0, clock=lambda: 7.0))
    finder.of(replace(plain, evaluation=cast("Any", object())))
    assert asked == [(seconds, overtime)]


def test_the_number_of_moves_is_that_of_who_has_a_choice() -> None:
    found = evidence_of_iterations(Game.from_propnet(network("rock_paper_scissors")), 1000, None, 1)
    assert found.branching == pytest.approx(math.log(3))
