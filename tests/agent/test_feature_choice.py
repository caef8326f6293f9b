"""Whether an evaluation sees territory: what is learned of both, and which is taken."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import pytest

from ludens import games
from ludens.agent.learning.features import FeatureNetwork, SavedFeatures, with_features
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.feature_choice import settle_territory
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.prepare import choose_search
from ludens.agent.preparation.ratings import Ratings, StrengthPrior
from ludens.agent.preparation.trial import Candidate
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variants import NetworkVariants
from ludens.agent.variants.policy_networks import with_playouts
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

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


class Rated(Ratings):
    """Ratings that are known beforehand."""

    def strength(self, player: int) -> tuple[float, float]:
        return 0.7, 0.4


def decided(monkeypatch: pytest.MonkeyPatch, number: int) -> list[Candidate]:
    """A trial is played that ends so; those that are in it."""
    tried: list[Candidate] = []

    def trial(candidates: list[Candidate], budget: TimeBudget, _caution: float) -> tuple[int, object]:
        assert budget.move_seconds < 0.01  # however long those of the match are
        tried.extend(candidates)
        return number, Rated([StrengthPrior()])

    monkeypatch.setattr("ludens.agent.preparation.feature_choice.trial", trial)
    return tried


def test_territory_is_open_unless_it_was_asked_for_or_left_out() -> None:
    assert seen().plain is not None and not seen().gains
    assert kinds(seen().net) == {"moves", "territory"} and kinds(seen().plain or network()) == {"moves"}
    for choice in ("territory", "mobility", "state"):
        one = with_features(network(), choice)
        assert one.plain is None and not one.gains and kinds(one.net) <= {"moves", "territory"}
        assert settle_territory(one, OPTIONS, budget(100.0, [])) is one
    hurried = with_features(network(), "all", trying=False)
    assert kinds(hurried.net) == {"moves"} and hurried.complete and hurried.plain is None


def test_what_was_chosen_before_is_seen_again_and_nothing_else_is_looked_for() -> None:
    names = seen().net.feature_names
    saved = SavedFeatures(set(names).__contains__, frozenset({"moves", "territory"}))
    known = with_features(network(), "all", 0.0, saved)
    assert known.plain is None and known.gains and known.net.feature_names == names
    left_out = with_features(network(), "all", saved=SavedFeatures(set(names).__contains__, frozenset({"moves"})))
    assert kinds(left_out.net) == {"moves"} and not left_out.gains and left_out.complete


@pytest.mark.parametrize("number", [0, 1])
def test_the_better_of_two_evaluations_learns_on(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    tried, told = decided(monkeypatch, number), list[str]()
    clock = budget(60.0, told)
    chosen = settle_territory(seen(), OPTIONS, clock)
    assert [candidate.config.variant.game.feature_bits for candidate in tried] == [
        network().state_bits + len(net.features) for net in (seen().plain or network(), seen().net)
    ]
    assert chosen.gains == bool(number) and chosen.plain is None and chosen.complete
    assert kinds(chosen.net) == ({"moves", "territory"} if number else {"moves"})
    (line,) = told
    assert "can expect 67 % (48-82) of the points" in line
    assert line.endswith("this is what it sees" if number else "it is left out")
    assert 0 < clock.left() < 50.0
    assert chosen.learned is not None and chosen.learned.rounds > 0

    assert choose_search(model(chosen), OPTIONS, clock).evaluation is not None


def test_what_is_learned_starts_from_what_was_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    decided(monkeypatch, 1)
    chosen = settle_territory(seen(), OPTIONS, budget(60.0, []))
    told = list[str]()
    choose_search(model(chosen), OPTIONS, budget(30.0, told))
    assert any("in addition" in text for text in told)


def test_without_time_it_is_left_out_and_said() -> None:
    told = list[str]()
    chosen = settle_territory(seen(), OPTIONS, budget(8.0, told))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and not chosen.learned
    assert told == ["the evaluation does not see territory: no time to try it"]


def test_a_first_turn_in_the_middle_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, told = decided(monkeypatch, 1), list[str]()
    chosen = settle_territory(seen(), OPTIONS, replace(budget(60.0, told), stopped=lambda: bool(tried)))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and chosen.learned is None
    assert told == ["the evaluation does not see territory: the first turn came before it was tried"]


def test_a_trial_that_fails_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise NativeError("no room")

    monkeypatch.setattr("ludens.agent.preparation.feature_choice.trial", failing)
    told = list[str]()
    chosen = settle_territory(seen(), OPTIONS, budget(60.0, told))
    assert kinds(chosen.net) == {"moves"} and not chosen.complete and chosen.learned is None
    assert told == ["the evaluation does not see territory: no room"]


def test_evaluations_play_each_other() -> None:
    """The whole of it; which is better no test can know."""
    told = list[str]()
    clock = TimeBudget(15.0, 0.1, seed=1, explain=told.append)
    chosen = settle_territory(seen(), OPTIONS, clock)
    assert chosen.learned is not None and chosen.learned.weights.features == network().state_bits + len(
        chosen.net.features
    )
    assert len(told) == 1 and clock.left() < 15.0
