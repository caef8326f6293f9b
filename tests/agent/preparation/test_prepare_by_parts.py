"""Games in independent parts: each part is prepared like a game by itself, in its share of time and memory."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache

import pytest

from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.prepare import choose_search, prepare, prepare_later
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


def budget(seconds: float, told: list[str]) -> TimeBudget:
    """Returns so many seconds of processor time, so that a busy machine learns as much."""
    return TimeBudget(seconds, 1.0, clock=time.process_time, tell=told.append)


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


def test_each_part_that_is_a_game_by_itself_has_half_of_the_time() -> None:
    chooser = Chooser()
    found = prepare_by_parts(
        network("two races"), decomposition("two races"), None, SETTINGS, chooser.budget(10.0), chooser.choose
    )
    assert chooser.budgets == [(5.0, 1.0), (5.0, 1.0)]
    assert [part.solver_share for part in found.parts] == [0.0] * 2
    assert not any(part.variant.ends_early for part in found.parts)
    assert [text for text in chooser.told if "so" in text] == [
        f"part {number}: plays by {part}: so" for number, part in enumerate(found.parts, 1)
    ]
    assert found.reason == "the game is played in 2 independent parts, of which the first to end decides"


@pytest.mark.parametrize("name", ["two rows", "one of rows"])
def test_parts_whose_values_are_compared_are_searched_without_learning_and_solver(name: str) -> None:
    chooser = Chooser()
    found = prepare_by_parts(network(name), decomposition(name), None, SETTINGS, chooser.budget(10.0), chooser.choose)
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


def test_what_was_learned_of_parts_is_used_in_the_next_match() -> None:
    settings = replace(SETTINGS, recall="on", learn=2.0)
    sheet = parse_rules(MATCHES["two races"])

    def told() -> list[str]:
        texts = list[str]()
        prepare(network("two races"), settings, budget(8.0, texts), sheet=sheet)
        return [text for text in texts if "earlier matches taught" in text or "was learned of this game before" in text]

    assert not told()
    assert [text[:7] for text in told()] == ["part 1:", "part 2:"]


def test_a_player_of_planes_without_a_network_over_the_board_plays_by_parts_all_the_same() -> None:
    told = list[str]()
    settings = replace(SETTINGS, features="planes", recall="on", learn=0.0)
    found = prepare(network("two races"), settings, TimeBudget(1.0, 1.0, tell=told.append))
    assert len(found.parts) == 2
    assert any(text.startswith("no network over the board is used") for text in told)


def test_parts_prepared_in_a_hurry_are_prepared_again_with_half_of_the_memory() -> None:
    hurried = prepare(network("two races"), replace(SETTINGS, learn=60.0), TimeBudget(0.1, 1.0))
    assert hurried.rushed
    decomposition = hurried.decomposition
    settings = replace(SETTINGS, recall="on", features="planes")  # of which none was learned
    later = prepare_later(network("two races"), settings, budget(1.0, []), decomposition=decomposition)
    assert len(later.parts) == 2
    assert later.memory_mb == SETTINGS.nodes_mb // 2


def test_of_parts_that_are_solved_nothing_is_said_that_is_not_proven_of_the_whole() -> None:
    net = network("two races")
    config = prepare(net, replace(SETTINGS, strategy="uct"), TimeBudget(SECONDS, 1.0))
    agent = prepared_agent(net, config, None, "x", SETTINGS, lambda _text: None)
    agent.go_to(())
    report = agent.think(0.1)
    while agent.can_search:
        report = agent.think(0.1)
    assert report.final
    assert not report.proven
    assert report.others is None
    assert report.value is not None


def test_parts_are_learned_in_the_start_clock_and_searched_by_what_was_learned() -> None:
    told = list[str]()
    found = prepare(network("two races"), replace(SETTINGS, learn=0.5), budget(4.0, told))
    assert all(any(text.startswith(f"part {number}: plays by ") for text in told) for number in (1, 2))
    search = new_search(found, seed=1)
    assert search is not None
    search.run(playouts=2000)
    assert search.root_moves(0).best >= 0
