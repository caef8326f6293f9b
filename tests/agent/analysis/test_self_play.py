"""Games of a player against itself, by which a game's balance between good players is told."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ludens import games
from ludens.agent.analysis import good_play as module
from ludens.agent.analysis.good_play import GoodPlay, good_play
from ludens.agent.analysis.self_play import self_play
from ludens.agent.learning.random_games import Ending
from ludens.agent.playable.playable_game import PlayableGame, playable_game
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.agent.analysis.test_random_games import NO_GOAL, STUCK
from tests.support.waiting import PATIENCE

STUCK_SOON = STUCK.replace("(<= (legal red pass) (true (n ?y)))", "")  # red could pass for ever

# One move takes the prize, another leaves it.
GRAB = """
(role a) (role b) (init free) (legal a take) (legal a wait) (legal b wait)
(<= (next taken) (does a take)) (<= (next over) (true free)) (<= terminal (true over))
(<= (goal a 100) (true taken)) (<= (goal a 0) (not (true taken)))
(<= (goal b 100) (not (true taken))) (<= (goal b 0) (true taken))
"""


def playable(rules: str, seconds: float = PATIENCE) -> PlayableGame:
    return playable_game(parse_rules(rules), Limits(seconds), lambda _line: None)


def played(game: PlayableGame, count: int = 4, **options: str) -> GoodPlay:
    settings = PlayerOptions.from_texts({"strategy": "uct", "iterations": "300", "nodes_mb": "64", **options})
    return good_play(game, settings, 0.01, count, lambda _line: None)


@pytest.mark.parametrize("seconds", [PATIENCE, 0.0], ids=["network", "rules"])
def test_a_good_player_takes_what_a_random_one_takes_half_the_time(seconds: float) -> None:
    it = played(playable(GRAB, seconds))
    assert it.outcomes == (((100, 0), 4),)
    assert (it.games, it.mean_length) == (4, 1.0)
    assert it.results[0].wins.value == 1


def test_the_same_iterations_play_the_same_games() -> None:
    game = playable(games.read("tic_tac_toe"))
    assert played(game) == played(game)


def test_it_tells_what_thinking_is_worth_and_how_games_go() -> None:
    it = played(playable(games.read("connect_four")), count=6)
    assert it.thinking is not None
    assert it.thinking.games == 6
    assert it.thinking.score > 0.5  # the same games on every machine
    assert it.course is not None
    assert it.course.games == sum(count for _, count in it.lengths) == 6
    assert 1 < it.branching <= 7
    assert 0 <= it.forced < 0.5


def test_who_has_no_choice_is_forced() -> None:
    it = played(playable(GRAB.replace("(legal a wait)", "")))
    assert (it.forced, it.branching) == (1.0, 1.0)


@pytest.mark.parametrize(("rules", "ending"), [(STUCK_SOON, Ending.STUCK), (NO_GOAL, Ending.NO_GOAL)])
def test_games_that_end_as_no_game_should_are_told(rules: str, ending: Ending) -> None:
    it = played(playable(rules), count=2)
    assert it.improper == ((ending, 2),)
    assert it.results == ()


def test_every_game_is_told_when_it_is_over() -> None:
    told: list[str] = []
    good_play(playable(GRAB), PlayerOptions(strategy="flat", nodes_mb=64), 0.01, 3, told.append)
    assert [line for line in told if "of 3" in line] == [f"game {n} of 3 of good play is over" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("options", "seconds"), [({}, 60.0), ({"learn": "7"}, 7.0), ({"learn": "0"}, 0.0), ({"learn": "3600"}, 3600.0)]
)
def test_a_player_prepares_for_a_minute_or_for_as_long_as_it_may_learn(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], seconds: float
) -> None:
    def prepare(_net: Propnet, _options: PlayerOptions, budget: TimeBudget) -> SearchConfig:
        raise LudensError(f"prepared for {budget.seconds} s")

    monkeypatch.setattr(module, "prepare", prepare)
    with pytest.raises(LudensError, match=f"prepared for {seconds} s"):
        good_play(playable(GRAB), PlayerOptions.from_texts(options), 0.01, 1, lambda _line: None)


def test_a_player_that_does_not_search_is_refused() -> None:
    with pytest.raises(LudensError, match="random makes no search"):
        played(playable(GRAB), strategy="random", iterations="0")


def test_the_results_are_plain_data() -> None:
    assert dataclasses.asdict(played(playable(GRAB)))["outcomes"] == (((100, 0), 4),)


def test_the_searches_of_all_games_at_once_keep_to_the_memory_of_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game in which one side thinks less has two."""
    made: list[int] = []

    def noted(config: SearchConfig, *given: Any) -> Any:
        made.append(config.memory_mb)
        return self_play(config, *given)

    monkeypatch.setattr(module, "self_play", noted)
    monkeypatch.setattr(module, "processors", lambda: 4)
    good_play(playable(GRAB), PlayerOptions(strategy="flat", nodes_mb=64), 0.01, 4, lambda _line: None)
    assert made and max(made) * 2 * 4 <= 64
