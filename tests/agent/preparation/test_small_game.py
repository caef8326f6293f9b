"""Games in which two choose at once are solved in the start clock if their positions are few, and others are not."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace

import pytest

from ludens.agent.preparation import small_game
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.small_game import solve_small_game
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Game
from scripts.strength.exploitability import GAMES
from tests.support.search_sheets import DILEMMA
from tests.support.searching import network

OPTIONS = PlayerOptions(strategy="auto", nodes_mb=64, lanes=64, recall="off")
SMALL = GAMES["goofspiel_4"]()
BIDDING = GAMES["rock_paper_scissors"]()  # a few hundred positions of 9 joint moves each


def plain(text: str, **options: object) -> SearchConfig:
    settings = replace(OPTIONS, **options)  # type: ignore[arg-type]
    return SearchConfig.from_settings(settings, GameVariant.plain(Game.from_propnet(network(text))), "uniform")


def solved(config: SearchConfig, budget: TimeBudget) -> bool:
    found = solve_small_game(config, budget)
    assert found is None or (found.strategy, found.solver_share) == ("uct", 0.9)
    return found is not None


@pytest.mark.parametrize("seconds", [160.0, math.inf])
def test_a_small_game_is_solved(seconds: float) -> None:
    assert solved(plain(SMALL), TimeBudget(seconds, 1.0))


def test_all_but_auto_play_as_they_were_told() -> None:
    made = prepare(network(SMALL), OPTIONS, TimeBudget(160.0, 1.0))
    assert re.fullmatch(
        r"all 261 positions that can come up were solved in advance, by backward induction", made.reason
    )
    assert made.solved is not None
    assert new_search(made, seed=1) is made.solved
    assert made.solved.root_moves(0).optimal
    told = prepare(network(SMALL), replace(OPTIONS, strategy="uct"), TimeBudget(0.0, 1.0))
    assert (told.strategy, told.solver_share) == ("uct", 0.1)


def test_without_time_nothing_is_tried() -> None:
    assert not solved(plain(SMALL), TimeBudget(0.0, 1.0))
    assert not solved(plain(SMALL), TimeBudget(100.0, 1.0, stopped=lambda: True))


@pytest.mark.parametrize("text", ["tic_tac_toe", "connect_four_three", DILEMMA], ids=["turns", "three", "no sum"])
def test_games_by_turns_of_three_and_without_enemies_are_not_for_it(text: str) -> None:
    assert not solved(plain(text), TimeBudget(math.inf, 1.0))


def test_a_game_with_too_many_positions_is_given_up_in_time() -> None:
    began = time.process_time()
    assert not solved(plain("tron"), TimeBudget(3.2, 1.0, clock=time.process_time))
    assert time.process_time() - began < 10.0


def test_a_game_for_whose_positions_there_is_no_room_is_given_up_at_once() -> None:
    assert not solved(plain("tron", nodes_mb=16), TimeBudget(math.inf, 1.0))


def test_a_game_that_fails_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_named: object) -> None:
        raise MemoryError

    monkeypatch.setattr(small_game, "new_search", fail)
    told: list[str] = []
    assert not solved(plain(SMALL), TimeBudget(160.0, 1.0, explain=told.append))
    assert told == ["the game could not be solved: out of memory"]


def test_after_a_failure_it_is_solved_anew_and_until_then_the_search_plays() -> None:
    made = prepare(network(BIDDING), OPTIONS, TimeBudget(160.0, 1.0)).fallback()
    search = new_search(made, seed=1)
    assert search is not None
    search.run(playouts=200)
    assert not search.stats().solved
    assert search.root_moves(0).visits.sum() > 0
