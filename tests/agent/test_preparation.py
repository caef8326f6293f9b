"""What a player settles during the start clock, and that failures then cost no more than what might be found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ludens import games
from ludens.agent.learning.features import with_features
from ludens.agent.learning.learning import learn
from ludens.agent.preparation import preparation
from ludens.agent.preparation.kernel_choice import Offer
from ludens.agent.preparation.preparation import Meta, prepare
from ludens.agent.preparation.rating import Promise, Ratings
from ludens.agent.preparation.trial import Candidate, Terms
from ludens.agent.search.repertoire import only_places
from ludens.agent.search.searches import Prepared
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.playouts import with_playouts
from ludens.agent.variants.versions import NetworkVersions, Versions
from ludens.native.core import Game
from ludens.native.kernels.kernel_search import KernelGames
from ludens.propnet.base.errors import KernelError, NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support import kernels
from tests.support.waiting import PATIENCE


def network(name: str) -> Propnet:
    return load(parse_rules(games.read(name)))


@pytest.mark.parametrize("step", ["learn", "trial"])
@pytest.mark.parametrize("error", [NativeError("several roles choose"), MemoryError()])
def test_a_failure_leaves_the_search_by_random_games(
    monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    game = Game.from_propnet(network("tic_tac_toe"))
    if step == "trial":
        short = learn(game, 0.1)
        monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, step, fail)
    told: list[str] = []
    options = PlayerOptions(learn=10.0)
    assert prepare(Versions(game), options, Meta(PATIENCE, 1.0, tell=told.append)) == Prepared("uct", "auto")
    assert any("gives up" in text for text in told)


@pytest.mark.parametrize(
    ("chosen", "placing", "asked", "settled"),
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
    monkeypatch: pytest.MonkeyPatch, chosen: int, placing: bool, asked: list[str], settled: tuple[str, str, bool]
) -> None:
    net, options = network("breakthrough_small"), PlayerOptions(learn=10.0)
    versions = NetworkVersions(with_features(net, "mobility"), with_playouts(net, "auto"), "auto")
    versions.placing = placing
    short = learn(versions.seen, 0.1)
    tried: list[Candidate] = []

    def choose(candidates: Sequence[Candidate], options: PlayerOptions, terms: Terms) -> tuple[int, Ratings]:
        tried.extend(candidates)
        assert 0 < terms.seconds <= PATIENCE
        return chosen, Ratings([c.promise for c in candidates[1:]])

    monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, "trial", choose)
    prepared = prepare(versions, options, Meta(PATIENCE, 1.0))
    assert [candidate.way.strategy for candidate in tried] == asked
    guided = prepared.evaluation is not None and prepared.evaluation.weights is short.weights
    assert (prepared.strategy, prepared.policy, guided) == settled
    assert tried[0].game is versions.playing("auto")
    assert prepared.game(versions) is tried[chosen].game


def test_a_kernel_that_fails_in_a_trial_costs_no_more_than_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(network("connect_four"))
    short, kernel, told = learn(game, 0.1), KernelGames(kernels.Instant(), 32), list[str]()
    trials: list[list[KernelGames | None]] = []

    def choose(candidates: Sequence[Candidate], *_: object) -> tuple[int, Ratings]:
        trials.append([candidate.way.kernel for candidate in candidates])
        if kernel in trials[-1]:
            raise KernelError("an illegal address was met")
        return len(trials) % 2, Ratings([c.promise for c in candidates[1:]])

    monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, "trial", choose)
    monkeypatch.setattr(Offer, "settle", lambda *_: kernel)
    options = PlayerOptions(learn=10.0)
    assert prepare(Versions(game), options, Meta(PATIENCE, 1.0, tell=told.append)) == Prepared("uct", "auto")
    assert trials == [[kernel, None], [None, None]]
    assert "no kernel: an illegal address was met" in told
    assert not any("gives up" in text for text in told)
    trials = [[]]
    prepared = prepare(Versions(game), options, Meta(PATIENCE, 1.0))
    assert prepared == Prepared("guided", "auto", prepared.evaluation)
    assert prepared.evaluation is not None
    assert prepared.evaluation.weights is short.weights


def test_more_is_expected_of_an_evaluation_that_sees_threats(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(network("connect_four"))
    short = learn(game, 0.1)
    expected: dict[bool, float] = {}
    for threats in (False, True):

        def choose(candidates: Sequence[Candidate], *_: object, threats: bool = threats) -> tuple[int, Ratings]:
            expected[threats] = next(c.promise.strength for c in candidates if c.way.strategy == "guided")
            return 0, Ratings([c.promise for c in candidates[1:]])

        monkeypatch.setattr(preparation, "learn", lambda *_: short)
        monkeypatch.setattr(preparation, "trial", choose)
        versions = Versions(game)
        versions.threats = threats
        prepare(versions, PlayerOptions(learn=10.0), Meta(PATIENCE, 1.0))
    assert expected[True] > expected[False]


@pytest.mark.parametrize("rounds", [4, 400])
def test_only_who_has_learned_long_is_chosen_untried(rounds: int) -> None:
    versions = Versions(Game.from_propnet(network("connect_four")))
    versions.threats = True
    versions.learned = learn(versions.seen, 0.1)._replace(rounds=rounds)
    meta = Meta(PATIENCE, 1.0, stopped=lambda: True)
    assert prepare(versions, PlayerOptions(), meta).strategy == ("guided" if rounds == 400 else "uct")


def test_games_without_a_policy_of_their_own_are_not_tried_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(network("hex_small"))
    short = learn(game, 0.1)
    monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, "trial", lambda found, *_: (len(found) - 1, Ratings([Promise()])))
    prepared = prepare(Versions(game), PlayerOptions(learn=10.0), Meta(PATIENCE, 1.0))
    assert (prepared.strategy, prepared.policy) == ("guided", "auto")


@pytest.mark.parametrize(
    ("name", "placing"),
    [
        ("hex_small", True),
        ("connect_four", True),
        ("tic_tac_toe", True),
        ("breakthrough_small", False),
        ("reversi", False),
    ],
)
def test_games_of_placing_alone_are_known(name: str, placing: bool) -> None:
    assert only_places(network(name)) == placing
