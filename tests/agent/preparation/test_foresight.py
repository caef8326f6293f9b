"""How well an evaluation foretells results, and how well random games do."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.agent.learning.short_learning import learn
from ludens.agent.preparation import foresight as module
from ludens.agent.preparation.foresight import Foresight, foresight
from ludens.native.core import Evaluation, EvaluationWeights, Game, Simulator, States
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.evaluations import learned_weights


@cache
def game(name: str) -> Game:
    return Game.from_propnet(load(parse_rules(games.read(name))))


def blind(of: Game) -> Evaluation:
    """An evaluation to which all states are alike."""
    bits = of.feature_bits + 1
    shapes = (1, bits, of.roles), (1, bits, 0), (1, 0, of.roles)
    return Evaluation(EvaluationWeights((), *(np.zeros(shape, np.float32) for shape in shapes)))


def test_who_tells_nothing_apart_foretells_nothing_and_random_games_do() -> None:
    known = foresight(game("breakthrough_small"), blind(game("breakthrough_small")), seed=1)
    assert known is not None
    assert known.evaluation == 0.0 and known.random_games > 0.2
    assert known.gain < 0


def test_who_watches_hides_nothing_of_those_who_play() -> None:
    watched = games.read("breakthrough_small") + "\n(legal watcher wait) (goal watcher 50)"
    of = Game.from_propnet(load(parse_rules(f"(role watcher) {watched}")))
    known = foresight(of, blind(of), seed=1)
    assert known is not None and known.evaluation == 0.0 and known.random_games > 0.2


def test_what_was_learned_foretells_more_than_nothing() -> None:
    of = game("breakthrough_small")
    known = foresight(of, Evaluation(learned_weights(of, 4)), seed=1, seconds=math.inf)
    assert known is not None and known.evaluation > 0.2


def test_the_same_seed_measures_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 60.0)
    monkeypatch.setattr(module, "_GAMES_SECONDS", 60.0)
    of = game("tic_tac_toe")
    evaluation = Evaluation(learn(of, 0.1, seed=1).weights)
    assert foresight(of, evaluation, seed=3) == foresight(of, evaluation, seed=3)


def test_nothing_is_said_of_games_that_all_end_alike() -> None:
    rules = """(role a) (role b) (init (control a)) (init (step 1))
        (<= (legal ?r (go ?n)) (role ?r) (true (control ?r)) (number ?n)) (number 1) (number 2)
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
        (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (after 1 2) (after 2 3)
        (<= terminal (true (step 3))) (goal a 50) (goal b 50)"""
    of = Game.from_propnet(load(parse_rules(rules)))
    assert foresight(of, blind(of), seed=1) is None


def test_random_games_fill_the_lanes_of_the_machine_until_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is up after the first of them, but some positions are looked at all the same."""
    seen, passed = list[int](), 0.0
    play = Simulator.playouts_from

    def noted(self: Simulator, states: States, games: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], int]:
        nonlocal passed
        passed = 0.6
        assert self.lanes <= games.sum() <= 4 * self.lanes and set(games) == {64}
        seen.append(len(states))
        return play(self, states, games)

    monkeypatch.setattr(Simulator, "playouts_from", noted)
    of = game("tic_tac_toe")
    assert foresight(of, blind(of), seed=1, clock=lambda: passed) is not None
    assert sum(seen[:-1]) < 30 <= sum(seen)


def test_correlations_are_compared_where_their_errors_are_equal() -> None:
    assert Foresight(0.5, 0.5).gain == 0
    assert Foresight(0.9, 0.8).gain > Foresight(0.2, 0.1).gain > 0
    assert Foresight(0.1, 0.6).gain == pytest.approx(np.arctanh(0.1) - np.arctanh(0.6))
    assert np.isfinite(Foresight(1.0, -1.0).gain)


def test_who_has_no_time_for_it_still_sees_as_many_games_as_it_takes() -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1e-3
        return now

    of = game("breakthrough_small")
    assert foresight(of, Evaluation(learn(of, 0.1, seed=1).weights), seed=3, seconds=1e-3, clock=clock) is not None
    assert now < 2.0
