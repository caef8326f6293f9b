"""Which variant of a game is played for a policy; each is made once, and none before it is asked for."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest

from ludens import games
from ludens.agent.learning.features import with_features
from ludens.agent.playable.text_game import NetworkGame, RulesGame
from ludens.agent.settings.options import PLAYOUT_POLICIES
from ludens.agent.variants.game_variant import GameVariant
from ludens.agent.variants.game_variants import GameVariants, NetworkVariants
from ludens.agent.variants.policy_networks import playable, with_playouts
from ludens.native.core import Game, Simulator
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins, find_unstoppable_wins


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Propnet]:
    """The networks that are compiled from now on."""
    for name in ("breakthrough_small", "connect_four"):
        seen(name)  # random games choose the features, and their network is compiled for that
    made: list[Propnet] = []
    real = Game.from_propnet.__func__  # type: ignore[attr-defined]

    def from_propnet(kind: type[Game], net: Propnet, symmetries: Int32Array | None = None) -> Game:
        made.append(net)
        game: Game = real(kind, net, symmetries)
        return game

    monkeypatch.setattr(Game, "from_propnet", classmethod(from_propnet))
    return made


@cache
def seen(name: str) -> Propnet:
    """The network of a game with threats as features."""
    return with_features(load(games.read(name)), "threats").net


def of(name: str, policy: str, tell: Callable[[str], None] = print) -> NetworkVariants:
    return NetworkVariants(seen(name), with_playouts(load(games.read(name)), policy), policy, explain=tell)


def test_a_variant_is_compiled_once_and_not_before_it_is_asked_for(compiled: list[Propnet]) -> None:
    variants = of("connect_four", "auto")
    assert not compiled
    assert variants.playing("auto") is variants.playing("auto")
    (played,) = compiled
    assert played.playable is not None
    assert not played.machine_policy
    assert variants.playing("mast") is variants.playing("mast")
    assert compiled[1].machine_policy == "mast"
    assert compiled[1].gates is played.gates  # composed once
    assert variants.evaluated() is variants.evaluated() is variants.playing("uniform")
    assert len(compiled) == 3
    assert compiled[2].playable is None
    assert len(compiled[2].features)


@pytest.mark.parametrize("policy", PLAYOUT_POLICIES)
def test_other_policies_are_tried_only_where_the_player_may_choose(policy: str) -> None:
    assert set(of("breakthrough_small", policy).other_policies()) == (
        {"mast", "uniform", "captures"} if policy == "auto" else set()
    )


def test_captures_are_composed_only_if_there_is_time() -> None:
    variants = of("breakthrough_small", "auto")
    assert set(variants.other_policies(composing=False)) == {"mast", "uniform"}
    assert set(variants.other_policies()) == {"mast", "uniform", "captures"}


def test_unstoppable_wins_are_found_once_for_all_variants(
    compiled: list[Propnet], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, real = list[Propnet](), find_unstoppable_wins

    def spy(net: Propnet, longest: int, gates: int, seconds: float) -> UnstoppableWins:
        found.append(net)
        return real(net, longest, gates, seconds)

    monkeypatch.setattr("ludens.agent.variants.early_wins.find_unstoppable_wins", spy)
    told: list[str] = []
    variants = of("breakthrough_small", "auto", told.append)
    policies = ("auto", *variants.other_policies())
    for policy in policies:
        assert variants.playing(policy).ends_early
    assert len(compiled) == 2 * len(policies)  # each also as it is played out
    assert sum(net.machine_policy == "mast" for net in compiled) == 2
    assert len(found) == len(told) == 1


def test_where_unstoppable_wins_are_not_found_in_time_no_variant_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.variants.early_wins._SECONDS", 0.0)
    told: list[str] = []
    variants = of("breakthrough_small", "auto", told.append)
    assert not variants.playing("auto").ends_early and not variants.evaluated().ends_early
    (text,) = told
    assert "wins that nobody can prevent are not looked for" in text


def test_captures_choose_from_what_the_policy_asked_for_leaves() -> None:
    variants = of("breakthrough_small", "auto")
    assert "captures" in variants.other_policies()
    lengths = [
        Simulator(variants.playing(policy).game, seed=1).playouts(20_000).mean_length
        for policy in ("uniform", "auto", "captures")
    ]
    assert len(set(lengths)) == 3


def test_where_games_are_uniform_anyway_that_is_no_other_policy(compiled: list[Propnet]) -> None:
    net = load(games.read("rock_paper_scissors"))
    played, policy = playable(net, "auto", lambda _text: None)
    variants = NetworkVariants(net, played, policy)
    assert variants.other_policies() == ["mast"]
    assert variants.playing("auto") is variants.evaluated()
    assert len(compiled) == 1


# White may boast while it has control and has it not: no move that is ever legal, and a fact that matters nowhere else.
IMPOSSIBLE = """
(<= bold (true (control white)) (true (flag up)))
(<= (legal white boast) bold (not (true (control white))))
(<= (next (flag up)) (does white (move 1 2 1 3)))
"""


def test_all_variants_have_the_states_and_moves_of_the_rules() -> None:
    """Also where moves turn out never to be legal as the network is worked on further."""
    sheet = parse_rules(games.read("breakthrough_small") + IMPOSSIBLE)
    net = load(sheet)
    found = with_features(net, "all").net
    assert len(found.features)
    variants = NetworkVariants(found, with_playouts(net, "auto"), "auto", explain=lambda _text: None)
    policies = ("auto", *variants.other_policies())
    assert {*policies} == {"auto", "mast", "uniform", "captures"}
    for policy in policies:
        variant = variants.playing(policy)
        assert variant.ends_early
        for game in (variant.game, variant.full_game):
            assert_same_play(NetworkGame(net, game), RulesGame(sheet))


def assert_same_play(one: NetworkGame, other: RulesGame) -> None:
    """Plays random games of both until one is over, which may end early."""
    dice = random.Random(1)
    for _ in range(20):
        mine, theirs = one.game.initial, other.game.initial
        while not one.terminal(mine):
            legal = [sorted(other.texts(role, moves, theirs)) for role, moves in enumerate(other.legal(theirs))]
            assert [sorted(one.texts(role, moves, mine)) for role, moves in enumerate(one.legal(mine))] == legal
            assert not other.terminal(theirs)
            joint = [dice.choice(moves) for moves in legal]
            mine, theirs = one.after(mine, joint), other.after(theirs, joint)
            assert {*one.facts(mine)} == {fact for fact in other.facts(theirs) if one.fact_number(fact) >= 0}
        if other.terminal(theirs):
            assert one.goals(mine) == other.goals(theirs)


def test_networks_of_other_states_or_moves_are_no_variants() -> None:
    small, large = load(games.read("connect_four")), load(games.read("connect_four_three"))
    with pytest.raises(ValueError, match="states or moves"):
        NetworkVariants(small, large, "decisive").playing("decisive")
    with pytest.raises(ValueError, match="states or moves"):
        NetworkGame(small, Game.from_propnet(large))


def test_a_policy_that_cannot_be_had_is_uniform_and_told() -> None:
    net, told = load(games.read("rock_paper_scissors")), list[str]()
    assert playable(net, "decisive", told.append) == (net, "uniform")
    assert "random games choose from all legal moves" in told[0]


def test_on_bitboards_there_is_one_variant() -> None:
    variant = GameVariant.plain(Game.from_propnet(load(games.read("tic_tac_toe"))))
    variants = GameVariants(variant)
    assert variants.evaluated() is variants.playing("auto") is variants.playing("decisive") is variant
    assert variants.other_policies() == ()
