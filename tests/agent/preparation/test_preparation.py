"""What a player settles during the start clock, and that failures then cost no more than what might be found."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest

from ludens import games
from ludens.agent.learning import short_learning
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.features import FeatureNetwork, with_features
from ludens.agent.learning.self_play_learner import LearningGames
from ludens.agent.learning.short_learning import learn
from ludens.agent.preparation import candidates as candidates_module
from ludens.agent.preparation import evidence, feature_choice, start_clock_learning
from ludens.agent.preparation import prepare as preparation
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.candidates import candidates_of
from ludens.agent.preparation.foresight import Foresight
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.kernel_choice import KernelTrial
from ludens.agent.preparation.prepare import choose_search
from ludens.agent.preparation.ratings import Pairing, Ratings, StrengthPrior
from ludens.agent.preparation.search_speed import iterations_per_second
from ludens.agent.preparation.start_clock_learning import StartClockLearning
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.strength_model import learned_figure
from ludens.agent.preparation.trial import Candidate
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.agent.variants.game_variants import GameVariants, NetworkVariants
from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Evaluation, Game, TrainingSamples
from ludens.native.kernels.kernel_search import KernelGames
from ludens.propnet.base.errors import KernelError, NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support import kernels
from tests.support.waiting import PATIENCE


def network(name: str) -> Propnet:
    return load(parse_rules(games.read(name)))


def model(game: Game, features: FeatureNetwork | None = None) -> GameModel:
    return GameModel(GameVariants(GameVariant.plain(game)), "auto", features, learning_seconds=10.0)


def budget(**parts: Any) -> TimeBudget:
    return TimeBudget(PATIENCE, 1.0, **parts)


def taught(monkeypatch: pytest.MonkeyPatch, weights: TrainedWeights) -> None:
    """Whoever learns has these weights at the end."""

    class Taught:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def learn(self, _end: float) -> None:
            pass

        def learned(self) -> TrainedWeights:
            return weights

    monkeypatch.setattr(start_clock_learning, "ShortLearner", Taught)


def rated(candidates: Sequence[Candidate], best: int) -> Ratings:
    """Ratings in which one candidate is far stronger than all others."""
    return Ratings([StrengthPrior(5.0 if i == best else -5.0) for i in range(1, len(candidates))])


def settled(config: SearchConfig) -> tuple[str, str, object]:
    return config.strategy, config.policy, config.kernel


@pytest.mark.parametrize("step", ["learn", "trial"])
@pytest.mark.parametrize("error", [NativeError("several roles choose"), MemoryError()])
def test_a_failure_leaves_the_search_by_random_games(
    monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    game = Game.from_propnet(network("tic_tac_toe"))
    if step == "trial":
        taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(*((start_clock_learning, "ShortLearner") if step == "learn" else (preparation, "trial")), fail)
    config = choose_search(model(game), PlayerOptions(learn=10.0), budget())
    assert settled(config) == ("uct", "auto", None)
    assert f"learning this game failed: {str(error) or 'out of memory'}" in config.reason


def test_what_was_learned_while_features_were_chosen_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the seconds of all threads, by which it is decided when self-play searches."""
    net, known = network("tic_tac_toe"), list[float]()
    game = Game.from_propnet(net)

    def noted(_game: Game, _seconds: float, _hidden: int, _seed: int, before: TrainedWeights, *_: object) -> None:
        known.append(before.seconds)
        raise NativeError("that is enough")

    monkeypatch.setattr(start_clock_learning, "ShortLearner", noted)
    chosen = FeatureNetwork(net, learned=learn(game, 0.1)._replace(seconds=0.0))
    learning = StartClockLearning(replace(model(game, chosen), learned_seconds=2.0), 3, budget())
    with pytest.raises(NativeError):
        learning.learn(5.0)
    assert known == [6.0]


