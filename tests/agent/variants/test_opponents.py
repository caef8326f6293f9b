"""Two roles whose goals do not sum to 100 play against each other, unless they gain and lose together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludens
from ludens import games
from ludens.agent.analysis.good_play import good_play
from ludens.agent.engine.backends import network_backend
from ludens.agent.engine.late_preparation import LatePreparation
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.short_learning import learn
from ludens.agent.long_learning import learned_game
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.playable.playable_game import PlayableGame
from ludens.agent.playable.text_game import NetworkGame
from ludens.agent.preparation import game_model
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import network_model, recognised_model
from ludens.agent.preparation.prepare import prepare, prepare_later
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants import opponents
from ludens.agent.variants.game_variant import compile_variant
from ludens.agent.variants.opponents import are_opponents
from ludens.native.core import Game, Simulator
from ludens.propnet.compile.loader import Loaded, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.finding import find_unstoppable_wins
from tests.support.toy_recogniser import ToyGame
from tests.support.unequal_goals import SPITE, TOGETHER
from tests.support.waiting import PATIENCE

OPTIONS = PlayerOptions(strategy="uct", threads=1, nodes_mb=16)
DICE = SPITE.replace("other", "random")
UNMOVED = SPITE.replace("(goal giver 55)", "(goal giver 60)")


def silent(_text: str) -> None:
    """Tells nobody."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random games end however slow the machine is."""
    monkeypatch.setattr(opponents.are_opponents, "__defaults__", (silent, PATIENCE))
    monkeypatch.setattr(game_model, "_LEAST_SECONDS", PATIENCE)


def spite() -> Propnet:
    return load(parse_rules(SPITE))


def budget() -> TimeBudget:
    return TimeBudget(PATIENCE, 1.0)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (TOGETHER, "both gain and lose together in random games"),
        (UNMOVED, "in random games that of one never varies"),
        (DICE, "random moves by chance"),
    ],
)
def test_it_is_said_why_two_roles_are_no_opponents(rules: str, told: str) -> None:
    found: list[str] = []
    assert not are_opponents(load(parse_rules(rules)), found.append)
    assert found == [f"each role plays for its own goal alone: {told}"]


def test_opponents_are_told_of() -> None:
    found: list[str] = []
    assert are_opponents(spite(), found.append)
    assert found == ["each role plays for its goal less that of the other, since goals need not sum to 100"]


def test_that_recognised_games_are_played_for_the_goals_of_the_rules_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    recognised = ToyGame(spite())
    model = recognised_model(recognised, OPTIONS, TimeBudget(PATIENCE, 1.0, explain=found.append))
    assert not model.variants.playing(model.policy).relative
    monkeypatch.setattr(learned_game, "recognised_game", lambda *_: recognised)
    monkeypatch.setattr(ToyGame, "identity", "toy")
    KnownGame.of("spite", parse_rules(SPITE), "all", found.append)
    line = "each role plays for its own goal alone: the game is played on a core of its own"
    assert found.count(line) == 2
    even = ToyGame(load(parse_rules(games.read("breakthrough_small"))))
    recognised_model(even, OPTIONS, TimeBudget(PATIENCE, 1.0, explain=found.append))
    assert found.count(line) == 2


@pytest.mark.parametrize("name", ["breakthrough", "connect_four_three", "eight_puzzle"])
def test_where_goals_sum_to_100_or_roles_are_not_two_nothing_changes(name: str) -> None:
    assert not are_opponents(load(parse_rules(games.read(name))))


def test_goals_that_sum_to_100_in_all_random_games_need_no_proof() -> None:
    rules = (
        SPITE[: SPITE.index("(<= (goal giver 55)")]
        + """
(<= (goal giver 60) (true given)) (<= (goal giver 20) (not (true given)))
(<= (goal other 40) (true given)) (<= (goal other 80) (not (true given)) (true taken))
(<= (goal other 80) (not (true given)) (not (true taken)))
"""
    )
    assert not are_opponents(load(parse_rules(rules)))


@pytest.mark.parametrize("rules", [TOGETHER, SPITE])
def test_who_cannot_be_told_from_opponents_in_time_is_one(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "_LEAST_GAMES", 1 << 20)
    assert are_opponents(load(parse_rules(rules)))


def test_goals_that_are_too_many_to_compare_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.propnet.analysis.relative_goals._MOST_PAIRS", 3)
    found: list[str] = []
    assert not are_opponents(spite(), found.append)
    assert "too many to compare" in found[0]


@pytest.mark.parametrize("decide", [prepare, prepare_later])
def test_a_player_does_not_give_what_costs_it_nothing(decide: Callable[..., SearchConfig]) -> None:
    net = spite()
    config = decide(net, OPTIONS, budget())
    assert config.variant.relative
    search = new_search(config, seed=1)
    assert search is not None
    search.run(0.0, 200)
    known = search.root_moves(0)
    assert net.moves[0][known.moves[known.best]] == "keep"


