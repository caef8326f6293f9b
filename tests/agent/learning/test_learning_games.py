"""Rounds of self-play to learn from: whole ones have as many states on any machine, and in parts as well."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import self_play_learner
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import (
    LearningGames,
    LearningPace,
    LearningRate,
    SearchedPlayOptions,
    random_positions,
)
from ludens.agent.long_learning.learned_game import GameSource
from ludens.native.core import (
    Evaluation,
    EvaluationWeights,
    Game,
    PositionImages,
    RandomGames,
    SelfPlay,
    TrainingSamples,
    unpack_bits,
)
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

STATES = 300_000
SHORT = 0.002  # seconds, in which no machine makes so many


@cache
def breakthrough() -> Game:
    return Game.from_propnet(load(games.read("breakthrough_small")))


@cache
def tron() -> tuple[Propnet, Int32Array]:
    """Its network and symmetries, three of them."""
    net = load(games.read("tron"))
    return net, symmetries(net, seconds=600.0)


@cache
def weights() -> EvaluationWeights:
    return Learner(breakthrough(), 1, workers=0, pace=LearningPace(1000, 0.0)).weights


def calls(seconds: float, rounds: int, *, whole: bool = True, number: int = 10_000) -> Iterator[TrainingSamples | None]:
    """Yields what comes of each call after so many rounds; players search from the second round on."""
    searched = SearchedPlayOptions(1, leaves=20, learned_visits=4, round_states=STATES, rate=LearningRate(0.001))
    pace = LearningPace(1, 0.0, STATES, seconds, processor_seconds=60.0 if whole else 0.0)
    played = LearningGames(breakthrough(), 4, 1, pace, searched)
    evaluation = Evaluation(weights())
    return (played.play(evaluation, rounds) for _ in range(number))


def whole_round(parts: Iterator[TrainingSamples | None]) -> tuple[TrainingSamples, int]:
    """Returns the next round, and of how many parts it is."""
    number = 1
    while (samples := next(parts)) is None:
        number += 1
    return samples, number


def test_a_round_in_parts_is_the_same_round() -> None:
    in_parts, at_once = calls(SHORT, 0), calls(0.0, 0)
    for _ in range(3):
        (found, number), (expected, only) = whole_round(in_parts), whole_round(at_once)
        assert number > 3 and only == 1
        assert found.games == expected.games and len(found.features)
        np.testing.assert_array_equal(found.features, expected.features)
        np.testing.assert_array_equal(found.targets, expected.targets)


def test_a_round_of_searches_in_parts_has_as_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the same ones, as each part begins a tree."""
    made = list[int]()

    def play(self: SelfPlay, *given: Any) -> TrainingSamples:
        before, samples = self.states, TrainingSamples(*original(self, *given))
        made[-1] += self.states - before
        return samples

    original = SelfPlay.play
    monkeypatch.setattr(SelfPlay, "play", play)
    for seconds in (SHORT, 0.0):
        parts = calls(seconds, 1)
        for _ in range(3):
            made.append(0)
            _, number = whole_round(parts)
            assert (number > 3) == bool(seconds)
    assert all(STATES <= each < 1.05 * STATES for each in made)


def test_rounds_of_one_part_end_in_time() -> None:
    assert all(each is not None for each in calls(SHORT, 0, whole=False, number=20))


def test_a_round_ends_after_so_much_work_however_slow_the_game_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that is read before and after each part, and passes a second from reading to reading."""
    pace = LearningPace(1, 0.0, 1 << 40, SHORT, processor_seconds=5.0)
    played, evaluation = LearningGames(breakthrough(), 4, 1, pace), Evaluation(weights())
    monkeypatch.setattr(self_play_learner, "time", SimpleNamespace(thread_time=count().__next__))
    ended = [played.play(evaluation, 0) is not None for _ in range(20)]
    assert ended == 4 * [False, False, False, False, True]


def test_the_parts_before_searches_are_no_part_of_their_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = SearchedPlayOptions(1, leaves=20, learned_visits=4, round_states=STATES, rate=LearningRate(0.001))
    begun, fresh = (
        LearningGames(breakthrough(), 4, 1, LearningPace(1, 0.0, STATES, 0.0, 60.0), searched) for _ in "ab"
    )
    evaluation = Evaluation(weights())
    monkeypatch.setattr(SelfPlay, "states", 0)
    assert begun.play(evaluation, 0) is None
    monkeypatch.undo()
    found, expected = (whole_round(iter([each.play(evaluation, 1)]))[0] for each in (begun, fresh))
    np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_array_equal(found.targets, expected.targets)


def test_only_the_games_that_are_played_take_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of players who look one move ahead end as soon as searches begin."""
    tic_tac_toe = Game.from_propnet(load(games.read("tic_tac_toe")))
    evaluation = Evaluation(Learner(tic_tac_toe, 1, pace=LearningPace(500, 0.0, 500, 0.0)).weights)
    made = list[weakref.ref[SelfPlay]]()

    def begun(*args: Any, **settings: Any) -> SelfPlay:
        made.append(weakref.ref(play := SelfPlay(*args, **settings)))
        return play

    monkeypatch.setattr(self_play_learner, "SelfPlay", begun)
    searched = SearchedPlayOptions(2, leaves=10, learned_visits=2, round_states=1000, rate=LearningRate(0.001))
    learned = LearningGames(tic_tac_toe, 2, 1, LearningPace(round_states=1000, round_seconds=0.0), searched)
    for rounds, expected in enumerate(([True], [True], [False, True], [False, True])):
        learned.play(evaluation, rounds)
        assert [each() is not None for each in made] == expected


