"""Games of any rules: on their network, or on the rules themselves where that takes more than is allowed."""

from __future__ import annotations

import dataclasses

import pytest

from ludens import games
from ludens.agent.analysis.analysis import analyse
from ludens.agent.commands.bench import measure
from ludens.agent.playable.playable_game import playable_game
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.compile.loader import Limits
from ludens.propnet.gdl.parser import parse_rules
from tests.support.waiting import PATIENCE

NO_TIME = Limits(seconds=0.0)  # over before it begins


@pytest.mark.parametrize("name", ["tic_tac_toe", "reversi", "gomoku"])
def test_the_least_memory_that_settings_take_suffices_for_small_networks(name: str) -> None:
    [least] = [f.metadata["low"] for f in dataclasses.fields(PlayerOptions) if f.name == "grounding_mb"]
    it = playable_game(parse_rules(games.read(name)), Limits(PATIENCE, least), lambda _line: None)
    assert it.loaded is not None


def test_rules_without_a_network_are_interpreted_and_the_reason_is_kept() -> None:
    told: list[str] = []
    it = playable_game(parse_rules(games.read("tic_tac_toe")), NO_TIME, told.append)
    assert it.loaded is None
    assert it.game.machine == "rules"
    assert "--grounding-seconds" in it.fallback_reason
    assert told[-1].startswith("interpreting the rules")


def test_a_game_without_a_network_is_analysed_by_random_games() -> None:
    it = playable_game(parse_rules(games.read("tic_tac_toe")), NO_TIME, lambda _line: None)
    found = analyse(it, 2.0, lambda _line: None)
    assert (found.network, found.profile) == (None, None)
    assert found.fallback_reason == it.fallback_reason
    assert found.statistics.games + found.statistics.unfinished > 0


def test_a_game_without_a_network_is_measured_on_its_rules() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    measured = measure("tic_tac_toe", sheet, seconds=0.2, lanes=0, threads=1, limits=NO_TIME)
    assert measured.gates is None
    assert "--grounding-seconds" in measured.fallback_reason
    assert measured.playouts_per_s > 0
    assert measured.search_iterations_per_s > 0
