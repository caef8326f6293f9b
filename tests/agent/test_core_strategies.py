"""Strategies that are made for one game core: which games they play, and what is said where they cannot."""

from __future__ import annotations

from functools import cache

import pytest

from ludens import games
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

# Who completes a row has lost.
MISERE = (
    games.read("tic_tac_toe")
    .replace("(goal ?player 100)", "(goal ?player kept)")
    .replace("(goal ?player 0)", "(goal ?player 100)")
    .replace("(goal ?player kept)", "(goal ?player 0)")
)


@cache
def network(text: str) -> Propnet:
    return load(text)


def prepared(text: str, strategy: str) -> tuple[SearchConfig, list[str]]:
    told: list[str] = []
    settings = PlayerOptions(strategy=strategy, threads=1, nodes_mb=16)
    recognised = recognised_game(network(text), settings, told.append)
    return prepare(network(text), settings, TimeBudget(0.0, 1.0, tell=told.append), recognised=recognised), told


@pytest.mark.parametrize("strategy", ["auto", "patterns"])
def test_k_in_a_row_is_played_by_patterns_on_its_core(strategy: str) -> None:
    config, told = prepared(games.read("tic_tac_toe"), strategy)
    assert config.strategy == "patterns"
    assert told[-1].startswith("plays by patterns: the game is 3 in a row on 3 × 3 cells")
    search = new_search(config, seed=1)
    assert search is not None
    search.run(playouts=50_000)
    assert search.root_moves(0).proven.max() == 50


def test_other_strategies_play_it_on_the_network() -> None:
    config, _ = prepared(games.read("tic_tac_toe"), "uct")
    assert (config.strategy, config.variant.game.state_bits) == ("uct", network(games.read("tic_tac_toe")).state_bits)


def test_other_games_are_played_by_random_games_and_that_is_said() -> None:
    config, told = prepared(games.read("nim"), "patterns")
    assert config.strategy == "uct"
    assert told[-1].endswith("patterns plays only on its own game core, and this game has none")


def test_a_game_in_which_rows_lose_is_played_on_its_network() -> None:
    config, told = prepared(MISERE, "auto")
    assert config.strategy != "patterns"
    assert any("is played on its network: patterns does not play for such goals" in line for line in told)