def test_rounds_of_self_play_are_learned_as_images() -> None:
    net, found = tron()
    plain, imaged = Game.from_propnet(net), Game.from_propnet(net, found)
    pace = LearningPace(1000, 0.0, 1 << 17, 0.0)
    evaluation = Evaluation(Learner(plain, 1, workers=0, pace=pace).weights)
    expected, learned = (LearningGames(game, 4, 1, pace).play(evaluation, 0) for game in (plain, imaged))
    assert expected is not None and learned is not None
    expected = PositionImages(imaged, 1).drawn(expected)
    np.testing.assert_array_equal(learned.features, expected.features)
    np.testing.assert_array_equal(learned.targets, expected.targets)


def test_random_games_are_learned_as_images() -> None:
    net, found = tron()
    plain, imaged = (
        random_positions(game, LearningPace(1000, 0.0), np.random.default_rng(1))
        for game in (Game.from_propnet(net), Game.from_propnet(net, found))
    )
    states, images = (unpack_bits(each.features, net.state_bits) for each in (plain, imaged))
    assert 0.5 < (states != images).any(axis=1).mean() < 0.9  # of four images one is the position itself


def test_random_games_in_parts_are_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    pace, parts = LearningPace(400_000, 0.0), list[int]()

    def play(self: RandomGames, *given: Any) -> TrainingSamples:
        samples = TrainingSamples(*original(self, *given))
        parts.append(samples.games)
        return samples

    original = RandomGames.play
    monkeypatch.setattr(RandomGames, "play", play)
    at_once, in_parts = (patched_positions(monkeypatch, seconds, pace, lambda: False) for seconds in (1e9, SHORT))
    assert len(parts) > 3 and parts[0] == sum(parts[1:]) == at_once.games == in_parts.games
    np.testing.assert_array_equal(at_once.features, in_parts.features)
    np.testing.assert_array_equal(at_once.targets, in_parts.targets)


def test_random_games_end_soon_when_no_more_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = iter([False, True])
    found = patched_positions(monkeypatch, SHORT, LearningPace(1 << 40, 0.0), lambda: next(asked))
    assert next(asked, None) is None and len(found.features) == found.games < 1 << 40


def patched_positions(
    monkeypatch: pytest.MonkeyPatch, seconds: float, pace: LearningPace, stopped: Callable[[], bool]
) -> TrainingSamples:
    """Positions of random games in parts of so many seconds."""
    monkeypatch.setattr(self_play_learner, "_LOOK_SECONDS", seconds)
    return random_positions(breakthrough(), pace, np.random.default_rng(1), stopped)


def test_one_symmetry_alone_is_not_learned_from() -> None:
    net = load(games.read("breakthrough_small"))
    found = symmetries(net, seconds=600.0)
    assert len(found) == 1
    plain, same = (
        random_positions(game, LearningPace(1000, 0.0), np.random.default_rng(1))
        for game in (Game.from_propnet(net), Game.from_propnet(net, found))
    )
    np.testing.assert_array_equal(plain.features, same.features)


def test_rounds_of_searches_are_learned_as_images() -> None:
    """In games by turns, whose symmetries nobody has to have found: any permutation is drawn."""
    plain = breakthrough()
    row = np.roll(np.arange(plain.state_bits, dtype=np.int32), 1)
    imaged = Game.from_propnet(load(games.read("breakthrough_small")), np.stack([row, row, row]))
    searched = SearchedPlayOptions(0, leaves=20, learned_visits=4, round_states=20_000, rate=LearningRate(0.001))
    expected, learned = (
        LearningGames(game, 4, 1, LearningPace(1, 0.0), searched).play(Evaluation(weights()), 0)
        for game in (plain, imaged)
    )
    assert expected is not None and learned is not None
    np.testing.assert_array_equal(learned.features, PositionImages(imaged, 1).drawn(expected).features)


def test_players_of_long_learning_elsewhere_know_the_same_symmetries() -> None:
    net, found = tron()
    source = pickle.loads(pickle.dumps(GameSource(None, net, net)))
    here, there = (each.variant().full_game.symmetries for each in (GameSource(None, net, net), source))
    np.testing.assert_array_equal(here, found)
    np.testing.assert_array_equal(there, found)