def test_what_was_learned_before_searches_failed_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more is learned then, and the reason is told."""
    monkeypatch.setattr(short_learning, "_SHARE_AHEAD", 0.0)
    monkeypatch.setattr(short_learning, "_LEAST_ROUNDS_AHEAD", 1)
    play, failures, lines = LearningGames.play, list[bool](), list[str]()

    def failing(games: LearningGames, evaluation: Evaluation, rounds: int) -> TrainingSamples | None:
        if rounds == 0:
            return play(games, evaluation, rounds)
        failures.append(True)
        raise MemoryError

    monkeypatch.setattr(LearningGames, "play", failing)
    options = PlayerOptions(strategy="guided", learn=10.0)
    config = choose_search(model(Game.from_propnet(network("reversi"))), options, budget(tell=lines.append))
    assert config.strategy == "guided" and config.evaluation is not None
    assert failures == [True]
    assert any("self-play by search has failed, nothing more is learned: out of memory" in line for line in lines)


@pytest.mark.parametrize(("strategy", "told"), [("flat", []), ("auto", ["plays by puzzle: "])])
def test_how_moves_are_chosen_is_only_told_where_the_user_has_not_said_it(strategy: str, told: list[str]) -> None:
    lines: list[str] = []
    preparation.prepare(network("eight_puzzle"), PlayerOptions(strategy=strategy), budget(tell=lines.append))
    assert [line[: len(start)] for line, start in zip(lines, told, strict=True)] == told


@pytest.mark.parametrize(
    ("chosen", "placing", "asked", "expected"),
    [
        (0, True, ["uct", "guided", "rave", "uct", "uct", "uct"], ("uct", "auto", False)),
        (1, False, ["uct", "guided", "uct", "uct", "uct"], ("guided", "auto", True)),
        (2, True, ["uct", "guided", "rave", "uct", "uct", "uct"], ("rave", "auto", False)),
        (3, True, ["uct", "guided", "rave", "uct", "uct", "uct"], ("uct", "mast", False)),
        (4, True, ["uct", "guided", "rave", "uct", "uct", "uct"], ("uct", "uniform", False)),
        (5, True, ["uct", "guided", "rave", "uct", "uct", "uct"], ("uct", "captures", False)),
    ],
)
def test_what_a_trial_chooses_is_what_plays(
    monkeypatch: pytest.MonkeyPatch, chosen: int, placing: bool, asked: list[str], expected: tuple[str, str, bool]
) -> None:
    net, options = network("breakthrough_small"), PlayerOptions(learn=10.0)
    features = with_features(net, "mobility")
    variants = NetworkVariants(features.net, with_playouts(net, "auto"), "auto")
    monkeypatch.setattr(candidates_module, "only_places", lambda *_: placing)
    short = learn(variants.evaluated().full_game, 0.1)
    tried: list[Candidate] = []

    def choose(candidates: Sequence[Candidate], budget: TimeBudget, _: object) -> Ratings:
        tried.extend(candidates)
        assert 0 < budget.left() <= PATIENCE
        return rated(candidates, chosen)

    taught(monkeypatch, short)
    monkeypatch.setattr(preparation, "trial", choose)
    explained: list[str] = []
    known = GameModel(variants, "auto", features, learning_seconds=10.0)
    config = choose_search(known, options, budget(explain=explained.append))
    assert [candidate.config.strategy for candidate in tried] == asked
    guided = config.evaluation is not None and config.evaluation.weights is short.weights
    assert (config.strategy, config.policy, guided) == expected
    assert tried[0].config.variant is variants.playing("auto")
    assert config.variant is (variants.evaluated() if guided else variants.playing(config.policy))
    assert all(any(f"{each.config} can expect " in line for line in explained) for each in tried[1:])
    assert "can expect " in config.reason and "no trial game" in config.reason
    assert ("no other search seems stronger" in config.reason) == (not chosen)
    assert not guided or "the correlation of its evaluation with results" in config.reason


@pytest.mark.parametrize(
    ("strategy", "learned_seconds", "rushed"),
    [("auto", 0.0, True), ("auto", 9.0, False), ("guided", 0.0, True), ("guided", 9.0, False), ("uct", 0.0, False)],
)
def test_a_search_that_is_chosen_before_much_was_learned_is_rushed(
    strategy: str, learned_seconds: float, rushed: bool
) -> None:
    options = PlayerOptions(strategy=strategy, learn=10.0, nodes_mb=64)
    known = replace(model(Game.from_propnet(network("breakthrough_small"))), learned_seconds=learned_seconds)
    config = choose_search(known, options, budget(stopped=lambda: True))
    assert config.strategy == "uct"
    assert (config.rushed, config.memory_mb) == (rushed, 64)
    assert preparation.with_half_the_memory(config, options).memory_mb == 32


@pytest.mark.parametrize(
    ("known", "chosen", "games", "rushed"),
    [(True, 0, 0, False), (False, 0, 0, True), (False, 1, 0, False), (False, 0, 1, False)],
)
def test_a_search_is_rushed_if_an_evaluation_that_nothing_is_known_of_is_left_out(
    monkeypatch: pytest.MonkeyPatch, known: bool, chosen: int, games: int, rushed: bool
) -> None:
    def choose(candidates: Sequence[Candidate], *_: object) -> Ratings:
        ratings = rated(candidates, chosen)
        for _game in range(games):
            ratings.add(Pairing(0, 1, 0.0), 0.5 + 0.5 * (chosen == 0))
        return ratings

    game = Game.from_propnet(network("breakthrough_small"))
    taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(evidence, "foresight", lambda *_: Foresight(0.5, 0.5) if known else None)
    monkeypatch.setattr(preparation, "trial", choose)
    monkeypatch.setattr(StartClockLearning, "is_short", lambda _self: False)
    assert choose_search(model(game), PlayerOptions(learn=10.0), budget()).rushed == rushed


@pytest.mark.parametrize(("gain", "chosen"), [(0.0, "uct"), (0.2, "guided")])
def test_what_will_be_learned_in_the_time_that_no_trial_needs_counts(
    monkeypatch: pytest.MonkeyPatch, gain: float, chosen: str
) -> None:
    def choose(candidates: Sequence[Candidate], *_: object) -> Ratings:
        return Ratings([StrengthPrior(-0.1 if c.config.strategy == "guided" else -5.0) for c in candidates[1:]])

    game = Game.from_propnet(network("breakthrough_small"))
    taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(preparation, "trial", choose)
    monkeypatch.setattr(StartClockLearning, "gain", lambda _self, _seconds, **_: gain)
    monkeypatch.setattr(StartClockLearning, "is_short", lambda _self: False)
    assert choose_search(model(game), PlayerOptions(learn=10.0), budget()).strategy == chosen


def test_what_will_be_learned_does_not_count_where_nothing_is_known_of_the_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is looked at again with more time instead, for which it learns on."""
    game, seconds, learned = Game.from_propnet(network("breakthrough_small")), list[float](), StartClockLearning.learn

    def noted(self: StartClockLearning, allowed: float) -> None:
        seconds.append(allowed)
        learned(self, allowed)

    monkeypatch.setattr(StartClockLearning, "learn", noted)
    taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(evidence, "foresight", lambda *_: None)
    monkeypatch.setattr(preparation, "trial", lambda found, *_: Ratings([each.prior for each in found[1:]]))
    monkeypatch.setattr(preparation, "candidates_of", lambda *given: candidates_of(*given)[:2])
    monkeypatch.setattr(StartClockLearning, "gain", lambda _self, _seconds, **_: 0.2)
    monkeypatch.setattr(StartClockLearning, "is_short", lambda _self: False)
    config = choose_search(model(game), PlayerOptions(learn=10.0), budget())
    assert (config.strategy, config.rushed) == ("uct", True)
    assert len(seconds) == 2 and 0 < seconds[1] <= PATIENCE


