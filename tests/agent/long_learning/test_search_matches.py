"""Matches between two searches, such as those of evaluations in long runs of learning."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.long_learning import search_match
from ludens.agent.long_learning.search_match import LimitedSearch, SearchMatch
from ludens.agent.preparation.prepare_untimed import prepare_at_once
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Evaluation, EvaluationWeights, Game, Simulator
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from scripts.strength.simultaneous_sheets import matrix
from tests.support.learning_runs import silent, the_game
from tests.support.searching import network
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("own_cache")


def test_the_better_evaluation_wins_the_match() -> None:
    """Against one that takes every win for a loss."""
    game = the_game()
    learner = Learner(game.game, 1, pace=LearningPace(20_000, 0.0, 1 << 16, 0.0), hidden=6)
    for _ in range(20):
        learner.round()
    good = learner.state().mean
    bad = EvaluationWeights(good.control, -good.linear, good.inner, -good.output)
    first, second = (LimitedSearch(game.guided(Evaluation(each)), 20) for each in (good, bad))
    match = SearchMatch(game.game, 1, 2)
    assert np.mean(match.play(first, second, range(6))) > 0.8
    assert np.mean(match.play(second, first, range(6))) < 0.2
    assert match.play(first, first, range(4)) == [0.5] * 4
    assert len(match.decide(first, second, (0.48, 0.56), 1000)) < 100
    assert match.play(first, second, range(3)) == SearchMatch(game.game, 1, 1).play(first, second, range(3))


def test_moves_that_are_chosen_at_once_are_drawn() -> None:
    net = load(parse_rules(matrix([[90, 10], [20, 40]])))
    options = PlayerOptions(strategy="uct", threads=1, nodes_mb=64)
    player, game = LimitedSearch(prepare_at_once(net, options, silent), 20_000), Game.from_propnet(net)
    match, simulator = SearchMatch(game, 1, 1), Simulator(game, 64)
    goals = [match._goal(simulator, game.initial, [player, player], role=0, seed=seed) for seed in range(24)]
    assert len(set(goals)) > 1, "the most visited moves alone would have 40 in each game"


def test_a_match_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[GameSearch] = []

    def noted(config: SearchConfig, seed: int) -> GameSearch | None:
        search = new_search(config, seed)
        assert search is not None
        searches.append(search)
        return search

    monkeypatch.setattr(search_match, "new_search", noted)
    net = network("connect_four")
    player = LimitedSearch(prepare_at_once(net, PlayerOptions(strategy="uct", threads=1, nodes_mb=64), silent), 10**9)
    match = SearchMatch(Game.from_propnet(net), 1, 1)
    played = threading.Thread(target=lambda: match.decide(player, player, (0.48, 0.56), 10**6), daemon=True)
    played.start()
    until(lambda: any(search.stats().iterations > 0 for search in searches))
    assert played.is_alive()
    match.stop()
    played.join(PATIENCE)
    assert not played.is_alive()


def test_openings_are_left_out_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the first, so that there is a score."""
    game = the_game()
    player, match = LimitedSearch(game.uct(), 1), SearchMatch(game.game, 1, 2)
    assert len(match.play(player, player, range(3, 6), end=0.0)) == 1
    assert len(match.decide(player, player, (0.48, 0.56), 1000, end=0.0)) == 1
    even = (0.4, 0.6)  # a test between these never decides on a player that is as good as itself
    assert len(match.decide(player, player, even, 4000, end=time.monotonic() + 0.2)) < 2000
