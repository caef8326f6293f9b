"""A player with a trained network of checkers: what searches by it, and what is said where it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens import games
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_player
from ludens.games import registry
from ludens.games.checkers.game import RecognisedCheckers
from ludens.games.checkers.networks.guided_games import GuidedGames
from ludens.games.checkers.networks.network_file import NetworkFileError, write_network
from ludens.games.checkers.recognition.recognise import recognise
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import NetworkEvaluation
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from tests.support.checkers_network import random_weights


@pytest.fixture(scope="module")
def draughts() -> tuple[Propnet, RecognisedCheckers]:
    net = load(games.read("english_draughts"))
    return net, RecognisedCheckers(net, recognise(net, seconds=60, positions=64, games=16))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checkers.network"
    write_network(path, random_weights(32, 1, 2))
    return path


def prepared(
    draughts: tuple[Propnet, RecognisedGame], told: list[str] | None = None, **settings: str | float
) -> SearchConfig:
    options = PlayerOptions(nodes_mb=16, endgame_pieces=2, **settings)  # type: ignore[arg-type]
    budget = TimeBudget(1.0, 1.0, tell=(told if told is not None else []).append)
    return prepare(draughts[0], options, budget, recognised=draughts[1])


@pytest.mark.parametrize("strategy", ["auto", "guided"])
def test_guided_judges_positions_by_the_network(
    draughts: tuple[Propnet, RecognisedCheckers], file: Path, strategy: str
) -> None:
    told: list[str] = []
    config = prepared(draughts, told, strategy=strategy, network=str(file))
    assert config.strategy == "guided"
    assert isinstance(config.evaluation, NetworkEvaluation)
    assert any("trained network judges" in line for line in told)
    search = new_search(config, 1)
    assert search is not None
    search.run(playouts=200)
    assert search.root_moves(0).visits.sum() >= 190


def test_random_games_of_trees_are_guided_by_the_network(
    draughts: tuple[Propnet, RecognisedCheckers], file: Path
) -> None:
    config = prepared(draughts, strategy="mcrd", network=str(file), network_share=0.3, playouts_per_leaf=2)
    assert config.kernel is not None
    assert isinstance(config.kernel.kernel, GuidedGames)
    assert config.kernel.games == 2
    search = new_search(config, 1)
    assert search is not None
    search.run(playouts=200)
    assert search.stats().playouts >= 200


def test_a_network_is_not_used_for_another_game(file: Path) -> None:
    told: list[str] = []
    budget = TimeBudget(0.2, 0.1, tell=told.append)
    options = PlayerOptions(strategy="uct", network=str(file), kernel="off", nodes_mb=16)
    config = prepare(load(games.read("tic_tac_toe")), options, budget)
    assert config.evaluation is None
    assert any("it is for another game" in line for line in told)


class OtherGame(RecognisedCheckers):
    """A recognised game for which there are no networks."""

    network_evaluation = RecognisedGame.network_evaluation
    network_games = RecognisedGame.network_games


def test_recognised_games_without_networks_say_so(draughts: tuple[Propnet, RecognisedCheckers], file: Path) -> None:
    other = object.__new__(OtherGame)
    other.__dict__.update(draughts[1].__dict__)
    told: list[str] = []
    config = prepared((draughts[0], other), told, strategy="uct", network=str(file), kernel="off")
    assert config.strategy == "uct" and config.kernel is None
    assert any("the network is not used: no network of" in line for line in told)


def test_games_with_a_strategy_of_their_own_say_that_they_use_no_network(file: Path) -> None:
    told: list[str] = []
    net = load(games.read("tic_tac_toe"))
    recognised = registry.recognise(net, 60.0).game
    assert recognised is not None
    config = prepared((net, recognised), told, strategy="auto", network=str(file))
    assert config.strategy == "patterns"
    assert any("the network is not used" in line for line in told)


def test_players_with_files_that_are_no_networks_are_refused_at_once(tmp_path: Path, file: Path) -> None:
    with pytest.raises(NetworkFileError, match="No such file"):
        read_player(f"guided:network={tmp_path / 'none'}")
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(NetworkFileError, match="cut short"):
        read_player(f"guided:network={file}")
    with pytest.raises(OptionError, match="does not go with rave"):
        PlayerOptions(strategy="rave", network=str(file))
    with pytest.raises(OptionError, match="network_share"):
        PlayerOptions(strategy="uct", network_share=1.5)