def test_two_lines_tell_what_was_learned_and_why_a_search_plays() -> None:
    told: list[str] = []
    time = TimeBudget(8.0, 0.1, clock=process_time, tell=told.append)
    preparation.prepare(network("breakthrough_small"), PlayerOptions(learn=2.0, nodes_mb=64, threads=1), time)
    learned, plays = told
    assert re.fullmatch(r"learned for [\d.]+ s by playing itself; .*choosing a search (took )?[\d.]+ s", learned)
    assert re.fullmatch(r"plays by .+: .*can expect \d+ % \(\d+-\d+\) of the points.*, .*trial games?", plays)
    assert sum(time.spent.values()) <= 10.0


@pytest.mark.parametrize("features", ["all", "planes"])
def test_what_is_prepared_later_has_the_memory_that_the_search_in_a_hurry_leaves(
    monkeypatch: pytest.MonkeyPatch, features: str
) -> None:
    monkeypatch.setattr(preparation, "trial", lambda found, *_: rated(found, 0))
    net = network("breakthrough_small")
    options = PlayerOptions(learn=2.0, nodes_mb=64, threads=1, features=features)
    told: list[str] = []
    config = preparation.prepare_later(net, options, budget(tell=told.append))
    assert any(line.startswith("learned for") for line in told)
    assert (config.memory_mb, config.rushed) == (32, False)


