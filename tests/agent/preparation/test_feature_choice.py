"""Whether an evaluation sees territory: what is learned of both, and which is taken."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning import features
from ludens.agent.learning.feature_comparison import FeatureComparison, narrowed_samples, narrowed_weights
from ludens.agent.learning.features import FeatureNetwork, SavedFeatures, with_features
from ludens.agent.learning.short_learning import learn
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.feature_choice import settle_territory
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.prepare import choose_search
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variants import NetworkVariants
from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Evaluation, Game, random_samples, unpack_bits
from ludens.propnet.analysis.composition import Composition
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.features.counts import with_features as with_literals
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import FALSE, FeatureName, Propnet

OPTIONS = PlayerOptions(strategy="guided", nodes_mb=32)


@cache
def network() -> Propnet:
    return load(games.read("breakthrough_small"))


@cache
def seen() -> FeatureNetwork:
    return with_features(network(), "all")


def kinds(net: Propnet) -> set[str]:
    return {name.what.split()[0] for name in net.feature_names}


def budget(seconds: float, told: list[str]) -> TimeBudget:
    """Half a second passes whenever somebody looks at the clock."""
    ticks = itertools.count()
    return TimeBudget(seconds, 1.0, seed=1, clock=lambda: next(ticks) / 2, tell=told.append, explain=told.append)


def model(features: FeatureNetwork) -> GameModel:
    variants = NetworkVariants(features.net, with_playouts(network(), "auto"), "auto")
    return GameModel(variants, "auto", features, OPTIONS.learn)


def errs(monkeypatch: pytest.MonkeyPatch, ratio: float | None) -> None:
    """An evaluation that sees territory errs so many times as much as one that does not."""
    monkeypatch.setattr(FeatureComparison, "error_ratio", lambda _self: ratio)


def test_territory_is_open_unless_it_was_asked_for_or_left_out() -> None:
    assert seen().plain is not None
    assert kinds(seen().net) == {"moves", "territory"} and kinds(seen().plain or network()) == {"moves"}
    for choice in ("territory", "mobility", "state"):
        one = with_features(network(), choice)
        assert one.plain is None and kinds(one.net) <= {"moves", "territory"}
        assert settle_territory(one, OPTIONS, budget(100.0, [])) is one
    hurried = with_features(network(), "all", trying=False)
    assert kinds(hurried.net) == {"moves"} and hurried.complete and hurried.plain is None


def test_what_was_chosen_before_is_seen_again_and_nothing_else_is_looked_for() -> None:
    names = seen().net.feature_names
    saved = SavedFeatures(set(names).__contains__, frozenset({"moves", "territory"}))
    known = with_features(network(), "all", 0.0, saved)
    assert known.plain is None and known.net.feature_names == names
    left_out = with_features(network(), "all", saved=SavedFeatures(set(names).__contains__, frozenset({"moves"})))
    assert kinds(left_out.net) == {"moves"} and left_out.complete


def test_who_has_more_time_has_it_for_what_was_chosen_before_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a run of `ludens learn` has that goes on, on a machine so busy that the usual time is not enough."""
    names = seen().net.feature_names
    saved = SavedFeatures(set(names).__contains__, frozenset({"moves", "territory"}))
    monkeypatch.setattr(features, "_SECONDS", 0.0)
    assert with_features(network(), "all", 60.0, saved).net.feature_names == names


@pytest.mark.parametrize(("ratio", "gains"), [(1.1, False), (0.97, True), (0.8, True)])
def test_the_evaluation_that_foretells_better_learns_on(
    monkeypatch: pytest.MonkeyPatch, ratio: float, gains: bool
) -> None:
    errs(monkeypatch, ratio)
    told = list[str]()
    clock = budget(60.0, told)
    chosen = settle_territory(seen(), OPTIONS, clock)
    assert chosen.plain is None and chosen.complete
    assert kinds(chosen.net) == ({"moves", "territory"} if gains else {"moves"})
    (line,) = told
    assert f"errs {ratio:.2f} times as much" in line
    assert line.endswith("this is what it sees" if gains else "it is left out")
    assert 50.0 < clock.left() < 60.0
    assert chosen.learned is not None and chosen.learned.rounds > 0
    assert chosen.learned.weights.features == network().state_bits + len(chosen.net.features)
    assert choose_search(model(chosen), OPTIONS, clock).evaluation is not None


