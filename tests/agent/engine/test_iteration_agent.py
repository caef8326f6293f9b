"""Searches of a number of iterations: the same moves whatever the time, the turns before, and what interrupts them."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from ludens import games
from ludens.agent.engine import native_agent
from ludens.agent.engine.backends import network_backend, repeatable_backend
from ludens.agent.engine.iteration_agent import IterationAgent
from ludens.agent.preparation import repeatable_learning
from ludens.agent.preparation.prepare_untimed import prepare_repeatable
from ludens.agent.preparation.ratings import StrengthPrior
from ludens.agent.protocol.wire import GoTo, History, SearchReport
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.levels import LEVELS, MOVE_SECONDS
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Game, RandomGames, SelfPlay, TrainingSamples
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules

SHEET = parse_rules(games.read("connect_four"))
NET = load(SHEET)
OPTIONS = PlayerOptions(strategy="uct", iterations=300, seed=1, nodes_mb=16)
FIRST: History = ()
LATER: History = ((("(drop 4)"), "noop"), ("noop", "(drop 4)"))


def agent(machine: str = "network", patience: float = MOVE_SECONDS, **settings: Any) -> IterationAgent:
    options = replace(OPTIONS, **settings)
    backend = repeatable_backend(NET if machine == "network" else None, SHEET, options, lambda _: None)
    return IterationAgent(backend, "red", options, lambda _: None, patience)


def searched(it: IterationAgent, history: History, seconds: float = 0.0) -> SearchReport:
    """What the agent reports of a position in the end."""
    it.follow(GoTo(history))
    report = it.known()
    while it.can_search:
        report = it.think(seconds)
    assert report is not None
    assert report.final
    return report


@pytest.mark.parametrize("machine", ["network", "rules"])
def test_two_agents_with_a_seed_search_alike_however_they_came_there(machine: str) -> None:
    one, other = agent(machine), agent(machine)
    searched(one, FIRST)
    assert searched(one, LATER) == searched(other, LATER, seconds=60.0)


def test_another_seed_searches_otherwise() -> None:
    assert searched(agent(), LATER) != searched(agent(seed=2), LATER)


def test_a_search_ends_after_its_iterations() -> None:
    few, many = (searched(agent(iterations=iterations), LATER).playouts for iterations in (100, 5000))
    assert 100 <= few < 100 + 2 * 64
    assert 5000 <= many < 5000 * 1.2  # with those of the solver


def test_the_tree_of_one_position_is_gone_before_that_of_the_next_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[Any]] = []

    def one_after_the_other(*arguments: Any) -> Any:
        assert not any(each() for each in made)
        search = new_search(*arguments)
        made.append(weakref.ref(search))
        return search

    monkeypatch.setattr(native_agent, "new_search", one_after_the_other)
    it = agent()
    for history in (FIRST, LATER, FIRST):
        searched(it, history)
    assert len(made) == 4


def test_a_forced_move_is_not_searched() -> None:
    it = agent()
    it.follow(GoTo(LATER[:1]))
    assert not it.can_search


# ---- Levels of an opponent for people ----


def test_the_lowest_level_draws_its_share_of_moves_at_random() -> None:
    drawn = [searched(level(1, seed), LATER) for seed in range(1, 201)]
    at_random = sum(report.value is None for report in drawn)
    assert 0.4 < at_random / len(drawn) < 0.8  # of 200 with a share of 0.6: seven standard deviations wide
    assert len({report.move for report in drawn}) > 2


def test_levels_are_repeatable() -> None:
    assert [searched(level(1, seed), LATER) for seed in (3, 4)] == [searched(level(1, seed), LATER) for seed in (3, 4)]


def test_a_higher_level_searches_more() -> None:
    games_searched = [searched(level(number, 1), LATER).playouts for number in (4, 5, 6, 7)]
    assert games_searched == sorted(set(games_searched))


def test_levels_rise() -> None:
    strengths = [(-level.random_share, level.iterations) for level in LEVELS]
    assert strengths == sorted(set(strengths))


def test_a_level_ends_its_search_when_a_person_would_lose_patience() -> None:
    assert searched(level(10, 1, patience=0.0), LATER).playouts < LEVELS[9].iterations / 2


def test_the_highest_levels_learn_the_same_from_the_same_seed_however_long_that_takes() -> None:
    config = [learned_level(9, seed) for seed in (1, 1, 2)]
    first, again, other = (searched(level_agent(each), FIRST) for each in config)
    assert config[0].strategy == "guided"
    assert first == again
    assert first.candidates != other.candidates


def test_where_random_games_are_expected_to_be_worth_more_the_highest_levels_play_those(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blind = SimpleNamespace(predict=lambda _evidence: StrengthPrior(-0.1))
    monkeypatch.setattr(repeatable_learning, "STRENGTH_MODELS", {"guided": blind})
    config = learned_level(9, 1)
    assert (config.strategy, config.evaluation) == ("uct", None)
    assert searched(level_agent(config), FIRST).playouts >= LEVELS[8].iterations


@pytest.mark.parametrize(
    ("seconds", "random_parts", "parts"), [(0.0, 1, 0), (3.0, 3, 0), (9.0, 5, 2)], ids=["0 s", "3 s", "9 s"]
)
def test_learning_ends_when_a_person_would_lose_patience(
    seconds: float, random_parts: int, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock of which one second passes with each reading, of a game whose positions take for ever."""
    nothing = RandomGames(Game.from_propnet(load(BREAKTHROUGH)), seed=1).play(1)
    played = Counter[type]()

    def play(self: RandomGames | SelfPlay, *_given: object) -> TrainingSamples:
        played[type(self)] += 1
        return nothing._replace(games=4_000 if isinstance(self, RandomGames) else 0)

    for kind in (RandomGames, SelfPlay):
        monkeypatch.setattr(kind, "play", play)
    monkeypatch.setattr(SelfPlay, "states", 0)
    monkeypatch.setattr(repeatable_learning, "foresight", lambda *_, **__: None)
    monkeypatch.setattr(repeatable_learning, "time", SimpleNamespace(thread_time=count().__next__))
    prepare_repeatable(load(BREAKTHROUGH), PlayerOptions(level=10, seed=1), lambda _: None, seconds)
    assert (played[RandomGames], played[SelfPlay]) == (random_parts, parts)


BREAKTHROUGH = parse_rules(games.read("breakthrough_small"))


def learned_level(number: int, seed: int) -> SearchConfig:
    """How a level searches breakthrough after it has learned."""
    return prepare_repeatable(load(BREAKTHROUGH), PlayerOptions(level=number, seed=seed, nodes_mb=16), lambda _: None)


def level_agent(config: SearchConfig) -> IterationAgent:
    backend = network_backend(load(BREAKTHROUGH), config)
    options = PlayerOptions(level=9, seed=1, nodes_mb=16)
    return IterationAgent(backend, BREAKTHROUGH.roles[0], options, lambda _: None, math.inf)


def level(number: int, seed: int, patience: float = math.inf) -> IterationAgent:
    return agent(patience=patience, level=number, iterations=0, seed=seed)