@pytest.mark.parametrize(("seconds", "tried", "kept"), [(4.0, True, True), (4.0, True, False), (1.5, False, True)])
@pytest.mark.usefixtures("own_cache")
def test_what_is_prepared_later_goes_on_from_what_was_found_and_learned(
    monkeypatch: pytest.MonkeyPatch, seconds: float, tried: bool, kept: bool
) -> None:
    """If all was found: where there was no time to try territory, features are looked for again."""
    monkeypatch.setattr(preparation, "trial", lambda found, *_: rated(found, 0))
    monkeypatch.setattr(StartClockLearning, "is_short", lambda _self: True)
    sheet = parse_rules(games.read("breakthrough_small"))
    net, options = network("breakthrough_small"), PlayerOptions(learn=seconds, nodes_mb=64, threads=1)
    for _ in range(1 if tried else 2):  # in a hurry again, though what the first time has learned is kept
        first = preparation.prepare(net, options, budget(), sheet=sheet)
        assert (first.rushed, first.features is not None) == (True, tried)
    place = EvaluationCache.of_sheet(sheet, "all").path
    assert place.exists() == tried  # it settles what evaluations see
    if first.features is None or first.features.learned is None:
        assert not tried
        return
    if not kept:
        place.unlink()
    monkeypatch.setattr(feature_choice, "with_features", pytest.fail)
    rounds = first.features.learned.rounds
    later = preparation.prepare_later(
        net, replace(options, learn=seconds + 2), budget(), sheet=sheet, features=first.features
    )
    assert later.features is not None and later.features.learned is not None
    assert later.features.learned.rounds > rounds > 0
    assert later.features.learned.seconds > first.features.learned.seconds > 0