def test_what_was_found_out_need_not_be_again() -> None:
    assert not prepare_later(spite(), OPTIONS, budget(), relative=False).variant.relative


def test_the_end_of_a_match_has_the_goals_of_the_rules() -> None:
    net = spite()
    game, config = network_backend(net, prepare(net, OPTIONS, budget())).make()
    state = config.variant.full_game.initial
    line = [("keep", "wait"), ("wait", "take")]
    for joint in line:
        state = game.after(state, joint)
    assert game.goals(state) == (55, 11)
    joints = np.array([[game.number(role, move) for role, move in enumerate(joint)] for joint in line], np.int32)
    assert game.ending(config.variant.full_game.initial, joints) == (2, (72, 28))
    assert config.variant.searched_goals((55, 11)) == (72, 28)


def test_good_play_ends_with_the_goals_of_the_rules() -> None:
    net = spite()
    playable = PlayableGame(NetworkGame(net), Loaded(net, ()))
    played = good_play(playable, PlayerOptions(strategy="uct", threads=1, nodes_mb=64), PATIENCE, 3, silent)
    assert {goals for goals, _ in played.outcomes} == {(55, 11)}


def test_all_variants_are_played_for_relative_goals() -> None:
    model = network_model(spite(), None, PlayerOptions(threads=1), budget())
    policies = [model.policy, *model.variants.other_policies()]
    variants = [model.variants.evaluated(), *map(model.variants.playing, policies)]
    assert all(variant.relative and variant.full_game.constant_sum for variant in variants)
    assert all(Simulator(variant.game, 64).playouts(64).goal_means.sum() == pytest.approx(100) for variant in variants)


def test_games_do_not_end_at_wins_where_one_could_be_further_ahead() -> None:
    net = load(parse_rules(games.read("breakthrough_small")))
    wins = find_unstoppable_wins(net, longest=1)
    assert compile_variant(net, wins, relative=True).ends_early
    # Losers get 40, and the second role gets nothing if neither wins.
    paid = [40 if value == 0 else 0 if (role, value) == (1, 50) else value for role, value in _goals_of(net)]
    paying = replace(net, goal_value=np.array(paid, np.int32))
    to_losers = replace(wins, goals=tuple((role, value or 40, literal) for role, value, literal in wins.goals))
    assert compile_variant(paying, to_losers).ends_early
    assert not compile_variant(paying, to_losers, relative=True).ends_early


def _goals_of(net: Propnet) -> list[tuple[int, int]]:
    return list(zip(net.goal_role.tolist(), net.goal_value.tolist(), strict=True))


def test_long_learning_foretells_relative_goals_and_keeps_them_apart() -> None:
    known = KnownGame.of("spite", parse_rules(SPITE), "all", silent)
    assert LearnedGame.of(known, 0, silent).game.constant_sum
    relative, own = (EvaluationCache.of_sheet(parse_rules(SPITE), "all", relative=each) for each in (True, False))
    assert known.kept.path == relative.path != own.path
    assert known.for_goals(relative=False).kept.path == own.path


def test_an_evaluation_of_other_goals_is_refused_with_a_reason(tmp_path: Path) -> None:
    kept, net = EvaluationCache.of_sheet(parse_rules(SPITE), "all"), spite()
    file = tmp_path / "own.npz"
    kept.at(file).entry(net).write(learn(Game.from_propnet(net), 0.1))
    relative = EvaluationCache.of_sheet(parse_rules(SPITE), "all", relative=True).at(file)
    assert relative.load() is None
    assert relative.fault("spite") == "this evaluation foretells other goals than those for which spite is played"


def test_a_late_preparation_is_for_the_goals_of_the_first_one() -> None:
    config = prepare(spite(), OPTIONS, budget())
    late = LatePreparation(spite(), parse_rules(SPITE), None, OPTIONS, config, budget(), beside_search=False)
    assert late._task.relative


def test_evaluations_foretell_relative_goals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (sheet := tmp_path / "spite.kif").write_text(SPITE)
    game: Any = ludens.load(sheet)
    learned = ludens.learn(game, 1.0, seed=1)
    assert learned.variant.full_game.constant_sum
    known = KnownGame.of("spite", parse_rules(SPITE), "all", silent)
    known.kept.entry(learned.net).write(learned.trained)
    recalled = ludens.Evaluation.recall(game)
    assert recalled is not None
    assert recalled.variant.full_game.constant_sum
    assert recalled(game.initial).tolist() == pytest.approx(learned(game.initial).tolist())
