"""What evaluations see of a game: it is chosen by random games that are played to their ends."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ludens import games
from ludens.agent.learning import features
from ludens.agent.learning.features import SavedFeatures, whole_games, with_features
from ludens.agent.learning.random_games import Round, one_round
from ludens.native.core import Game, JointMoves, Simulator, States
from ludens.propnet.base import clock
from ludens.propnet.compile.loader import load
from tests.support.searching import network


@pytest.mark.parametrize("name", ["connect_four", "reversi"])
def test_states_of_every_step_are_looked_at_but_not_all_of_them(name: str) -> None:
    net = network(name)
    shown, played = whole_games(net, math.inf), one_round(Game.from_propnet(net))
    assert played.ended.all() and len(shown) == len(played.steps) == played.lengths.max()
    assert 2000 < sum(map(len, shown)) < 4096 + len(shown)
    assert min(map(len, shown)) > 0


def test_a_game_that_is_over_at_once_shows_no_states() -> None:
    over = load(games.read("breakthrough_small") + "\n(<= terminal (true (control white)))")
    assert [states.shape for states in whole_games(over, math.inf)] == [(0, over.state_bits)]


@pytest.fixture
def slow_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes as random games go on alone: each of their steps takes 0.05 s."""
    passed = 0.0
    advance = Simulator.next

    def slow(self: Simulator, states: States, moves: JointMoves) -> States:
        nonlocal passed
        passed += 0.05
        return advance(self, states, moves)

    monkeypatch.setattr(clock, "_read", lambda: passed)
    monkeypatch.setattr(Simulator, "next", slow)


@pytest.mark.usefixtures("slow_games")
@pytest.mark.parametrize(("seconds", "cut"), [(8.0, True), (16.0, False)])
def test_nothing_is_chosen_by_openings_alone(seconds: float, *, cut: bool) -> None:
    """Games of 60 steps have a quarter of the time."""
    net = network("reversi")
    seen = with_features(net, "all", seconds)
    assert seen.timed_out == ({"moves", "threat", "territory", "distance"} if cut else set())
    assert (seen.net is net) == cut


@pytest.mark.usefixtures("slow_games")
def test_games_for_which_there_was_no_time_are_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = 0

    def counted(*arguments: Any, **options: Any) -> Round:
        nonlocal begun
        begun += 1
        return one_round(*arguments, **options)

    monkeypatch.setattr(features, "one_round", counted)
    saved = SavedFeatures(lambda _name: True, frozenset({"moves"}), frozenset({"threat", "territory", "distance"}))
    seen = with_features(network("reversi"), "all", 8.0, saved)
    assert seen.timed_out == {"threat", "territory"}
    assert begun == 1


def test_distances_are_chosen_without_random_games(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = network("hex_small")
    wanted = with_features(plain, "distance").net.feature_names
    monkeypatch.setattr(features, "one_round", None)
    assert wanted and with_features(plain, "distance").net.feature_names == wanted
