"""Which version of a game is played for a policy; each is made once, and none before it is asked for."""

from __future__ import annotations

import pytest

import games
from agent.features import Seen, with_features
from agent.playouts import CHOICES, playable, with_playouts
from agent.searches import Prepared
from agent.versions import NetworkVersions, Versions
from native.core import Game, Simulator
from propnet.loader import load
from propnet.network import Propnet


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Propnet]:
    """The networks that are compiled from now on."""
    made: list[Propnet] = []
    real = Game.from_propnet

    def from_propnet(net: Propnet) -> Game:
        made.append(net)
        return real(net)

    monkeypatch.setattr(Game, "from_propnet", from_propnet)
    return made


def of(name: str, policy: str) -> NetworkVersions:
    net = load(games.read(name))
    return NetworkVersions(with_features(net, "threats"), with_playouts(net, policy), policy)


def test_a_version_is_compiled_once_and_not_before_it_is_asked_for(compiled: list[Propnet]) -> None:
    versions = of("connect_four", "auto")
    assert not compiled
    assert versions.playing("auto") is versions.playing("auto")
    (played,) = compiled
    assert played.playable is not None
    assert not played.averages
    assert versions.playing("mast") is versions.playing("mast")
    assert compiled[1].averages
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
