"""What is expected of a search before it plays, and how long it is worth while to learn on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.feature_comparison import FeatureComparison
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.learning.learning import MORE_HIDDEN, Learner
from ludens.agent.preparation import start_clock_learning
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.foresight import Foresight
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.start_clock_learning import StartClockLearning
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.strength_model import USUAL_LEARNING, Evidence, StrengthModel
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.agent.variants.game_variants import GameVariants
from ludens.games.rules import find_rules
from ludens.native.core import EvaluationFit, Game, RandomGames, TrainingSamples
from ludens.propnet.compile.loader import load

AVERAGE = Evidence(
    math.log(1e5), math.log(10), math.log(50), roles=2, at_once=0.0, places=False, foresight=Foresight(0.5, 0.5)
)


def test_the_strength_is_a_sum_over_figures() -> None:
    model = StrengthModel({"constant": 0.5, "ahead": 2.0, "behind": -9.0, "playouts": -0.25, "places": 1.0}, 0.7, 0.2)
    assert model.predict(AVERAGE).strength == 0.5
    evidence = replace(AVERAGE, playouts=math.log(1e5) + 2, places=True, foresight=Foresight(0.6, 0.2))
    prior = model.predict(evidence)
    assert prior.strength == pytest.approx(0.5 + 2 * (math.atanh(0.6) - math.atanh(0.2)) - 0.5 + 1)
    assert (prior.slope, prior.spread, prior.slope_spread) == (-0.25, 0.7, 0.2)


def test_evidence_is_told_in_words() -> None:
    foreseen = "the correlation of its evaluation with results is 0.50 and that of random games 0.50"
    usual = "100,000 random games a move, 10.0 moves a position, 50 turns a game, 2 roles"
    assert str(AVERAGE) == f"{usual}, learned for 16 s of all threads, {foreseen}"
    unlearned = replace(AVERAGE, foresight=None, places=True, at_once=0.5, independence=0.25)
    assert str(unlearned) == (
        f"{usual}, several choose in 50 % of the positions, moves only put something down, "
        "25 % of what moves bring does not depend on those made with them"
    )


def test_the_models_in_use_know_their_figures() -> None:
    for model in STRENGTH_MODELS.values():
        assert set(model.coefficients) <= set(AVERAGE.figures())
        assert model.spread > 0


def test_who_foretells_more_is_expected_to_be_stronger() -> None:
    model = STRENGTH_MODELS["guided"]
    weak, strong = (
        model.predict(replace(AVERAGE, length=4.0, foresight=Foresight(known, 0.5))).strength for known in (0.1, 0.8)
    )
    assert weak < 0 < strong


def test_no_figure_makes_a_search_hopeless_beyond_what_games_have_shown() -> None:
    hopeless, worse = (replace(AVERAGE, foresight=Foresight(known, 0.9)) for known in (0.0, -0.9))
    expected = STRENGTH_MODELS["guided"].predict(hopeless)
    assert expected == STRENGTH_MODELS["guided"].predict(worse)
    assert -10 < expected.strength < -2


def test_an_evaluation_of_which_nothing_is_known_is_not_preferred() -> None:
    unknown = replace(AVERAGE, foresight=None)
    assert STRENGTH_MODELS["guided"].predict(unknown).strength == 0
    assert STRENGTH_MODELS["captures"].predict(unknown).strength == STRENGTH_MODELS["captures"].coefficients["constant"]


def after_learning(learned_seconds: float, allowed: float) -> StartClockLearning:
    model = GameModel(None, "auto", learning_seconds=allowed, learned_seconds=learned_seconds)  # type: ignore[arg-type]
    return StartClockLearning(model, 1, TimeBudget(100.0, 1.0))


def test_the_gain_of_learning_on_falls_with_what_was_learned() -> None:
    assert after_learning(2.0, 100.0).gain(10.0) > after_learning(20.0, 100.0).gain(10.0) > 0
    assert after_learning(10.0, 100.0).gain(20.0) > after_learning(10.0, 100.0).gain(10.0)


def test_a_long_start_clock_is_learned_in_to_its_end_unless_the_user_sets_a_limit() -> None:
    assert after_learning(80.0, PlayerOptions().learn).gain(40.0) > 0
    assert after_learning(80.0, PlayerOptions(learn=60.0).learn).gain(40.0) == 0


@pytest.mark.parametrize(("spent", "allowed"), [(10.0, 10.0), (0.0, 0.5)])
def test_nothing_is_gained_where_no_more_may_be_learned_or_nothing_can_be(spent: float, allowed: float) -> None:
    assert after_learning(spent, allowed).gain(10.0) == 0.0


def test_the_first_seconds_gain_as_far_as_the_gain_was_measured() -> None:
    gains = [after_learning(0.0, 10.0).gain(seconds) for seconds in (2.0, 5.0, 10.0)]
    assert 0.0 == gains[0] < gains[1] < gains[2]


def test_who_learned_for_longer_is_expected_to_be_stronger() -> None:
    short, usual, half_an_hour = (
        STRENGTH_MODELS["guided"].predict(replace(AVERAGE, learned=seconds)).strength
        for seconds in (4.0, USUAL_LEARNING, 1800.0)
    )
    assert short < usual < half_an_hour < usual + 3


@pytest.mark.parametrize(
    ("seconds", "counted"), [(0.0, 2.5), (2.0, 2.5), (5.0, 5.0), (16.0, 16.0), (1000.0, 1000.0), (1e6, 1800.0)]
)
def test_the_time_of_learning_counts_as_far_as_its_gain_was_measured(seconds: float, counted: float) -> None:
    assert replace(AVERAGE, learned=seconds).figures()["learned"] == pytest.approx(math.log(counted / 16))


def test_the_time_of_learning_is_that_of_all_threads_in_this_match_and_before() -> None:
    assert after_learning(5.0, 100.0).learned_seconds == 5.0
    model = GameModel(None, "auto", learning_seconds=10.0, learned_seconds=5.0)  # type: ignore[arg-type]
    assert StartClockLearning(model, 4, TimeBudget(100.0, 1.0)).learned_seconds == 20.0


@pytest.mark.parametrize(("workers", "in_all"), [(1, 22.0), (2, 24.0)])
def test_what_is_kept_counts_the_threads_of_each_match_for_itself(tmp_path: Path, workers: int, in_all: float) -> None:
    """An evaluation of 20 seconds on one thread is not one of 40 because two threads go on."""
    sheet = find_rules("tic_tac_toe").sheet()
    net = load(sheet)
    game = Game.from_propnet(net)
    entry = EvaluationCache.of_sheet(sheet, "state", tmp_path).entry(net)
    entry.write(Learner(game, 1).learned()._replace(seconds=20.0))
    model = GameModel(GameVariants(GameVariant.plain(game)), "uniform", FeatureNetwork(net), 100.0, 0.0, entry)
    it = StartClockLearning(model, workers, TimeBudget(1e6, 1.0, clock=ticking()))
    it.learn(2.0)
    it.save()
    reached = it.reached()
    assert reached is not None and reached.learned is not None and reached.recalled_seconds == 20.0
    assert entry.seconds() == reached.learned.seconds == it.learned_seconds == pytest.approx(in_all, abs=0.5)


def test_learning_is_short_until_there_was_time_for_it_or_no_more_is_allowed() -> None:
    assert after_learning(2.0, 100.0).is_short()
    assert not after_learning(20.0, 100.0).is_short()
    assert not after_learning(2.0, 2.0).is_short()
    assert not after_learning(0.0, 0.5).is_short()  # in which nothing can be learned


def test_nothing_is_learned_once_the_first_turn_has_come() -> None:
    model = GameModel(None, "auto", learning_seconds=10.0)  # type: ignore[arg-type]
    told = list[str]()
    it = StartClockLearning(model, 1, TimeBudget(100.0, 1.0, stopped=lambda: True, tell=told.append))
    it.learn(10.0)
    it.tell()
    assert it.learned is None
    assert told == ["no time to learn"]


def test_the_first_turn_ends_the_first_fit_of_which_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(load(find_rules("tic_tac_toe").sheet()))
    played, fits = list[int](), list[object]()
    some = RandomGames(game, seed=1).play(10)

    def play(_self: RandomGames, games: int, _seconds: float) -> TrainingSamples:
        played.append(games)
        return some

    monkeypatch.setattr(RandomGames, "play", play)
    monkeypatch.setattr(EvaluationFit, "fit", lambda *given: fits.append(given))
    model = GameModel(GameVariants(GameVariant.plain(game)), "uniform", learning_seconds=10.0)
    it = StartClockLearning(model, 1, TimeBudget(1e6, 1.0, clock=ticking(), stopped=lambda: bool(played)))
    it.learn(10.0)
    FeatureComparison(game, game.state_bits, seed=1, stopped=lambda: True)
    assert len(played) == 2
    assert not fits
    assert it.learned is None


def ticking() -> Callable[[], float]:
    """A clock on which a hundredth of a second passes from one look at it to the next."""
    return partial(next, itertools.count(0.0, 0.01))


@pytest.mark.parametrize("first", [0.5, 2.0])
def test_what_little_time_is_left_is_used_to_learn_on_but_not_to_begin(first: float) -> None:
    game = Game.from_propnet(load(find_rules("tic_tac_toe").sheet()))
    model = GameModel(GameVariants(GameVariant.plain(game)), "uniform", learning_seconds=100.0)
    it = StartClockLearning(model, 1, TimeBudget(1e6, 1.0, clock=ticking()))
    it.learn(first)
    before = it.learned_seconds
    it.learn(0.5)
    assert (it.learned is not None) == (first == 2.0)
    assert (it.learned_seconds > before) == (first == 2.0)


@pytest.mark.parametrize(
    ("before", "allowed", "left", "in_all"),
    [(0.0, 100.0, 60.0, 120.0), (20.0, 100.0, 60.0, 140.0), (20.0, 30.0, 60.0, 80.0)],
)
def test_units_are_for_all_the_time_of_learning_and_what_was_learned_with_fewer_gets_more(
    monkeypatch: pytest.MonkeyPatch, before: float, allowed: float, left: float, in_all: float
) -> None:
    """That of both threads together.

    Time passes slowly, and in the first share, of two seconds, hardly anything could be learned.
    """
    net = load(find_rules("tic_tac_toe").sheet())
    game, asked = Game.from_propnet(net), list[float]()
    known = Learner(game, 1).learned()._replace(seconds=before) if before else None
    features = FeatureNetwork(net, learned=known, recalled_seconds=before)

    def suiting(_game: Game, seconds: float, _seed: int, _known: object) -> int:
        asked.append(seconds)
        return MORE_HIDDEN

    monkeypatch.setattr(start_clock_learning, "hidden_units", suiting)
    model = GameModel(GameVariants(GameVariant.plain(game)), "uniform", features, learning_seconds=allowed)
    it = StartClockLearning(model, 2, TimeBudget(left, 1.0, clock=ticking()))
    it.learn(2.0)
    assert asked == [pytest.approx(in_all, abs=1.0)]
    assert it.learned is not None and it.learned.weights.hidden == MORE_HIDDEN


@pytest.mark.parametrize(("gated", "before", "replaced"), [(False, 5.0, True), (True, 5.0, False), (True, 1.0, True)])
def test_what_has_won_matches_is_replaced_by_what_took_longer_alone(
    tmp_path: Path, gated: bool, before: float, replaced: bool
) -> None:
    sheet = find_rules("tic_tac_toe").sheet()
    net = load(sheet)
    game = Game.from_propnet(net)
    entry = EvaluationCache.of_sheet(sheet, "state", tmp_path).entry(net)
    learner = Learner(game, 1)
    learner.round()
    entry.write(learner.learned()._replace(seconds=before, gated=gated))
    known = entry.read()
    assert known is not None and known.gated == gated
    model = GameModel(GameVariants(GameVariant.plain(game)), "uniform", learning_seconds=100.0, cache_entry=entry)
    it = StartClockLearning(model, 1, TimeBudget(1e6, 1.0, clock=ticking()))
    it.learn(2.0)
    it.save()
    kept = entry.read()
    assert kept is not None and (kept.rounds > known.rounds) == replaced


@pytest.mark.parametrize("kept", ["replaced", "gated", "unwritable", "gone"])
def test_learning_goes_on_from_what_this_match_made_of_what_earlier_ones_taught(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: str
) -> None:
    """Whatever became of the file; and no time of this match counts as that of earlier ones, or is given twice."""
    sheet = find_rules("tic_tac_toe").sheet()
    net = load(sheet)
    game = Game.from_propnet(net)
    cache = EvaluationCache.of_sheet(sheet, "state", tmp_path)
    entry = cache.entry(net)
    learner = Learner(game, 1)
    learner.round()
    entry.write(learner.learned()._replace(seconds=20.0, gated=kept == "gated"))
    first = GameModel(GameVariants(GameVariant.plain(game)), "uniform", FeatureNetwork(net), 6.0, 0.0, entry)
    it = StartClockLearning(first, 1, TimeBudget(1e6, 1.0, clock=ticking()))
    if kept == "unwritable":
        monkeypatch.setattr(type(entry), "write", Mock(side_effect=OSError("read-only")))
    it.learn(4.0)
    it.save()
    if kept == "gone":
        cache.path.unlink()
    reached = it.reached()
    assert reached is not None and reached.learned is not None
    assert reached.learned.seconds == it.learned_seconds == pytest.approx(24.0, abs=0.5)
    later = replace(first, features=reached, learned_seconds=reached.learned.seconds - reached.recalled_seconds)
    told = list[str]()
    it = StartClockLearning(later, 1, TimeBudget(1e6, 1.0, clock=ticking(), tell=told.append))
    it.learn(4.0)
    assert it.learned is not None and it.learned.rounds > reached.learned.rounds
    assert it.learned_seconds == pytest.approx(26.0, abs=0.5)
    assert told_by(it, told).startswith("learned for 6.") and told[0].endswith("what earlier matches taught")


def told_by(it: StartClockLearning, told: list[str]) -> str:
    it.tell()
    (line,) = told
    return line


def test_what_was_learned_while_features_were_chosen_is_told_if_nothing_more_is() -> None:
    features = SimpleNamespace(learned=object(), recalled_seconds=0.0)
    model = GameModel(None, "auto", features, 10.0, 2.5)  # type: ignore[arg-type]
    told = list[str]()
    it = StartClockLearning(model, 1, TimeBudget(0.0, 1.0, tell=told.append))
    it.learn(10.0)
    assert told_by(it, told) == "learned for 2.5 s by playing itself"
