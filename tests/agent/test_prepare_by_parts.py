"""Games in independent parts: each part is prepared like a game by itself, in its share of time and memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.prepare import choose_search, prepare
from ludens.agent.preparation.prepare_by_parts import prepare_by_parts
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition, decompose
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.analysis.factors import factorise
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.factored_sheets import MATCHES

SECONDS = 60.0
SETTINGS = PlayerOptions(recall="off", threads=1, nodes_mb=64)


@cache
def network(name: str) -> Propnet:
    return load(parse_rules(MATCHES[name]))


@cache
def decomposition(name: str) -> Decomposition:
    return decompose(network(name), factorise(network(name), SECONDS), SECONDS)


class Chooser:
    """Chooses searches as `auto` does without any time, and takes all the time that it is given."""

    def __init__(self) -> None:
        self.now, self.told = 0.0, list[str]()
        self.budgets = list[tuple[float, float]]()

    def budget(self, seconds: float) -> TimeBudget:
        return TimeBudget(seconds, 2.0, clock=lambda: self.now, tell=self.told.append)

    def choose(self, model: GameModel, settings: PlayerOptions, budget: TimeBudget) -> SearchConfig:
        self.budgets.append((budget.left(), budget.move_seconds))
        self.now += budget.left()
        return replace(choose_search(model, settings, replace(budget, stopped=lambda: True)), reason="so")


def test_each_part_that_is_a_game_by_itself_has_half_of_time_and_memory() -> None:
    chooser = Chooser()
    found = prepare_by_parts(
        network("two races"), decomposition("two races"), SETTINGS, chooser.budget(10.0), chooser.choose
    )
    assert chooser.budgets == [(5.0, 1.0), (5.0, 1.0)]
    assert [part.memory_mb for part in found.parts] == [found.memory_mb // 2] * 2
    assert [text for text in chooser.told if "so" in text] == [
        f"part {number}: plays by {part}: so" for number, part in enumerate(found.parts, 1)
    ]
    assert found.reason == "the game is played in 2 independent parts, of which the first to end decides"


@pytest.mark.parametrize("name", ["two rows", "one of rows"])
def test_parts_whose_values_are_compared_are_searched_without_learning_and_solver(name: str) -> None:
    chooser = Chooser()
    found = prepare_by_parts(network(name), decomposition(name), SETTINGS, chooser.budget(10.0), chooser.choose)
    assert not chooser.budgets
    assert [(part.strategy, part.solver_share) for part in found.parts] == [("uct", 0.0)] * 2


def test_parts_can_be_searched_in_different_ways_and_lose_what_may_have_failed() -> None:
    plain = prepare(network("two races"), replace(SETTINGS, strategy="uct"), TimeBudget(SECONDS, 1.0))
    assert plain.decomposition is not None
    assert str(plain) == "uct"
    first, second = plain.parts
    mixed = replace(plain, parts=(replace(first, strategy="guided"), second))
    assert str(mixed) == "guided and uct"
    assert [part.strategy for part in mixed.fallback().parts] == ["uct", "uct"]


def test_parts_are_learned_in_the_start_clock_and_searched_by_what_was_learned() -> None:
    told = list[str]()
    found = prepare(network("two races"), replace(SETTINGS, learn=0.5), TimeBudget(4.0, 1.0, tell=told.append))
    assert all(any(text.startswith(f"part {number}: plays by ") for text in told) for number in (1, 2))
    search = new_search(found, seed=1)
    assert search is not None
    search.run(playouts=2000)
    assert search.root_moves(0).best >= 0