@pytest.mark.parametrize("known", [True, False])
def test_what_was_learned_for_long_counts_where_it_is_known_what_it_foretells(
    monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    net = network("connect_four")
    variants = NetworkVariants(net, net, "uniform")
    learned = Evaluation(learn(variants.evaluated().full_game, 0.1).weights)
    plain = SearchConfig.from_settings(PlayerOptions(), variants.playing("uniform"), "uniform")
    monkeypatch.setattr(evidence, "foresight", lambda *_: Foresight(0.5, 0.5) if known else None)
    strengths = [
        candidates_of(
            GameModel(variants, "uniform", FeatureNetwork(net)), plain, learned, TimeBudget(0.0, 1.0), seconds
        )[1].prior.strength
        for seconds in (4.0, 1200.0)
    ]
    gained = STRENGTH_MODELS["guided"].coefficients["learned"] * (learned_figure(1200.0) - learned_figure(4.0))
    # Speeds are measured each time, and differ.
    assert strengths[1] - strengths[0] == pytest.approx(gained if known else 0.0, abs=0.5)


def test_a_kernel_that_fails_in_a_trial_costs_no_more_than_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(network("breakthrough_small"))
    short, kernel, told = learn(game, 0.1), KernelGames(kernels.Instant(), 32), list[str]()
    trials: list[list[KernelGames | None]] = []

    def choose(candidates: Sequence[Candidate], *_: object) -> Ratings:
        trials.append([candidate.config.kernel for candidate in candidates])
        if kernel in trials[-1]:
            raise KernelError("an illegal address was met")
        return rated(candidates, len(trials) % 2)

    taught(monkeypatch, short)
    monkeypatch.setattr(preparation, "trial", choose)
    monkeypatch.setattr(KernelTrial, "settle", lambda *_: kernel)
    options = PlayerOptions(learn=10.0)
    assert settled(choose_search(model(game), options, budget(tell=told.append))) == ("uct", "auto", None)
    assert trials == [[kernel, None], [None, None]]
    assert "random games are not played in large batches: an illegal address was met" in told
    assert not any("failed" in text for text in told)
    trials = [[]]
    config = choose_search(model(game), options, budget())
    assert settled(config) == ("guided", "auto", None)
    assert config.evaluation is not None
    assert config.evaluation.weights is short.weights


def test_a_kernel_that_fails_while_its_speed_is_measured_costs_no_more_than_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Game.from_propnet(network("connect_four"))
    kernel, told = KernelGames(kernels.Instant(), 32), list[str]()

    def failing(config: SearchConfig, *rest: Any) -> float:
        if config.kernel:
            raise KernelError("an illegal address was met")
        return iterations_per_second(config, *rest)

    taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(evidence, "iterations_per_second", failing)
    monkeypatch.setattr(preparation, "trial", lambda found, *_: rated(found, 1))
    monkeypatch.setattr(KernelTrial, "settle", lambda *_: kernel)
    config = choose_search(model(game), PlayerOptions(learn=10.0), budget(tell=told.append))
    assert settled(config) == ("guided", "auto", None)
    assert "random games are not played in large batches: an illegal address was met" in told


def test_little_time_is_spent_on_foresight_once_the_first_turn_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = list[float]()

    def measured(
        _game: Game, _evaluation: object, _seed: int, seconds: float, _clock: object, overtime: float
    ) -> Foresight:
        spent.append(seconds + overtime)
        return Foresight(0.5, 0.5)

    monkeypatch.setattr(evidence, "foresight", measured)
    net = network("tic_tac_toe")
    game = Game.from_propnet(net)
    features = FeatureNetwork(net, learned=learn(game, 0.1))
    taught(monkeypatch, learn(game, 0.1))
    monkeypatch.setattr(preparation, "trial", lambda found, *_: rated(found, 0))
    for came in (False, True):
        choose_search(model(game, features), PlayerOptions(), budget(stopped=lambda came=came: came))
    assert spent[0] > 2 > spent[1] > 0


@pytest.mark.parametrize("foretells", [0.1, 0.9])
def test_an_evaluation_that_foretells_more_than_random_games_is_chosen_untried(
    monkeypatch: pytest.MonkeyPatch, foretells: float
) -> None:
    net = network("breakthrough_small")
    game = Game.from_propnet(net)
    features = FeatureNetwork(net, learned=learn(game, 0.1))
    monkeypatch.setattr(evidence, "foresight", lambda *_: Foresight(foretells, 0.5))
    config = choose_search(model(game, features), PlayerOptions(), budget(stopped=lambda: True))
    assert config.strategy == ("guided" if foretells > 0.5 else "uct")


@pytest.mark.parametrize(
    ("foretells", "left", "composed"), [(0.9, 3.0, False), (0.9, PATIENCE, True), (0.1, 3.0, True)]
)
def test_a_policy_is_composed_if_there_is_time_to_try_it_or_what_was_learned_is_worth_little(
    monkeypatch: pytest.MonkeyPatch, foretells: float, left: float, *, composed: bool
) -> None:
    net = network("breakthrough_small")
    variants = NetworkVariants(net, with_playouts(net, "auto"), "auto")
    monkeypatch.setattr(evidence, "foresight", lambda *_: Foresight(foretells, 0.5))
    learned = Evaluation(learn(variants.evaluated().full_game, 0.1).weights)
    plain = SearchConfig.from_settings(PlayerOptions(), variants.playing("auto"), "auto")
    found = candidates_of(GameModel(variants, "auto", FeatureNetwork(net)), plain, learned, TimeBudget(left, 1.0), 16.0)
    policies = [each.config.policy for each in found]
    assert policies == ["auto", "auto", "mast", "uniform", *(["captures"] if composed else [])]


@pytest.mark.parametrize(("name", "tried"), [("tron", True), ("rock_paper_scissors", True), ("connect_four", False)])
def test_decoupled_search_is_tried_where_several_choose_at_once_and_promises_more_if_that_hardly_matters(
    monkeypatch: pytest.MonkeyPatch, name: str, *, tried: bool
) -> None:
    monkeypatch.setattr(evidence, "_INDEPENDENCE_SECONDS", math.inf)
    net = network(name)
    variants = NetworkVariants(net, net, "uniform")
    plain = SearchConfig.from_settings(PlayerOptions(), variants.playing("uniform"), "uniform")
    found = candidates_of(GameModel(variants, "uniform"), plain, None, TimeBudget(math.inf, 1.0), 0.0)
    decoupled = [each for each in found if each.config.strategy == "decoupled"]
    assert bool(decoupled) == tried
    for candidate in decoupled:
        assert candidate.evidence is not None
        assert (candidate.evidence.independence > 0.5) == (name == "tron")
        assert (candidate.prior.strength > STRENGTH_MODELS["decoupled"].coefficients["constant"]) == (name == "tron")


def test_a_game_whose_random_games_never_end_is_prepared_all_the_same() -> None:
    """It ends once the first role has made both squares its own, which random play undoes."""
    rules = """(role a) (role b) (init (turn a)) (init (square 1 x)) (init (square 2 o)) (number 1) (number 2)
        (after a b) (after b a) (<= (legal ?r (go ?n)) (true (turn ?r)) (number ?n))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
        (<= (next (square ?n x)) (does a (go ?n))) (<= (next (square ?n o)) (does b (go ?n)))
        (<= terminal (true (square 1 x)) (true (square 2 x))) (<= (goal ?r 50) (role ?r))"""
    net = load(parse_rules(rules))
    assert preparation.prepare(net, PlayerOptions(), TimeBudget(3.0, 1.0)).reason


def test_games_without_a_policy_of_their_own_are_not_tried_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(network("breakthrough_small"))
    short = learn(game, 0.1)
    taught(monkeypatch, short)
    monkeypatch.setattr(preparation, "trial", lambda found, *_: rated(found, len(found) - 1))
    config = choose_search(model(game), PlayerOptions(learn=10.0), budget())
    assert settled(config) == ("guided", "auto", None)


@pytest.mark.parametrize(
    ("kept", "fault", "told"),
    [
        (0.0, "", []),
        (
            80.0,
            "",
            ["not used, since it sees other features: what was learned before, in 80 s of all threads together"],
        ),
        (0.0, "it is of version 5", ["what was learned before is not used: it is of version 5"]),
    ],
)
def test_that_what_was_learned_before_does_not_fit_is_told(kept: float, fault: str, told: list[str]) -> None:
    entry: Any = SimpleNamespace(read=lambda: None, seconds=lambda: kept, fault=lambda _game: fault)
    lines: list[str] = []
    StartClockLearning(
        replace(model(Game.from_propnet(network("nim"))), cache_entry=entry), 1, budget(tell=lines.append)
    )
    assert lines == told
