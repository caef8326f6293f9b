"""Which version of a game is played for a policy; each is made once, and none before it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ludens import games
from ludens.agent.learning.features import Seen, with_features
from ludens.agent.search.searches import Prepared
from ludens.agent.variants.playouts import CHOICES, playable, with_playouts
from ludens.agent.variants.races import RacedGame
from ludens.agent.variants.versions import NetworkVersions, Versions
from ludens.native.core import Game, Simulator
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins, find_unstoppable_wins


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Propnet]:
    """The networks that are compiled from now on."""
    made: list[Propnet] = []
    real = Game.from_propnet.__func__  # type: ignore[attr-defined]

    def from_propnet(kind: type[Game], net: Propnet) -> Game:
        made.append(net)
        game: Game = real(kind, net)
        return game

    monkeypatch.setattr(Game, "from_propnet", classmethod(from_propnet))
    return made


def of(name: str, policy: str, tell: Callable[[str], None] = print) -> NetworkVersions:
    net = load(games.read(name))
    return NetworkVersions(with_features(net, "threats"), with_playouts(net, policy), policy, tell=tell)


def test_a_version_is_compiled_once_and_not_before_it_is_asked_for(compiled: list[Propnet]) -> None:
    versions = of("connect_four", "auto")
    assert not compiled
    assert versions.playing("auto") is versions.playing("auto")
    (played,) = compiled
    assert played.playable is not None
    assert not played.machine_policy
    assert versions.playing("mast") is versions.playing("mast")
    assert compiled[1].machine_policy == "mast"
    assert compiled[1].gates is played.gates  # composed once
    assert versions.seen is versions.seen is versions.playing("uniform")
    assert len(compiled) == 3
    assert compiled[2].playable is None
    assert len(compiled[2].features)


@pytest.mark.parametrize("policy", CHOICES)
def test_other_policies_are_tried_only_where_the_player_may_choose(policy: str) -> None:
    assert set(of("breakthrough_small", policy).alternatives) == (
        {"mast", "uniform", "captures"} if policy == "auto" else set()
    )


def test_unstoppable_wins_are_found_once_for_all_versions(
    compiled: list[Propnet], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, real = list[Propnet](), find_unstoppable_wins

    def spy(net: Propnet, longest: int, gates: int, seconds: float) -> UnstoppableWins:
        found.append(net)
        return real(net, longest, gates, seconds)

    monkeypatch.setattr("ludens.agent.variants.races.find_unstoppable_wins", spy)
    told: list[str] = []
    versions = of("breakthrough_small", "auto", told.append)
    policies = ("auto", *versions.alternatives)
    for policy in policies:
        assert isinstance(versions.playing(policy), RacedGame)
    assert len(compiled) == 2 * len(policies)  # each also as it is played out
    assert sum(net.machine_policy == "mast" for net in compiled) == 2
    assert len(found) == len(told) == 1


def test_where_unstoppable_wins_are_not_found_in_time_no_version_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.variants.races._SECONDS", 0.0)
    told: list[str] = []
    versions = of("breakthrough_small", "auto", told.append)
    assert type(versions.playing("auto")) is type(versions.seen) is Game
    (text,) = told
    assert "without unstoppable wins" in text


def test_captures_choose_from_what_the_policy_asked_for_leaves() -> None:
    versions = of("breakthrough_small", "auto")
    assert "captures" in versions.alternatives
    lengths = [
        Simulator(versions.playing(policy), seed=1).playouts(20_000).mean_length
        for policy in ("uniform", "auto", "captures")
    ]
    assert len(set(lengths)) == 3


def test_where_games_are_uniform_anyway_that_is_no_other_policy(compiled: list[Propnet]) -> None:
    net = load(games.read("rock_paper_scissors"))
    played, policy = playable(net, "auto", lambda _text: None)
    versions = NetworkVersions(Seen(net), played, policy)
    assert versions.alternatives == ["mast"]
    assert versions.playing("auto") is versions.seen
    assert len(compiled) == 1


def test_a_policy_that_cannot_be_had_is_uniform_and_told() -> None:
    net, told = load(games.read("rock_paper_scissors")), list[str]()
    assert playable(net, "decisive", told.append) == (net, "uniform")
    assert "random games stay uniform" in told[0]


def test_a_search_that_is_guided_plays_what_the_evaluation_sees() -> None:
    versions, evaluation = of("tic_tac_toe", "auto"), object()
    assert Prepared("guided", "auto", evaluation).game(versions) is versions.seen  # type: ignore[arg-type]
    assert Prepared("rave", "auto").game(versions) is versions.playing("auto")


def test_on_bitboards_there_is_one_version() -> None:
    game = Game.from_propnet(load(games.read("tic_tac_toe")))
    versions = Versions(game)
    assert versions.seen is versions.playing("auto") is versions.playing("decisive") is game
    assert versions.alternatives == ()