def test_what_was_learned_without_it_is_kept_where_its_gain_stayed_open(monkeypatch: pytest.MonkeyPatch) -> None:
    errs(monkeypatch, None)
    told = list[str]()
    chosen = settle_territory(seen(), OPTIONS, budget(60.0, told))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete
    assert told == ["the evaluation does not see territory: no time for enough rounds of learning"]
    assert chosen.learned is not None
    assert chosen.learned.weights.features == network().state_bits + len(chosen.net.features)


def test_without_time_it_is_left_out_and_said() -> None:
    told = list[str]()
    chosen = settle_territory(seen(), OPTIONS, budget(3.0, told))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and not chosen.learned
    assert told == ["the evaluation does not see territory: no time to try it"]


def test_a_first_turn_in_the_middle_leaves_it_out() -> None:
    told, calls = list[str](), itertools.count()
    chosen = settle_territory(seen(), OPTIONS, replace(budget(60.0, told), stopped=lambda: next(calls) > 1))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and chosen.learned is None
    assert told == ["the evaluation does not see territory: the first turn came before it was tried"]


def test_learning_that_fails_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise NativeError("no room")

    monkeypatch.setattr(FeatureComparison, "learn", failing)
    told = list[str]()
    chosen = settle_territory(seen(), OPTIONS, budget(60.0, told))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and chosen.learned is None
    assert told == ["the evaluation does not see territory: no room"]


def test_the_evaluation_that_sees_less_gets_the_same_samples_without_the_rest() -> None:
    game, features = Game.from_propnet(seen().net), 70
    samples = random_samples(game, 100, seed=1)
    narrow = narrowed_samples(samples, features)
    assert (unpack_bits(narrow.features, features) == unpack_bits(samples.features, features)).all()
    assert narrow.features.shape[1] == 2 and not (narrow.features[:, 1] >> np.uint64(features - 64)).any()
    assert (narrow.targets == samples.targets).all()


def test_a_feature_that_says_nothing_more_is_not_missed() -> None:
    """Without the features besides the state, whose weights are zero in the beginning, all is valued alike."""
    game = Game.from_propnet(seen().net)
    weights = learn(game, 0.0).weights
    weights.linear[:, game.state_bits : -1] = 0
    weights.inner[:, game.state_bits : -1] = 0
    samples = random_samples(game, 100, seed=1)
    narrow = narrowed_samples(samples, game.state_bits)
    expected = Evaluation(weights).values(samples.features)
    found = Evaluation(narrowed_weights(weights, game.state_bits)).values(narrow.features)
    assert found == pytest.approx(expected, abs=1e-3)


def nim_that_tells_who_wins() -> Propnet:
    """Nim whose features say whether the nim-sum is 0, and whether that is bad for the first role."""
    net = load(parse_rules(games.read("nim")))
    made = Composition.from_network(net, 1000, math.inf)
    of = {name: 2 * (1 + number) for number, name in enumerate(net.propositions)}

    def exclusive(a: int, b: int) -> int:
        return made.any([made.both(a, b ^ 1), made.both(a ^ 1, b)])

    binary_digits = []
    for bit in (1, 2, 4):
        digit = FALSE
        for pile, most in (("a", 1), ("b", 3), ("c", 5), ("d", 7)):
            sizes = [of[f"(pile {pile} {size})"] for size in range(1, most + 1) if size & bit]
            digit = exclusive(digit, made.any(sizes))
        binary_digits.append(digit)
    lost = made.any(binary_digits) ^ 1
    literals = [lost, exclusive(lost, of["(control first)"])]
    return with_literals(made, literals, [FeatureName("told 0"), FeatureName("told 1")])


def nim_that_repeats_itself() -> Propnet:
    net = load(parse_rules(games.read("nim")))
    made = Composition.from_network(net, 1000, math.inf)
    return with_literals(made, [2, 4], [FeatureName("told 0"), FeatureName("told 1")])


@pytest.mark.parametrize(
    ("make", "better"), [(nim_that_tells_who_wins, True), (nim_that_repeats_itself, False)], ids=["wins", "repeats"]
)
def test_features_that_tell_the_result_are_found_to_gain(make: Callable[[], Propnet], *, better: bool) -> None:
    net = make()
    comparison = FeatureComparison(Game.from_propnet(net), net.state_bits, seed=1)
    rounds = itertools.count()
    comparison.learn(lambda: next(rounds) > 40)
    ratio = comparison.error_ratio()
    assert ratio is not None and (ratio < 0.9) == better
