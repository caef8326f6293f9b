"""Strategies that are made for one game core: which games they play, and what is said where they cannot."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytest import MonkeyPatch

from ludens import games
from ludens.agent.preparation import recognition
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.games.recognised_game import RecognisedGame
from ludens.games.registry import Recognition
from ludens.games.tak.on_core import TakOnCore
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import TrainedWeights, WeightsError, shipped_weights
from ludens.native.core import States
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

# Who completes a row has lost.
MISERE = (
    games.read("tic_tac_toe")
    .replace("(goal ?player 100)", "(goal ?player kept)")
    .replace("(goal ?player 0)", "(goal ?player 100)")
    .replace("(goal ?player kept)", "(goal ?player 0)")
)


@cache
def network(text: str) -> Propnet:
    return load(text)


def prepared(text: str, strategy: str) -> tuple[SearchConfig, list[str]]:
    told: list[str] = []
    settings = PlayerOptions(strategy=strategy, threads=1, nodes_mb=16)
    recognised = recognised_game(network(text), settings, told.append)
    return prepare(network(text), settings, TimeBudget(0.0, 1.0, tell=told.append), recognised=recognised), told


@pytest.mark.parametrize("strategy", ["auto", "patterns"])
def test_k_in_a_row_is_played_by_patterns_on_its_core(strategy: str) -> None:
    config, told = prepared(games.read("tic_tac_toe"), strategy)
    assert config.strategy == "patterns"
    assert told[-1].startswith("plays by patterns: the game is 3 in a row on 3 × 3 cells")
    search = new_search(config, seed=1)
    assert search is not None
    search.run(playouts=50_000)
    assert search.root_moves(0).proven.max() == 50


def test_uct_plays_it_on_the_core_and_other_strategies_on_the_network() -> None:
    bits = network(games.read("tic_tac_toe")).state_bits
    for strategy in ("uct", "rave"):
        config, _ = prepared(games.read("tic_tac_toe"), strategy)
        assert config.strategy == strategy
        assert (config.variant.game.state_bits == bits) == (strategy == "rave")


def test_games_are_played_on_their_networks_where_that_is_wished() -> None:
    net, told = network(games.read("tic_tac_toe")), list[str]()
    for recognise in ("on", "off"):
        game = recognised_game(net, PlayerOptions(recognise=recognise), told.append)
        assert (game is None) == (recognise == "off")
    config = prepare(net, PlayerOptions(recognise="off", threads=1, nodes_mb=16), TimeBudget(0.0, 1.0))
    assert config.strategy != "patterns" and config.variant.game.state_bits == net.state_bits


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("td:recognise=off", "recognise off does not go with td"),
        ("patterns:recognise=off", "recognise off does not go with patterns"),
        ("guided:network=draughts.net,recognise=off", "recognise off does not go with network"),
        ("auto:network=draughts.net,recognise=off", "recognise off does not go with network"),
    ],
)
def test_what_needs_the_core_of_a_game_does_not_go_without_it(player: str, expected: str) -> None:
    with pytest.raises(OptionError, match=expected):
        read_search(player)


def test_other_games_are_played_by_random_games_and_that_is_said() -> None:
    config, told = prepared(games.read("nim"), "patterns")
    assert config.strategy == "uct"
    assert told[-1].endswith("patterns plays only on its own game core, and this game has none")


def test_a_game_in_which_rows_lose_is_played_on_its_network() -> None:
    config, told = prepared(MISERE, "auto")
    assert config.strategy != "patterns"
    assert any("is played on its network: patterns does not play for such goals" in line for line in told)


@pytest.mark.parametrize(("left", "proof"), [(-5.0, 8.0), (20.0, 8.0), (60.0, 20.0), (3600.0, 120.0)])
def test_the_proof_has_a_part_of_the_time_that_is_left(left: float, proof: float, monkeypatch: MonkeyPatch) -> None:
    given: list[float] = []

    def note(net: Propnet, seconds: float, **options: object) -> Recognition:
        given.append(seconds)
        return Recognition(None, None, {})

    monkeypatch.setattr(recognition, "recognise", note)
    assert recognised_game(network(games.read("tic_tac_toe")), PlayerOptions(), lambda text: None, left) is None
    assert given == [proof]


# ---- Weights ---------------------------------------------------------------------------------------------------------


class RecognisedTak(TakOnCore, RecognisedGame):
    """Tak as if it had been recognised in a network, whose moves are not needed here."""

    def move_text(self, role: int, number: int, state: States) -> str:
        raise NotImplementedError

    def move_number(self, role: int, text: str) -> int:
        raise NotImplementedError


def prepared_tak(player: str, size: int = 5) -> SearchConfig:
    budget = TimeBudget(0.0, 1.0, tell=lambda text: None)
    return prepare(
        network(games.read("tic_tac_toe")), read_search(player), budget, recognised=RecognisedTak(TakRules(size))
    )


def weights_file(folder: Path, size: int) -> Path:
    rules = TakRules(size)
    trained = TrainedWeights.of_network(Network.random(input_count(rules), seed=1), rules, games=7, seed=1)
    path = folder / f"{size}.td"
    path.write_bytes(trained.to_bytes())
    return path


def test_tak_is_judged_by_a_network_that_is_asked_for(tmp_path: Path) -> None:
    path = weights_file(tmp_path, 5)
    found = {player: prepared_tak(player) for player in ("td:weights=shipped", f"td:weights={path}", "td", "auto")}
    assert {config.strategy for config in found.values()} == {"td"}
    shipped, chosen, none, best = (config.weights for config in found.values())
    assert shipped is not None
    assert chosen is not None
    assert (none, best) == (None, None)
    np.testing.assert_array_equal(shipped, shipped_weights(5).weights)
    search = new_search(found[f"td:weights={path}"], seed=1)
    assert search is not None
    search.run(playouts=2_000)
    ours, theirs = search.root_moves(0), search.root_moves(1)
    assert (len(ours.moves), len(theirs.moves)) == (25, 1)
    assert prepared_tak("uct").strategy == "uct"


def test_weights_of_another_size_and_sizes_without_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"4\.td: its weights are for boards of size 4, and not of size 5"):
        prepared_tak(f"td:weights={weights_file(tmp_path, 4)}")
    for size in (7, 8):
        with pytest.raises(WeightsError, match=f"no weights for Tak of size {size} come with Ludens"):
            prepared_tak("td:weights=shipped", size)
        assert prepared_tak("td", size).weights is None


def test_files_that_are_no_weights_are_refused_before_a_match(tmp_path: Path) -> None:
    content = weights_file(tmp_path, 3).read_bytes()
    for name, changed, message in (
        ("cut", content[:1000], "the file is cut short"),
        ("version", content[:8] + b"\x02" + content[9:], "the format is version 2"),
        ("text", b"(role white)", "this is not a file of weights"),
        ("missing", None, "No such file"),
    ):
        path = tmp_path / name
        if changed is not None:
            path.write_bytes(changed)
        with pytest.raises(WeightsError, match=message):
            read_search(f"td:weights={path}")
    with pytest.raises(OptionError, match="weights does not go with uct"):
        read_search("uct:weights=shipped")
